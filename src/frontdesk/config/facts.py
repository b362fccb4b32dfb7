"""Facts: what is known of a record, told once by its feature and shown by each surface in its own way.

`lines` draws them for a screen, `linear.sentences.speak` words them to be read out, and `cli.output.print_facts`
prints them. A value is one of what these know how to show: words of our own or sanitized ones, a tuple of them for
several lines, a line of spans, a moment (`At`), a number, a flag, an outside text, or JSON of any shape.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from frontdesk.config.render_context import RenderContext
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, pad, show_line, trusted
from frontdesk_lines.lines import (
    EMPTY,
    LABEL_CELLS,
    Line,
    Role,
    Span,
    crop,
    fit,
    json_body,
    json_text,
    lay_out_line,
    paragraph,
    sign,
    signed,
    span,
    width_of,
)
from frontdesk_lines.lines import heading as ruled_heading

_LINE_LETTERS, _BODY_LETTERS, _BODY_LINES = 1_000, 4_000, 60
_MIN_ROOM = 8
"""Cells for a value; where fewer are left beside its label, it is below."""


class At(float):
    """A moment in Unix seconds, which each surface words in its own way."""

    @classmethod
    def known(cls, seconds: float | None) -> "At | None":
        """Return the moment, if there is one."""
        return None if seconds is None else cls(seconds)


class FactForm(Enum):
    """The layout of a fact on a screen.

    Attributes:
        ROW: label and value side by side.
        TEXT: the value alone, an outside text with its line breaks.
        HEADING: a blank line, then the label with the value, if there is one.
        ITEM: the label, and below it the value, if there is one.
        JSON: the value as JSON of several lines.
        GAP: a blank line.
    """

    ROW = auto()
    TEXT = auto()
    HEADING = auto()
    ITEM = auto()
    JSON = auto()
    GAP = auto()


class Fact(NamedTuple):
    """A fact of a record; a label in own words is a plain string, one from outside a `SafeText`.

    Attributes:
        draw: draws it for a screen of this width; None for the usual form.
        said: the value as it is read out, if a screen has it in short.
    """

    label: str | SafeText = ""
    value: object = None
    role: Role = Role.TEXT
    form: FactForm = FactForm.ROW
    indent: int = 0
    draw: Callable[[int], Iterable[Line]] | None = None
    said: str = ""

    @property
    def name(self) -> str:
        return self.label if isinstance(self.label, str) else self.label.text

    @property
    def has_value(self) -> bool:
        return self.value not in (None, "", (), NOTHING)

    @property
    def is_long(self) -> bool:
        """Return whether it may have many lines: a text from outside, JSON, an item of a list."""
        is_text = self.form is FactForm.TEXT and isinstance(self.value, str)
        return is_text or self.form in (FactForm.ITEM, FactForm.JSON)


GAP = Fact(form=FactForm.GAP)


def text(value: object, role: Role = Role.TEXT, label: str = "", indent: int = 0) -> Fact:
    """Return a fact that a screen shows without its label."""
    return Fact(label, value, role, FactForm.TEXT, indent)


def heading(label: str | SafeText, value: object = None) -> Fact:
    return Fact(label, value, Role.ACCENT, FactForm.HEADING)


def section(title: str, view: RenderContext) -> Fact:
    """Return a heading with a rule, as dialogs have it."""
    return Fact(title, form=FactForm.HEADING, draw=lambda width: [ruled_heading(title, width, view.glyphs)])


def signed_fact(sign: str, value: SafeText, role: Role) -> Fact:
    """Return words after a sign that only a screen shows."""
    return Fact("", value, role, draw=lambda width: signed(sign, value, width, role))


def unexpected(value: object, label: str = "") -> Iterator[Fact]:
    """Tell a value that isn't of the usual shape, as it came."""
    yield Fact(label, trusted("unexpected format; raw data:"), Role.WARN, FactForm.ROW if label else FactForm.TEXT)
    yield Fact("", value, Role.DIM, FactForm.JSON, 2)


def lines(facts: Iterable[Fact], width: int, view: RenderContext, cells: int = LABEL_CELLS) -> tuple[Line, ...]:
    """Draw facts as lines of `width` cells, of which labels have `cells`."""
    return tuple(line for fact in facts for line in _lines(fact, max(1, width), view, cells))


def drawing(
    tell: Callable[[RenderContext], Iterable[Fact]], view: Callable[[], RenderContext], cells: int = LABEL_CELLS
) -> Callable[[int], tuple[Line, ...]]:
    """Return a function that draws facts for a width, which are told again each time."""
    return lambda width: lines(tell(view()), width, view(), cells)


def _lines(fact: Fact, width: int, view: RenderContext, cells: int) -> Iterable[Line]:
    if fact.draw is not None:
        return fact.draw(width)
    if fact.form in (FactForm.ROW, FactForm.TEXT) and not fact.has_value:
        return ()
    match fact.form:
        case FactForm.GAP:
            return [EMPTY]
        case FactForm.JSON:
            return _indented(json_body(fact.value, _BODY_LETTERS, _BODY_LINES), width, fact.indent, fact.role)
        case FactForm.TEXT if isinstance(fact.value, str):
            return _indented(body_lines(fact.value, _BODY_LETTERS, _BODY_LINES), width, fact.indent, fact.role)
    label = fact.label if isinstance(fact.label, SafeText) else trusted(fact.label)
    shown = words(fact.value, view)
    match fact.form:
        case FactForm.TEXT if isinstance(fact.value, tuple):
            return [fit(fact.value, width)]
        case FactForm.TEXT:
            return _indented([shown], width, fact.indent, fact.role)
        case FactForm.HEADING:
            joined = SafeText(": ".join(filter(None, (label.text, shown.text))), shown.was_sanitized)
            return [EMPTY, *paragraph(joined, width, fact.role)]
        case FactForm.ITEM:
            below = _indented([shown], width, fact.indent + 2, fact.role)
            return [*_indented([label], width, fact.indent), *below]
    if width <= cells + _MIN_ROOM:
        return [*paragraph(label, width, Role.DIM), *paragraph(shown, width, fact.role)]
    rows = _value_lines(fact, shown, width - cells)
    head = lay_out_line([span(SafeText(f"{pad(label.text, cells - 1)} ", label.was_sanitized), Role.DIM)])
    return [crop((*((sign(" " * cells),) if at else head), *row), width) for at, row in enumerate(rows)]


def _value_lines(fact: Fact, shown: SafeText, room: int) -> Iterable[Line]:
    """Draw a value; spans that don't fit in one line are below each other."""
    if not isinstance(fact.value, tuple):
        return paragraph(shown, room, fact.role)
    if isinstance(fact.value[0], SafeText):
        return [line for each in fact.value for line in paragraph(each, room, fact.role)]
    if width_of(fact.value) <= room:
        return [fit(fact.value, room)]
    parts = ((SafeText(each.text.text.strip(), each.text.was_sanitized), each.role) for each in fact.value)
    return [line for part, role in parts for line in paragraph(part, room, role)]


def _indented(parts: Iterable[SafeText], width: int, by: int, role: Role = Role.TEXT) -> list[Line]:
    lead = (span(" " * by),) if by else ()
    room = max(1, width - by)
    return [crop((*lead, *line), width) for part in parts for line in paragraph(part, room, role)]


def words(value: object, view: RenderContext) -> SafeText:
    """Return a value as words on one line of a screen."""
    match value:
        case None:
            return NOTHING
        case SafeText():
            return value
        case bool():
            return trusted(plain(value))
        case At():
            return trusted(view.full_moment(value))
        case tuple():
            return join_parts(value)
    return show_line(plain(value), _LINE_LETTERS)


def join_parts(parts: tuple[Span, ...] | tuple[SafeText, ...]) -> SafeText:
    """Return what a line says, or what several say, on one line."""
    said = [each.text if isinstance(each, Span) else each for each in parts]
    gap = "" if isinstance(parts[0], Span) else " "
    return SafeText(gap.join(each.text for each in said), any(each.was_sanitized for each in said))


def plain(value: object) -> str:
    """Return a value of the platform as text on one line."""
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case int() | float() if abs(value) < 2**63:
            return f"{value:,.0f}" if float(value).is_integer() else f"{value:g}"
    return json_text(value, _LINE_LETTERS, None)[0]


RecordT = TypeVar("RecordT")
ListedT = TypeVar("ListedT", covariant=True)


class StoredListing(Protocol[ListedT]):
    """Records as they are stored; `read_at` is None before the first read."""

    @property
    def records(self) -> Sequence[ListedT]: ...
    @property
    def read_at(self) -> float | None: ...


class RecordKind(NamedTuple, Generic[RecordT]):
    """A kind of record that is listed whole, sorted and filtered by each surface.

    Attributes:
        name: of one record; `plural` is the name of all.
        label: a record's name, which decides where an order doesn't.
        read: reads the list with a connection to the store.
        orders: by its words what an order sorts by, the largest first and unknown ones last; None for the name.
        facts: tells one of them; with a connection to the store.
        search_text: what a filter's words are looked for in.
        states: words of a filter that mean a state instead.
    """

    name: str
    plural: str
    key: Callable[[RecordT], str]
    label: Callable[[RecordT], str]
    read: Callable[[Any], StoredListing[RecordT]]
    orders: Mapping[str, Callable[[RecordT], float | None] | None]
    facts: Callable[[Any, RecordT, RenderContext], Iterable[Fact]]
    search_text: Callable[[RecordT], str]
    states: Mapping[str, Callable[[RecordT], bool]] = MappingProxyType({})

    def in_order(self, records: Iterable[RecordT], order: str) -> list[RecordT]:
        value = self.orders[order]

        def sort_key(record: RecordT) -> tuple[float, str, str]:
            found = None if value is None else value(record)
            return math.inf if found is None else -found, self.label(record).casefold(), self.key(record)

        return sorted(records, key=sort_key)

    def matching(self, records: Iterable[RecordT], typed: str) -> list[RecordT]:
        """Return the records that have all typed words."""
        wanted = typed.casefold().split()
        return [each for each in records if not wanted or self._matches(each, wanted)]

    def _matches(self, record: RecordT, wanted: Sequence[str]) -> bool:
        text = self.search_text(record).casefold()
        return all(self.states[word](record) if word in self.states else word in text for word in wanted)
