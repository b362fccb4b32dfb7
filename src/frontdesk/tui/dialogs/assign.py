"""AssignDialog: people put on and taken off the tasks it was opened on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget

from frontdesk.present.lines import Line, Role, Span, fit, span
from frontdesk.text import NOTHING, Shown
from frontdesk.tui.dialogs.dialog import Note
from frontdesk.tui.dialogs.filtering import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line


@dataclass(frozen=True, slots=True)
class PersonChoice:
    """A person who can be assigned.

    Attributes:
        id: the agent's id.
        name: the name, or the id where no name is known.
        is_me: whether this is the profile's own agent.
        is_on: whether they are on all the tasks; None where on some of them.
        seen: where they are known from, in words.
    """

    id: str
    name: Shown
    is_me: bool = False
    is_on: bool | None = False
    seen: Shown = NOTHING


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who is put on and who is taken off; everybody else stays as they are."""

    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()


class AssignDialog(FilterDialog[Assignment]):
    """Answers with the people to add and to remove."""

    def __init__(self, title: Shown, people: Sequence[PersonChoice], *, draft: str = "") -> None:
        ordered = sorted(people, key=lambda person: (not person.is_me, person.is_on is False))
        super().__init__(
            title,
            [Choice(person.id, f"{person.name.text} {person.id}") for person in ordered],
            keys=keys_line(("tab", "on or off"), ("enter", "apply"), ("esc", "close")),
            placeholder="Type a name",
            empty="Nobody by that name was seen in a task or set in the config.",
            draft=draft,
        )
        self._people = {person.id: person for person in ordered}
        self._wanted: dict[str, bool] = {}
        self._summary = Note()

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary

    def toggle(self, key: str) -> None:
        """Put a person on or take them off; those on some of the tasks are put on all first."""
        now = self._wanted.get(key, self._people[key].is_on)
        wanted = now is not True
        if wanted is self._people[key].is_on:
            self._wanted.pop(key, None)
        else:
            self._wanted[key] = wanted
        self._rows.refresh_keys([key])
        self._say_changes()

    def accept(self) -> None:
        """Apply what was toggled; where nothing was, toggle the person under the cursor and apply."""
        if not self._wanted and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
        if self._wanted:
            add = frozenset(key for key, on in self._wanted.items() if on)
            self.done(Assignment(add, frozenset(self._wanted) - add))

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a person."""
        person = self._people[key]
        wanted = self._wanted.get(key)
        change = span("  ") if wanted is None else span("+ ", Role.GOOD) if wanted else span("− ", Role.BAD)
        on = self._wanted.get(key, person.is_on)
        box = span("● ", Role.ACCENT) if on else span("◐ ", Role.DIM) if on is None else span("○ ", Role.DIM)
        me = (span("  you", Role.DIM),) if person.is_me else ()
        name = Span(person.name, Role.STRONG if on else Role.TEXT)
        return (fit((change, box, name, *me), width, (Span(person.seen, Role.DIM),)),)

    def _say_changes(self) -> None:
        add = sum(self._wanted.values())
        remove = len(self._wanted) - add
        words = [f"{add} to add" if add else "", f"{remove} to take off" if remove else ""]
        self._summary.say((span(" · ".join(filter(None, words)), Role.STRONG),) if self._wanted else ())
