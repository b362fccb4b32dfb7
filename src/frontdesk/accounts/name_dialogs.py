"""Dialogs that edit a profile's names: which catalogue, its rows, and one row. Each change is saved at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.config.catalogue_rows import (
    CATALOGUES,
    VIEWS,
    CatalogueKind,
    NotSaved,
    Row,
    can_delete,
    field_fault,
)
from frontdesk.text.questions import Question
from frontdesk.tui.dialogs.base import Dialog, on_answer
from frontdesk.tui.dialogs.filter_list import ListModal
from frontdesk.tui.dialogs.form import ShortForm
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

MAX_ROWS = 14
_UNNAMED = "\x00"
"""Precedes the key of a row for an id that has no name."""

Save = Callable[[Sequence[Row]], None]
"""Saves the rows of a catalogue; raises NotSaved."""

Check = Callable[[str, str], str]
"""Returns what is wrong with the value of a key; empty where nothing is."""


def row_form(
    kind: CatalogueKind, row: Row, others: Sequence[Row], check: Check = lambda *_: "", *, is_new: bool
) -> ShortForm:
    """Return the dialog that asks for the values of one row.

    Args:
        row: its values so far; `others` are the other rows of the catalogue.
        check: finds what else is wrong with a value.
        is_new: whether the catalogue doesn't have it yet.
    """

    def question(key: str, label: str) -> Question:
        def fault(value: str) -> str:
            return field_fault(kind, key, value, others) or check(key, value)

        return Question(key, label, fault=fault, is_required=kind.fields[key].is_needed)

    verb = "Add" if not row else "Name" if is_new else "Change"
    questions = (question(key, field.label) for key, field in kind.fields.items())
    first = kind.name_key if row.get(kind.id_key) else kind.id_key
    return ShortForm(trusted(f"{verb} a {kind.one}"), questions, row, first)


class CatalogueDialog(ListModal, Dialog[None]):
    """Shows the rows of a catalogue, and the ids that have no name yet; each change is saved.

    Args:
        unnamed: ids that were seen without a name, each with the name to propose; empty for none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("a"), "add", "add"),
        Binding("enter", "change", "change", priority=True),
        Binding(with_layout_keys("x") + ",delete", "delete", "delete"),
        Binding(with_layout_keys("u"), "undo", "undo"),
        Binding(with_layout_keys("K") + ",less_than_sign", "shift(-1)", "up"),
        Binding(with_layout_keys("J") + ",greater_than_sign", "shift(1)", "down"),
        Binding(with_layout_keys("q"), "close", "close"),
    ]
    DEFAULT_CSS = """
    CatalogueDialog {
        & > .dialog--box { width: 76; }
        & RowList { min-height: 1; }
        & #said { height: auto; min-height: 1; margin-top: 1; }
    }
    CatalogueDialog.-short #said { margin-top: 0; }
    """

    def __init__(
        self,
        kind: CatalogueKind,
        profile: SafeText,
        rows: Sequence[Row],
        unnamed: Mapping[str, str],
        save: Save,
        check: Check = lambda *_: "",
    ) -> None:
        moves = (("J K", "move"),) if kind.order_note else ()
        keys = keys_line(
            ("enter", "change"), ("a", "add"), ("x", "delete"), *moves, ("u", "undo"), ("esc", "close")
        )
        super().__init__(show_line(f"{kind.title} · {profile.text}", 60), keys=keys)
        self._kind, self._saved, self._save, self._check = kind, [*rows], save, check
        self._unnamed = unnamed
        self._before: list[list[Row]] = []
        self._rows = RowList(
            self._draw, empty=((span(f"No {kind.title.lower()} yet. Press a to add one."),),), can_mark=False
        )
        self._said = Note(EMPTY, id="said")

    def compose_body(self) -> Iterable[Widget]:
        yield self._rows
        yield self._said

    def on_mount(self) -> None:
        self._list()
        self._rows.focus()
        self._say("Changes are saved to config.toml at once; the rest of the file is untouched.")

    def on_resize(self) -> None:
        self.set_height(self._rows, min(max(1, len(self._rows.keys)), MAX_ROWS), 0.6)

    def _list(self, at: str = "") -> None:
        named = {self._id_of(row) for row in self._saved}
        keys = [self._id_of(row) for row in self._saved]
        keys += [f"{_UNNAMED}{each}" for each in self._unnamed if each not in named]
        self._rows.set_keys(keys)
        self._rows.refresh_keys(keys)
        if at in keys:
            self._rows.move_to(at)
        self.on_resize()

    def _id_of(self, row: Row) -> str:
        return row[self._kind.id_key]

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key.startswith(_UNNAMED):
            seen, proposed = Span(show_line(key[1:], 60), Role.DIM), self._unnamed[key[1:]]
            note = show_line(f"{proposed}?" if proposed else "seen, no name yet", 40)
            return (fit((span("  "), seen), width, (Span(note, Role.DIM),)),)
        row = next(each for each in self._saved if self._id_of(each) == key)
        extra = row.get("color", "")
        name = Span(show_line(row[self._kind.name_key], 60), Role.STRONG)
        detail = row[self._kind.detail_key]
        right = show_line(f"{extra}  {detail}" if extra else detail, 40)
        return (fit((span("  "), name), width, (Span(right, Role.DIM),)),)

    def _say(self, words: str, role: Role = Role.DIM) -> None:
        self._said.set_line((Span(show_line(words, 300), role),))

    def action_add(self) -> None:
        self._ask({}, None)

    def action_change(self) -> None:
        key = self._rows.cursor_key
        if key is None:
            self._ask({}, None)
        elif key.startswith(_UNNAMED):
            self._ask({self._kind.id_key: key[1:], self._kind.name_key: self._unnamed[key[1:]]}, None)
        else:
            self._ask(next(each for each in self._saved if self._id_of(each) == key), key)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_change()

    def _ask(self, row: Row, key: str | None) -> None:
        others = [each for each in self._saved if self._id_of(each) != key]

        def answered(new: Row) -> None:
            rows = [new if self._id_of(each) == key else each for each in self._saved]
            self._put(
                rows if key is not None else [*rows, new], self._id_of(new), f"Saved {new[self._kind.name_key]}."
            )

        self.app.push_screen(
            row_form(self._kind, row, others, self._check, is_new=key is None), on_answer(answered)
        )

    def action_delete(self) -> None:
        key = self._rows.cursor_key
        row = next((each for each in self._saved if self._id_of(each) == key), None)
        if row is None:
            return
        if not can_delete(self._kind, row):
            self._say("The platform always has this status; you can change its name and place.", Role.WARN)
            return
        rows = [each for each in self._saved if each is not row]
        self._put(rows, "", f"Deleted {row[self._kind.name_key]}. u takes it back.")

    def action_shift(self, steps: int) -> None:
        keys = [self._id_of(each) for each in self._saved]
        key = self._rows.cursor_key
        if not self._kind.order_note or key not in keys:
            return
        at = keys.index(key)
        if 0 <= at + steps < len(keys):
            rows = [*self._saved]
            rows.insert(at + steps, rows.pop(at))
            self._put(rows, key, self._kind.order_note)

    def action_undo(self) -> None:
        """Save the rows as they were before the last change in this dialog."""
        if not self._before:
            self._say("Nothing to undo here.")
            return
        rows = self._before.pop()
        if self._put(rows, "", "Undone."):
            self._before.pop()

    def _put(self, rows: list[Row], at: str, words: str) -> bool:
        before = self._saved
        try:
            self._save(rows)
        except NotSaved as error:
            self._say(f"✗ Couldn't save: {error}", Role.BAD)
            return False
        self._saved = rows
        self._before.append(before)
        self._list(at)
        self._say(words, Role.GOOD)
        return True


def kind_picker(counts: Mapping[str, int]) -> PickerDialog:
    """Make the dialog that asks which catalogue to edit; `counts` are its rows by key."""
    choices = [
        NamedChoice(each.key, trusted(each.title), trusted(f"{counts[each.key]:,} named")) for each in CATALOGUES
    ]
    choices.append(NamedChoice(VIEWS.key, trusted(VIEWS.title), trusted(f"{counts[VIEWS.key]:,} of your own")))
    return PickerDialog(
        trusted("Names and views in your configuration"),
        choices,
        placeholder="lines, people, statuses, tags, views",
    )
