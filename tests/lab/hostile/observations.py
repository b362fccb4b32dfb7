"""What one walk came to, be it the app's, the command lines' or the linear mode's: faults, and the fields seen."""

import re
from collections import defaultdict
from collections.abc import Iterable

from lab.hostile.platform import fields_in
from lab.hostile.terminal_bytes import faults, said
from lab.hostile.walk import Step

TOAST = "toast"
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")

Shown = dict[str, set[str]]
"""The fields that were seen, by the place that showed them."""


def of_steps(steps: Iterable[Step]) -> tuple[list[str], Shown]:
    """The faults of a walk's steps, and the fields on each screen and dialog, in toasts, titles and copies."""
    found: list[str] = []
    shown: Shown = defaultdict(set)
    for step in steps:
        found += [f"{step.place} after {step.keys}: {fault}" for fault in faults(step.written)]
        shown[step.place] |= fields_in(step.shown)
        shown[TOAST] |= fields_in("\n".join(step.toasts))
        for each in said(step.written):
            shown[each.place] |= fields_in(each.text)
    return found, shown


def of_sessions(written: dict[str, str]) -> tuple[list[str], Shown]:
    """The faults of what command lines and the linear mode wrote, and the fields in it, by place."""
    found = [f"{place}: {fault}" for place, text in written.items() for fault in faults(text)]
    return found, {place: fields_in(_SEQUENCE.sub("", text)) for place, text in written.items()}
