"""TagDialog: tags to give to the conversations it was opened on; tags cannot be taken off."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget
from textual.widgets import Static

from frontdesk.present.lines import Line, Role, Span, fit, span
from frontdesk.text import NOTHING, Shown, show_line
from frontdesk.tui.dialogs.dialog import Note
from frontdesk.tui.dialogs.filtering import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.safe import content

NEW = "\x00new"
ONLY_GIVEN = "Tags can only be given: the platform's interface has no way to take one off."
HELD = "Sent in 5 s; u takes it back before."


@dataclass(frozen=True, slots=True)
class TagChoice:
    """A tag that is known here.

    Attributes:
        id: the tag's id.
        title: its name.
        color: its colour in words or as the platform writes it, shown as text.
        given_at: when it was given from here to all it would be given to; empty if it was not.
    """

    id: str
    title: Shown
    color: Shown = NOTHING
    given_at: Shown = NOTHING


class TagDialog(FilterDialog[frozenset[str]]):
    """Answers with the ids of the tags to give."""

    def __init__(self, title: Shown, tags: Sequence[TagChoice], *, draft: str = "") -> None:
        super().__init__(
            title,
            [Choice(tag.id, f"{tag.title.text} {tag.id}") for tag in tags],
            keys=keys_line(("tab", "mark"), ("enter", "give"), ("esc", "close")),
            placeholder="Type a tag's name or id",
            empty="No tags are known yet. Type an id.",
            draft=draft,
        )
        self._tags = {tag.id: tag for tag in tags}
        self._picked: dict[str, None] = {}
        self._summary = Note()

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary
        yield Static(content((span(f"{ONLY_GIVEN} {HELD}", Role.DIM),)), classes="dialog--note")

    def found(self, typed: str) -> list[str]:
        """The tags that match, and what was typed as an id that is not known here."""
        found = super().found(typed)
        if typed and typed not in self._tags and typed not in self._picked:
            found.append(NEW)
        if not typed:
            found += [key for key in self._picked if key not in self._tags]
        return found

    def toggle(self, key: str) -> None:
        """Mark a tag, and clear what was typed so that the next one can be typed."""
        key = self.typed if key == NEW else key
        if key in self._picked:
            del self._picked[key]
        else:
            self._picked[key] = None
        self._say_picked()
        if self._field.value:
            self._field.value = ""
        else:
            self._rows.refresh_keys([key])
            self._rows.set_keys(self.found(""))

    def accept(self) -> None:
        """Give the marked tags, else the one under the cursor."""
        if not self._picked and self._rows.cursor_key is not None:
            key = self._rows.cursor_key
            self._picked[self.typed if key == NEW else key] = None
        if self._picked:
            self.done(frozenset(self._picked))

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a tag."""
        if key == NEW:
            name = Span(show_line(self.typed), Role.STRONG)
            return (fit((span("+ new id "), name, span("  not known here", Role.WARN)), width),)
        box = span("✓ ", Role.GOOD) if key in self._picked else span("· ", Role.DIM)
        tag = self._tags.get(key)
        if tag is None:
            return (fit((box, Span(show_line(key)), span("  not known here", Role.WARN)), width),)
        given = (span("given from here ", Role.DIM), Span(tag.given_at, Role.DIM)) if tag.given_at else ()
        colour = (span("  "), Span(tag.color, Role.DIM)) if tag.color else ()
        return (fit((box, span("#", Role.DIM), Span(tag.title), *colour), width, given),)

    def _narrow(self) -> None:
        # What is typed stands in its row, so that row is never the one drawn before.
        self._rows.refresh_keys([NEW, *self._picked])
        super()._narrow()

    def _say_picked(self) -> None:
        names = [self._tags[key].title if key in self._tags else show_line(key) for key in self._picked]
        words = [part for name in names for part in (span("  #", Role.DIM), Span(name, Role.STRONG))]
        self._summary.say((span("To give:", Role.DIM), *words) if words else ())
