"""Dialogs that pick from a list or take a typed id: one (PickerDialog), several (MultiSelectDialog), tags."""

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.widget import Widget

from frontdesk.tui.dialogs.base import T
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import ink_style
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note

NEW = "\x00new"
"""The key of the row for a typed id."""


@dataclass(frozen=True, slots=True)
class NamedChoice:
    """A row: its id, its name, and a note that tells it from others of a like name.

    Attributes:
        is_found_by_id: typing is matched against the id too.
    """

    id: str
    name: SafeText
    note: SafeText = NOTHING
    is_found_by_id: bool = False


class PickerDialog(FilterDialog[str]):
    """Answers with the id of a choice.

    Args:
        at: the id that the cursor starts on; the first one if it isn't listed, or a draft is filled in.
        can_type: whether a typed id that isn't listed is an answer.
    """

    DEFAULT_CSS = "PickerDialog Note { height: auto; }"
    keys = keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "close"))

    def __init__(
        self,
        title: SafeText,
        choices: Sequence[NamedChoice],
        *,
        note: SafeText = NOTHING,
        placeholder: str = "",
        at: str = "",
        can_type: bool = False,
        draft: str = "",
    ) -> None:
        self.placeholder = placeholder
        self.empty = "Nothing to choose from yet. Type an id." if can_type else "No match."
        matched = [Choice(each.id, _search_words(each)) for each in choices]
        super().__init__(title, matched, draft=draft)
        self._named = {each.id: each for each in choices}
        self._note_text, self._at, self._can_type = note, at, can_type

    def on_mount(self) -> None:
        if self._at in self._named and not self._draft:
            # Textual calls this before the base class lists the choices.
            self.call_later(self._rows.move_to, self._at)

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        if self._note_text:
            yield Note((Span(self._note_text, Role.DIM),))

    def matches(self, typed: str) -> list[str]:
        """Return the matching ids, and `NEW` for a typed id that isn't listed."""
        found = super().matches(typed)
        return [*found, NEW] if self._can_type and typed and typed not in self._named else found

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key == NEW:
            typed = Span(show_line(self.typed, 80), Role.STRONG)
            return (fit((span("  this id: "), typed), width, (span("not in the list", Role.WARN),)),)
        choice = self._named[key]
        return (fit((span("  "), Span(choice.name, Role.STRONG)), width, (Span(choice.note, Role.DIM),)),)

    def choose(self, key: str) -> None:
        self.done(self.typed if key == NEW else key)

    def _narrow(self) -> None:
        if self._can_type:
            self._rows.refresh_keys([NEW])  # it contains the typed text
        super()._narrow()


def _search_words(choice: NamedChoice) -> str:
    words = f"{choice.name.text} {choice.note.text}"
    return f"{words} {choice.id}" if choice.is_found_by_id else words


CHIP = "■"
UNCHECKED = "can't be verified"
ONLY_GIVEN = "Tags can't be removed."


class MultiSelectDialog(FilterDialog[T]):
    """Rows that are switched on or off one by one; enter answers with all of them.

    Args:
        draft: of the dialog on the same targets that was closed unanswered.
    """

    def __init__(self, title: SafeText, choices: Sequence[Choice], *, draft: str = "") -> None:
        typed, self._picked = read_draft(draft)
        super().__init__(title, choices, draft=typed)
        self._known = {each.id for each in choices}

    @abstractmethod
    def answer(self) -> T:
        """Return what is picked."""

    @abstractmethod
    def update_summary(self) -> None:
        """Show what is picked."""

    def is_on(self, key: str) -> bool | None:  # noqa: ARG002 - here nothing is
        """Return whether a row was on when the dialog opened; None where it was on some of the targets."""
        return False

    @property
    def draft(self) -> str:
        return draft_of(self._field.value, self._picked)

    def matches(self, typed: str) -> list[str]:
        """Return the matching ids, and `NEW` for a typed id that isn't listed."""
        found = super().matches(typed)
        if typed and typed not in self._known and typed not in self._picked:
            found.append(NEW)
        return found if typed else [*(key for key in self._picked if key not in self._known), *found]

    def toggle(self, key: str) -> None:
        """Switch a row, those on some of the targets on first, and clear the input."""
        self._switch(key)
        if self._field.value:
            self._field.value = ""
        else:
            self._rows.refresh_keys([key])
            self.list_keys(self.matches(""))

    def accept(self) -> None:
        """Answer with the picked rows, else with the one under the cursor.

        What is typed beside picked rows is picked first, as is an id that can't be verified: a misspelled name.
        """
        if self._rows.cursor_key is not None:
            if self.typed and (self._picked or self._rows.cursor_key == NEW):
                self.toggle(self._rows.cursor_key)
                return
            if not self._picked:
                self._switch(self._rows.cursor_key)
        if self._picked:
            self.done(self.answer())

    def _switch(self, key: str) -> None:
        key = self.typed if key == NEW else key
        is_wanted = self._picked.get(key, self.is_on(key)) is not True
        if is_wanted is self.is_on(key):
            self._picked.pop(key, None)
        else:
            self._picked[key] = is_wanted
        self.note_typing()
        self.update_summary()

    def _narrow(self) -> None:
        # The row of NEW contains the typed text, so it is always drawn again.
        self._rows.refresh_keys([NEW, *self._picked])
        super()._narrow()


@dataclass(frozen=True, slots=True)
class TagChoice:
    """A known tag.

    Attributes:
        color: as the platform writes it; drawn as a chip where it can be parsed.
        given_at: when it was given from here to all targets; empty if it was not.
    """

    id: str
    title: SafeText
    color: SafeText = NOTHING
    given_at: SafeText = NOTHING


class TagDialog(MultiSelectDialog[frozenset[str]]):
    """Answers with the ids of the tags to add; tags can't be removed.

    Args:
        tags: in the order shown, those used last first.
        undo_key: the key that undoes it.

    Attributes:
        heading: precedes the picked tags.
        undo_hint: how it is undone, with the key in `{}`.
    """

    keys = keys_line(("tab", "mark"), ("enter", "add"), ("esc", "cancel"))
    placeholder = "Type a tag name, or a new id"
    empty = "No tags yet. Type an id."
    heading: ClassVar[str] = "To add:"
    warning: ClassVar[str] = ONLY_GIVEN
    undo_hint: ClassVar[str] = "Sends in 5 s; press {} to undo it until then."

    def __init__(
        self, title: SafeText, tags: Sequence[TagChoice], *, undo_key: str = "u", draft: str = ""
    ) -> None:
        super().__init__(title, [Choice(tag.id, f"{tag.title.text} {tag.id}") for tag in tags], draft=draft)
        self._hint = self.undo_hint.format(undo_key)
        self._tags = {tag.id: tag for tag in tags}
        self._summary = Note(self._picked_line())
        self._warning = Note(self._warning_line())

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary
        yield self._warning
        if self._hint:
            yield Note((span(self._hint, Role.DIM),), classes="dialog--aside")

    def answer(self) -> frozenset[str]:
        return frozenset(self._picked)

    def update_summary(self) -> None:
        self._summary.set_line(self._picked_line())
        self._warning.set_line(self._warning_line())

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key == NEW:
            name = Span(show_line(self.typed), Role.STRONG)
            return (fit((span("+   new id "), name), width, (span(UNCHECKED, Role.WARN),)),)
        ticked = box(key in self._picked)
        tag = self._tags.get(key)
        if tag is None:
            return (fit((ticked, span("  "), Span(show_line(key))), width, (span("new id", Role.WARN),)),)
        given = (span("added here ", Role.DIM), Span(tag.given_at, Role.DIM)) if tag.given_at else ()
        return (fit((ticked, *chip(tag.color.text), Span(tag.title)), width, given),)

    def _picked_line(self) -> Line:
        names = [self._tags[key].title if key in self._tags else show_line(key) for key in self._picked]
        words = [part for name in names for part in (span("  #", Role.DIM), Span(name, Role.STRONG))]
        return (span(self.heading, Role.DIM), *words) if words else EMPTY

    def _warning_line(self) -> Line:
        new = [key for key in self._picked if key not in self._tags]
        if new:
            name = Span(show_line(new[-1], 30), Role.WARN)
            return (span("! ", Role.WARN), name, span(f": {UNCHECKED}. {self.warning}", Role.WARN))
        return (span(self.warning, Role.DIM),)


def box(is_on: bool | None) -> Span:
    """Draw a checkbox, readable without colour; None means on for some of the targets."""
    return (
        span("[x] ", Role.GOOD) if is_on else span("[~] ", Role.WARN) if is_on is None else span("[ ] ", Role.DIM)
    )


def chip(color: str) -> tuple[Span, ...]:
    """Draw a block in a colour as data names it (hex, rgb or a name); blank where it names none."""
    if not color.strip() or ink_style(color.strip()) is None:
        return (span("  "),)
    return (Span(trusted(CHIP), ink=color.strip()), span(" "))


def draft_of(typed: str, picked: Mapping[str, bool]) -> str:
    """Encode a draft: the typed text alone, or JSON with the picked rows."""
    return json.dumps({"typed": typed, "picked": dict(picked)}) if picked else typed


def read_draft(draft: str) -> tuple[str, dict[str, bool]]:
    """Decode a draft into the typed text and the picked rows."""
    try:
        decoded = json.loads(draft)
        return decoded["typed"], dict(decoded["picked"])
    except (ValueError, TypeError, KeyError):
        return draft, {}
