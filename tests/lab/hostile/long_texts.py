"""Arguments for any function that takes outside text, made from its annotations, and what a longer text costs.

Processor time, not calls: the costly work is in C (a list copied, a regular expression that goes back, marks that
are sorted), where a profiler sees one call. Only how it grows is judged.
"""

import dataclasses
import gc
import inspect
import time
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import date, datetime, tzinfo
from enum import Enum
from itertools import count
from types import UnionType
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin

from frontdesk.campaigns.view.wizard import WizardStep
from frontdesk.config.facts import Fact, lines
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.change_view import ChangeView
from frontdesk.workflows.view.simulation import SimulationLine
from frontdesk_flows.document import Document
from frontdesk_lines.display_text import SafeText, show_line
from frontdesk_lines.glyphs import UNICODE, Glyphs
from lab.hostile.fields import LOOSE_NAMES
from sample_records import NOW, VIEW, ZONE

SMALL, LARGE = 20_000, 80_000
MAX_RATIO = 6
"""Four times the text: a linear cost grows by four, a square one by sixteen."""
ATTEMPTS = 20
"""Other programs use the processor's caches, too: what is linear is so in one of these."""
NOISE_SECONDS = 0.001
UNDISTURBED_SECONDS = 1.0
"""What takes so long is measured well at once."""
MAX_DEPTH = 3
TYPED = {"typed", "words", "searched"}
UNITS = {
    "no blanks": "abcdefghij",
    "one letter": "a",
    "marks": "\u0301\u0316",
    "emoji": "👍🏽\u200d",
    "Hebrew": "שלום",
    "blanks": " ",
    "words": "ab 12 ",
    "breaks": "\n",
    "signs": "+1",
    "escapes": "&#1",
}
_FIXED: dict[Any, Any] = {
    RenderContext: VIEW,
    Glyphs: UNICODE,
    tzinfo: ZONE,
    datetime: datetime.fromtimestamp(NOW, ZONE),
    int: 80,
    float: NOW,
    bool: True,
    type(None): None,
    ChangeView: ChangeView(),
    date: date(2026, 11, 18),
}
_serial = count()


class NotMade(Exception):
    """No value of this annotation is made here."""


def growth(function: Callable[..., Any], unit: str) -> float:
    """How many times more a text four times as long costs."""
    cost(function, unit, 1)  # what a first call loads
    found: list[float] = []
    large = 0.0
    while not found or (min(found) >= MAX_RATIO and len(found) < ATTEMPTS and large < UNDISTURBED_SECONDS):
        large = cost(function, unit, LARGE)
        small = sum(cost(function, unit, SMALL) for _ in range(4)) / 4
        found.append((large + NOISE_SECONDS) / (small + NOISE_SECONDS))
    return min(found)


def cost(function: Callable[..., Any], unit: str, length: int) -> float:
    """Call a function with a text of this length; return the seconds."""
    # No two texts are equal: what is cached costs nothing.
    arguments, named = arguments_of(function, (unit * length)[:length] + f"x{next(_serial)}")
    gc.disable()
    began = time.thread_time()
    try:
        with suppress(ValueError):
            if isinstance(answer := function(*arguments, **named), Iterator):
                lines((each for each in answer if isinstance(each, Fact)), 80, VIEW, 11)
        return time.thread_time() - began
    finally:
        gc.enable()


def arguments_of(function: Callable[..., Any], text: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by place and by name; each outside text in them is `text`."""
    hints = typing.get_type_hints(function, localns={"Document": Document})
    shows = function.__module__.startswith(("frontdesk_lines.", "frontdesk.text."))
    places: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = _argument(name, hints[name], text, is_typed=not shows and name in TYPED)
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            places.append(value)
    return places, named


def _argument(name: str, hint: Any, text: str, *, is_typed: bool) -> Any:
    if hint is int and name in ("limit", "length", "letters", "lines", "most"):
        return len(text)
    if hint is int and name in ("at", "index", "cursor"):
        return 0
    return text[:MAX_TYPED] if is_typed and hint is str else make(hint, text)


MAX_TYPED = 60
"""Letters that a person types."""


def make(hint: Any, text: str, depth: int = 0) -> Any:
    """Make a value of an annotated type in which every text is `text`."""
    if hint in _FIXED:
        return _FIXED[hint]
    if hint in (str, object, Any) or isinstance(hint, TypeVar):
        return text
    if hint is bytes:
        return text.encode()
    if hint is SafeText:
        return show_line(text, len(text))
    if isinstance(hint, NewType):
        return make(hint.__supertype__, text, depth)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if depth >= MAX_DEPTH and type(None) in parts else make(parts[0], text, depth)
    if origin is Literal:
        return parts[0]
    if isinstance(origin, type):
        return _made_parts(origin, parts, text, depth)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    if hint is WizardStep:  # frontdesk's own keys and labels
        return hint("workflow", make(typing.get_type_hints(hint)["value"], text, depth))
    if hint is SimulationLine:
        return hint(1, "says", (make(typing.get_type_hints(hint)["words"], text, depth)))
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        fields = typing.get_type_hints(hint, localns={"Document": Document})
        names = list(inspect.signature(hint).parameters)
        return hint(**{name: make(fields[name], text, depth + 1) for name in names})
    raise NotMade(hint)


def _made_parts(origin: type, parts: Sequence[Any], text: str, depth: int) -> Any:
    if origin is get_origin(Callable[..., Any]):
        return lambda *_: make(parts[-1], text, depth)
    if issubclass(origin, tuple) and parts[-1] is not Ellipsis:
        return tuple(make(each, text, depth) for each in parts)
    if issubclass(origin, Mapping):
        if parts[1] is Any:
            return {**dict.fromkeys(LOOSE_NAMES, text), text: text, "list": [text, {"a": text}]}
        return {make(parts[0], text, depth + 1): make(parts[1], text, depth + 1)}
    values = [] if depth >= MAX_DEPTH else [make(parts[0], text, depth + 1)]
    if issubclass(origin, AbstractSet):
        return frozenset(values)
    return iter(values) if origin is Iterator else tuple(values) if issubclass(origin, tuple) else values
