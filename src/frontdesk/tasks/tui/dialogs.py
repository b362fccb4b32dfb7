"""Dialogs that edit a task: title and text, status, assignees.

Text that was typed before Esc is kept with what it was written over, so that a colleague's change in between is
a conflict and not lost.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from frontdesk.outbox.task_fields import BODY, TASK_FIELDS, TITLE
from frontdesk.storage.coverage import Precision, count_words
from frontdesk.tasks.commands import field_words
from frontdesk.tui.dialogs.base import Dialog, KeysLine, text_field
from frontdesk.tui.dialogs.confirm import AnswerButton
from frontdesk.tui.dialogs.digit_choice import DigitDialog
from frontdesk.tui.dialogs.filter_list import Choice
from frontdesk.tui.dialogs.picker import NEW, UNCHECKED, MultiSelectDialog, box
from frontdesk.tui.editor import EDITOR_KEY, edit_outside, fill_area, length_fault
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import clean_for_input, content
from frontdesk_lines.display_text import NOTHING, SafeText, enumerate_names, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

MAX_LENGTHS = {TITLE: 1_000, BODY: 20_000}
"""Longer texts are not edited here: a field lays all of its text out anew on every key."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The changed texts, and their values before, by the interface's names."""

    texts: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def draft(self) -> str:
        return json.dumps(asdict(self)) if self.texts else ""

    @classmethod
    def of_draft(cls, draft: str) -> "Edited":
        return cls(**json.loads(draft)) if draft else cls()


def split_title(text: str, before: Mapping[str, str]) -> dict[str, str]:
    """Split an edited text into title and body, as git does; `before` are both as they were.

    Blank lines before a title are left out, and so is a line break at the end that the editor has added.
    """
    title, _, rest = (text.lstrip("\n") if before[TITLE] else text).partition("\n")
    body = rest.removeprefix("\n")
    return {TITLE: title, BODY: body if before[BODY].endswith("\n") else body.removesuffix("\n")}


class EditDialog(Dialog[Edited]):
    """A dialog for title and text; only what was changed is saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        EDITOR_KEY,
        Binding("ctrl+r", "start_over", "start over", priority=True),
    ]
    DEFAULT_CSS = """
    EditDialog {
        & > .dialog--box { width: 84; }
        & .edit--label { height: 1; padding: 0 2; color: $text-muted; }
        & TextArea {
            height: 30vh;
            min-height: 3;
            max-height: 14;
            border: none;
            padding: 0 2;
            background: $background;
            &:focus { border: none; }
        }
        & Note { height: auto; min-height: 1; }
        & .edit--answers { height: 1; margin-top: 1; padding: 0 2; }
    }
    EditDialog.-short { & TextArea { height: 2; min-height: 1; } & .edit--answers { margin-top: 0; } }
    """

    def __init__(
        self, title: SafeText, texts: Mapping[str, str], *, activity_key: str = "6", draft: str = ""
    ) -> None:
        """Prepare the dialog.

        Args:
            texts: the title, the text or both.
            activity_key: the key of the screen where a conflict is decided.
        """
        super().__init__(
            title,
            keys=keys_line(
                ("tab", "next"), ("enter", "save (in the title)"), ("ctrl+g", "own editor"), ("esc", "cancel")
            ),
            draft=draft,
        )
        self._activity_key, self._texts = activity_key, texts
        kept = Edited.of_draft(draft)
        self._is_restored = bool(kept.texts)
        self._before = {**texts, **{name: kept.before[name] for name in kept.texts}}
        self._has_moved = any(texts[name] != self._before[name] for name in kept.texts)
        self._clean = {name: clean_for_input(text, lines=name == BODY) for name, text in self._before.items()}
        self._title = text_field()
        title_at_first, body = (kept.texts.get(name, self._shortened(name)) for name in (TITLE, BODY))
        self._title_at_first = title_at_first
        self._body = text_area(body)
        self._note_view = Note(self._note())
        for name, widget in self._fields.items():
            widget.disabled = len(self._clean[name]) > MAX_LENGTHS[name]

    @property
    def _fields(self) -> dict[str, Input | TextArea]:
        both: dict[str, Input | TextArea] = {TITLE: self._title, BODY: self._body}
        return {name: field for name, field in both.items() if name in self._texts}

    def _shortened(self, name: str) -> str:
        return self._clean.get(name, "")[: MAX_LENGTHS[name]]

    @property
    def edited(self) -> Edited:
        now = {TITLE: self._title.value, BODY: self._body.text}
        editable = [name for name in self._texts if len(self._clean[name]) <= MAX_LENGTHS[name]]
        touched = {name: now[name] for name in editable if now[name] != self._clean[name]}
        return Edited(touched, {name: self._before[name] for name in touched})

    @property
    def draft(self) -> str:
        """Return the changed texts, which would be lost."""
        return self.edited.draft

    def compose_body(self) -> Iterable[Widget]:
        for name, widget in self._fields.items():
            yield from self.compose_above(name)
            yield widget
        yield self._note_view
        with Horizontal(classes="edit--answers"):
            yield AnswerButton(trusted("Save"), is_yes=True)
            yield AnswerButton(trusted("Cancel"), is_yes=False)

    def compose_above(self, name: str) -> Iterable[Widget]:
        """Compose what stands above a field."""
        yield field_label(name)

    def on_mount(self) -> None:
        self._title.value = self._title_at_first
        first = next((each for each in self._fields.values() if not each.disabled), None)
        (first or self._body).focus()

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self, event: Input.Changed | TextArea.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._save()

    @on(AnswerButton.Pressed)
    def _pressed(self, event: AnswerButton.Pressed) -> None:
        event.stop()
        if event.is_yes:
            self._save()
        else:
            self.action_close()

    def action_edit_outside(self) -> None:
        """Edit title and text in the person's own editor: the title is the first line, and a blank one follows."""
        fields = {TITLE: self._title.value, BODY: self._body.text}
        names = [name for name, text in self._clean.items() if len(text) <= MAX_LENGTHS[name]]
        if not names:
            return
        before = self.outside_text(names, fields)

        def parts(after: str) -> dict[str, str]:
            return split_title(after, fields) if len(names) > 1 else {names[0]: after}

        def check(after: str) -> str:
            if fault := self.outside_fault(after):
                return fault
            texts = parts(after).items()
            found = (length_fault(field_words([name]), text, MAX_LENGTHS[name]) for name, text in texts)
            return next(filter(None, found), "")

        self._note_view.set_line(self._note())
        after = edit_outside(self, before, self._note_view, check)
        if after is None:
            return
        edited = {name: clean_for_input(text, lines=name == BODY) for name, text in parts(after).items()}
        self._title.value = edited.get(TITLE, self._title.value)
        fill_area(self._body, edited.get(BODY, self._body.text))

    def outside_text(self, names: Sequence[str], texts: Mapping[str, str]) -> str:
        """Return what the person's own editor gets."""
        return "\n\n".join(texts[name] for name in names)

    def outside_fault(self, after: str) -> str:  # noqa: ARG002
        """Return why an edited text can't be taken apart, as a sentence; empty where it can."""
        return ""

    def action_start_over(self) -> None:
        """Discard what was typed, now and before."""
        self._is_restored = self._has_moved = False
        self._before = {**self._texts}
        self._clean = {name: clean_for_input(text, lines=name == BODY) for name, text in self._before.items()}
        self._title.value = self._shortened(TITLE)
        fill_area(self._body, self._shortened(BODY))
        self._note_view.set_line(self._note())

    def _save(self) -> None:
        if self.edited.texts:
            self.done(self.edited)
        else:
            self.action_close()

    def _note(self) -> Line:
        too_long = [name for name, text in self._clean.items() if len(text) > MAX_LENGTHS[name]]
        if too_long:
            return (span(f"Too long to edit here: {field_words(too_long)}.", Role.WARN),)
        if self._is_restored and not self._has_moved:
            return (span("Restored the text you typed before. Press ctrl+r to discard it.", Role.DIM),)
        if self._has_moved:
            where = f"Activity ({self._activity_key})"
            words = (
                f"Someone else changed this. Saving leaves a conflict in {where}. Press ctrl+r to discard yours."
            )
            return (span(words, Role.WARN),)
        return EMPTY


def text_area(text: str, *, read_only: bool = False) -> TextArea:
    area = TextArea(text, highlight_cursor_line=False, read_only=read_only)
    area.cursor_blink = False
    return area


def field_label(name: str, whose: str = "") -> Static:
    words = span(f"{TASK_FIELDS[name].label}{whose}", Role.ACCENT if whose else Role.TEXT)
    return Static(content((words,)), classes="edit--label")


_LINE_CELLS = 76
"""About the letters of a line of text."""

_THEIRS, _BETWEEN, _YOURS = _MARKS = ("<<<<<<< theirs", "=======", ">>>>>>> yours")
"""The lines around both versions in the person's own editor, as git writes them."""


class MergeDialog(EditDialog):
    """A dialog for texts that someone else has changed, too: theirs above, yours below to edit into one.

    Its answer has what differs from theirs; nothing where theirs is kept.
    """

    DEFAULT_CSS = """
    MergeDialog {
        & TextArea { height: 20vh; max-height: 20vh; }
    }
    MergeDialog.-short TextArea { height: 2; max-height: 2; }
    """

    def __init__(
        self, title: SafeText, theirs: Mapping[str, str], yours: Mapping[str, str], *, draft: str = ""
    ) -> None:
        super().__init__(title, theirs, draft=draft or Edited(yours, theirs).draft)
        clean = {name: clean_for_input(text, lines=name == BODY) for name, text in yours.items()}
        self._yours = {name: text for name, text in clean.items() if text != self._clean[name]}
        self._sides = ""

    @property
    def draft(self) -> str:
        return "" if self.edited.texts == self._yours else super().draft

    def compose_above(self, name: str) -> Iterable[Widget]:
        yield field_label(name, ", theirs")
        theirs = text_area(self._shortened(name), read_only=True)
        theirs.styles.height = sum(1 + len(each) // _LINE_CELLS for each in theirs.text.split("\n"))
        theirs.styles.min_height = 1
        yield theirs
        yield field_label(name, ", yours")

    def outside_text(self, names: Sequence[str], texts: Mapping[str, str]) -> str:
        theirs, yours = (super(MergeDialog, self).outside_text(names, side) for side in (self._clean, texts))
        self._sides = f"{theirs}\n{yours}"
        return "\n".join([_THEIRS, theirs, _BETWEEN, yours, _YOURS])

    def outside_fault(self, after: str) -> str:
        left = [each for each in _MARKS if each in after.splitlines() and each not in self._sides.splitlines()]
        return f"Remove the line {left[0]} from the text." if left else ""

    def _save(self) -> None:
        self.done(self.edited)

    def _note(self) -> Line:
        note = super()._note()
        words = "Edit your version until it covers both. Press ctrl+r to use theirs."
        return (span(words, Role.DIM),) if self._is_restored and not self._has_moved else note


@dataclass(frozen=True, slots=True)
class StatusChoice:
    """A status, how many tasks have it if known, and how many of the selected ones."""

    id: str
    label: SafeText
    count: int | None = None
    precision: Precision = Precision.EXACT
    of_these: SafeText = NOTHING


class StatusDialog(DigitDialog):
    """A dialog for a status, by its id."""

    DEFAULT_CSS = "StatusDialog > .dialog--box { width: 50; }"

    def __init__(self, title: SafeText, statuses: Sequence[StatusChoice], current: str | None = None) -> None:
        """Prepare the dialog; `current` is the status all of the tasks have, or None."""
        self._statuses = {choice.id: choice for choice in statuses}
        super().__init__(title, tuple(self._statuses), current)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        choice = self._statuses[key]
        is_now = key == self._current
        name = Span(choice.label, Role.STRONG if is_now else Role.TEXT)
        now = (span("  now", Role.DIM),) if is_now else (span("  "), Span(choice.of_these, Role.DIM))
        count = () if choice.count is None else (span(count_words(choice.count, choice.precision), Role.DIM),)
        return (fit((self.digit(key), name, *now), width, count),)


@dataclass(frozen=True, slots=True)
class PersonChoice:
    """A person who can be assigned.

    Attributes:
        is_on: whether they are on all the tasks; None where on some of them.
        seen: on how many they are or where they are known from, as text.
    """

    id: str
    name: SafeText
    is_me: bool = False
    is_on: bool | None = False
    seen: SafeText = NOTHING


@dataclass(frozen=True, slots=True)
class Assignment:
    """The people to assign and to unassign, in the dialog's order; all others stay."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


NAMED = 2
"""So many of those who are replaced are named."""


class AssignDialog(MultiSelectDialog[Assignment]):
    """A dialog for the people to assign: enter on one replaces those assigned, tab adds and removes several."""

    keys = keys_line(("tab", "add or remove"), ("enter", "assign"), ("esc", "cancel"))
    placeholder = "Type a name, or a new id"
    empty = "No people in tasks or the config yet. Type an id."

    def __init__(self, title: SafeText, people: Sequence[PersonChoice], *, draft: str = "") -> None:
        """Prepare the dialog; me and those who are assigned come first. `draft` is what was typed before."""
        ordered = sorted(people, key=lambda person: (not person.is_me, person.is_on is False))
        matched = [Choice(person.id, f"{person.name.text} {person.id}") for person in ordered]
        super().__init__(title, matched, draft=draft)
        self._people = {person.id: person for person in ordered}
        self._summary = Note(self._summary_line(), classes="dialog--below")

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary

    def accept(self) -> None:
        """Assign the person under the cursor in place of the others; once someone is marked, apply the marks.

        An id that can't be verified is only marked, the others for removal with it.
        """
        key = self._rows.cursor_key
        if self._picked or key is None:
            super().accept()
        elif key == NEW:
            self._picked = dict.fromkeys(self._assigned(), False)
            self.toggle(NEW)
        else:
            self.done(Assignment((key,), tuple(each for each in self._assigned() if each != key)))

    def answer(self) -> Assignment:
        add, remove = (tuple(key for key, on in self._picked.items() if on is wanted) for wanted in (True, False))
        return Assignment(add, remove)

    def update_summary(self) -> None:
        self._summary.set_line(self._summary_line())
        replaces = not self._picked and bool(self._assigned())
        enter = "apply" if self._picked else "assign instead" if replaces else "assign"
        keys = keys_line(("tab", "add or remove"), ("enter", enter), ("esc", "cancel"))
        self.query_one(KeysLine).set_line(keys)

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.update_summary()

    def is_on(self, key: str) -> bool | None:
        return self._people[key].is_on if key in self._people else False

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key == NEW:
            name = Span(show_line(self.typed), Role.STRONG)
            return (fit((span("+ new id "), name), width, (span(UNCHECKED, Role.WARN),)),)
        wanted = self._picked.get(key)
        change = span("  ") if wanted is None else span("+ ", Role.GOOD) if wanted else span("− ", Role.BAD)
        person = self._people.get(key)
        if person is None:
            return (fit((change, box(wanted), Span(show_line(key))), width, (span("new id", Role.WARN),)),)
        on = self._picked.get(key, person.is_on)
        me = (span("  you", Role.DIM),) if person.is_me else ()
        name = Span(person.name, Role.STRONG if on else Role.TEXT)
        return (fit((change, box(on), name, *me), width, (Span(person.seen, Role.DIM),)),)

    def _change(self, key: str, on: bool) -> Line:
        """Describe what changes for a person; an id that is not known here can't be checked."""
        role = Role.GOOD if on else Role.BAD
        person = self._people.get(key)
        if person is not None:
            return (span("+" if on else "−", role), Span(person.name, role))
        return (span("+", role), Span(show_line(key, 30), role), span(f": {UNCHECKED}", Role.WARN))

    def _summary_line(self) -> Line:
        if self._picked:
            words = [part for key, on in self._picked.items() for part in (span("  "), *self._change(key, on))]
            return tuple(words[1:])
        assigned, chosen = self._assigned(), self._people.get(self._rows.cursor_key or "")
        replaced = [each for each in assigned if chosen is not None and each != chosen.id]
        if chosen is not None and replaced:
            listed = enumerate_names(self._people[each].name.text for each in replaced[:NAMED])
            more = f" and {len(replaced) - NAMED} more" if len(replaced) > NAMED else ""
            return (Span(chosen.name, Role.GOOD), span(f" instead of {listed}{more}", Role.DIM))
        names = [
            part
            for each in (self._people[key] for key in assigned)
            for part in (span(", ", Role.DIM), Span(each.name, Role.DIM), *_some(each.seen))
        ]
        return (span("Current: ", Role.DIM), *(names[1:] or [span("unassigned", Role.DIM)]))

    def _assigned(self) -> list[str]:
        """Return the people who are on some of the tasks."""
        return [key for key, person in self._people.items() if person.is_on is not False]


def _some(seen: SafeText) -> Line:
    return (span(" ", Role.DIM), Span(seen, Role.DIM)) if seen else ()
