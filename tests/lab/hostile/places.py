"""Where each field of the platform's answers is shown: the checked list of tests/lab/hostile/places.toml.

A place is a screen or dialog (its class's name), a toast, the clipboard, a command, or the linear mode.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("places.toml")

WITHOUT_STRANGERS = {
    "title": "tests/terminal/test_attention.py: counts and the profile's name alone",
    "desktop notification": "tests/terminal/test_attention.py: the walk's app is the focused window",
    "Dialog": "a base of others that Textual never shows by itself",
    "DigitDialog": "a base of others that Textual never shows by itself",
    "FormDialog": "a base of others that Textual never shows by itself",
    "ThemeDialog": "it lists the names of themes",
}
"""Places that show no field of a stranger in these walks, and why."""


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


def shown() -> dict[str, set[str]]:
    """The places of each field that is shown somewhere."""
    return {field: set(places) for field, places in _tables()["shown"].items()}


def excused() -> dict[str, str]:
    """The fields that no place shows, each with the reason."""
    return dict(_tables()["not_shown"])


def unvisited() -> dict[str, str]:
    """The dialogs that no walk opens, each with the reason and the test that does."""
    return dict(_tables()["not_visited"])


def unplaced(seen: Mapping[str, set[str]]) -> list[str]:
    """What was seen at a place that the list doesn't name for it."""
    known = shown()
    return sorted(
        f"{field} at {place}"
        for place, fields in seen.items()
        for field in fields
        if place not in known.get(field, ())
    )


def unlisted(seen: Mapping[str, set[str]]) -> list[str]:
    """The fields that were seen although the list has no place for them.

    How far a list is scrolled and which writes were refused by then differs from run to run, so that a walk
    through a part of all places is held to less than `unplaced`.
    """
    return sorted(set().union(*seen.values()) - set(shown()))


def write(seen: Mapping[str, set[str]]) -> None:
    """Add to the list what was seen; the reasons stay."""
    known = shown()
    for place, fields in seen.items():
        for field in fields:
            known.setdefault(field, set()).add(place)
    lines = [FILE.read_text("utf-8").split("[shown]")[0] + "[shown]"]
    lines += [_row(field, sorted(places)) for field, places in sorted(known.items())]
    FILE.write_text("\n".join(lines) + "\n", "utf-8")
    _tables.cache_clear()


def _row(field: str, places: list[str]) -> str:
    quoted = [f'"{each}"' for each in places]
    whole = f'"{field}" = [{", ".join(quoted)}]'
    return whole if len(whole) <= 115 else "\n".join([f'"{field}" = [', *(f"    {each}," for each in quoted), "]"])
