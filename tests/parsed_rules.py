"""One parse of each style sheet in a process, however many apps it runs; for the tests, and the pictures.

Textual keeps parsed rules for one app and one theme. The next app, and the theme that comes back, have the same.
"""

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

PARSED: dict[tuple[Any, ...], list[RuleSet]] = {}
"""Rules by all that parsing reads: the sheet, where it came from, its rank, and the theme's variables."""


def share_parsed_rules() -> None:
    """Let each app have what was parsed before; rules don't change once they are parsed."""
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, *source: Any, **more: Any) -> list[RuleSet]:
        key = (source, *sorted(more.items()), *sorted(sheet._variables.items()))
        if key not in PARSED:
            PARSED[key] = parse(sheet, *source, **more)
        return PARSED[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]
