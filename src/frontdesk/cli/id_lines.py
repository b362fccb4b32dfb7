"""Ids given on the command line or on standard input, one a line, so that commands can be joined by pipes."""

import sys
from collections.abc import Iterable


def read_ids(given: Iterable[str]) -> list[str]:
    """Return each id once, in order; `-` stands for the lines of standard input that aren't blank."""
    ids: dict[str, None] = {}
    for each in given:
        if each == "-":
            lines = sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
            ids |= dict.fromkeys(line.strip() for line in lines if line.strip())
        else:
            ids[each] = None
    return list(ids)
