"""TagDialog: tags to give to the conversations it was opened on; tags cannot be taken off."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.dialogs.multi_select import box, chip, draft_of, read_draft
from frontdesk.tui.keymap import keys_line

NEW = "\x00new"
ONLY_GIVEN = "Tags can't be taken off again."
UNCHECKED = "nobody can check it"


@dataclass(frozen=True, slots=True)
class TagChoice:
    """A tag that is known here.

    Attributes:
        id: the tag's id.
        title: its name.
        color: its colour as the platform writes it: a chip where it can be read.
        given_at: when it was given from here to all it would be given to; empty if it was not.
    """

    id: str
    title: SafeText
    color: SafeText = NOTHING
    given_at: SafeText = NOTHING


class TagDialog(FilterDialog[frozenset[str]]):
    """Answers with the ids of the tags to give.

    Attributes:
        deed: what enter does with them.
        to_do: stands before those that are marked.
        only: what to know before it is done.
        held: how it can be taken back, with the key in `{}`.
    """

    deed: ClassVar[str] = "give"
    to_do: ClassVar[str] = "To give:"
    only: ClassVar[str] = ONLY_GIVEN
    held: ClassVar[str] = "Sent after 5 s; {} before that takes them back."

    def __init__(
        self, title: SafeText, tags: Sequence[TagChoice], *, undo_key: str = "u", draft: str = ""
    ) -> None:
        """A tag dialog.

        Args:
            title: what it works on.
            tags: in the order shown, those used last first.
            undo_key: the key that takes them back.
            draft: of the dialog on the same conversations that was closed unanswered.
        """
        typed, picked = read_draft(draft)
        super().__init__(
            title,
            [Choice(tag.id, f"{tag.title.text} {tag.id}") for tag in tags],
            keys=keys_line(("tab", "mark"), ("enter", self.deed), ("esc", "close")),
            placeholder="Type a tag's name, or a new id",
            empty="No tags are known yet. Type an id.",
            draft=typed,
        )
        self._held = self.held.format(undo_key)
        self._tags = {tag.id: tag for tag in tags}
        self._picked = dict.fromkeys(picked)
        self._summary = Note(self._picked_line())
        self._warning = Note(self._warning_line())

    @property
    def draft(self) -> str:
        """What is typed and marked and would be lost."""
        return draft_of(self._field.value, dict.fromkeys(self._picked, True))

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary
        yield self._warning
        if self._held:
            yield Note((span(self._held, Role.DIM),), classes="dialog--aside")

    def found(self, typed: str) -> list[str]:
        """The tags that match, and what was typed as an id that is not known here."""
        found = super().found(typed)
        if typed and typed not in self._tags and typed not in self._picked:
            found.append(NEW)
        return found if typed else [*(key for key in self._picked if key not in self._tags), *found]

    def toggle(self, key: str) -> None:
        """Mark a tag, and clear what was typed so that the next one can be typed."""
        key = self.typed if key == NEW else key
        if key in self._picked:
            del self._picked[key]
        else:
            self._picked[key] = None
        self._summary.say(self._picked_line())
        self._warning.say(self._warning_line())
        if self._field.value:
            self._field.value = ""
        else:
            self._rows.refresh_keys([key])
            self.list_keys(self.found(""))

    def accept(self) -> None:
        """Give the marked tags, else the one under the cursor; one that is typed beside others is marked first."""
        if self._picked and self.typed and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
            return
        if not self._picked and self._rows.cursor_key is not None:
            key = self._rows.cursor_key
            self._picked[self.typed if key == NEW else key] = None
        if self._picked:
            self.done(frozenset(self._picked))

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a tag."""
        if key == NEW:
            name = Span(show_line(self.typed), Role.STRONG)
            return (fit((span("+   new id "), name), width, (span(UNCHECKED, Role.WARN),)),)
        ticked = box(key in self._picked)
        tag = self._tags.get(key)
        if tag is None:
            return (fit((ticked, span("  "), Span(show_line(key))), width, (span("new id", Role.WARN),)),)
        given = (span("given from here ", Role.DIM), Span(tag.given_at, Role.DIM)) if tag.given_at else ()
        return (fit((ticked, *chip(tag.color.text), Span(tag.title)), width, given),)

    def _narrow(self) -> None:
        # What is typed stands in its row, so that row is never the one drawn before.
        self._rows.refresh_keys([NEW, *self._picked])
        super()._narrow()

    def _picked_line(self) -> Line:
        names = [self._tags[key].title if key in self._tags else show_line(key) for key in self._picked]
        words = [part for name in names for part in (span("  #", Role.DIM), Span(name, Role.STRONG))]
        return (span(self.to_do, Role.DIM), *words) if words else EMPTY

    def _warning_line(self) -> Line:
        new = [key for key in self._picked if key not in self._tags]
        if new:
            name = Span(show_line(new[-1], 30), Role.WARN)
            return (span("! ", Role.WARN), name, span(f": {UNCHECKED}. {self.only}", Role.WARN))
        return (span(self.only, Role.DIM),)
