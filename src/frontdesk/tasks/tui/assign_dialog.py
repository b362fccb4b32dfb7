"""A dialog that assigns and unassigns people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice
from frontdesk.tui.dialogs.picker import NEW, UNCHECKED, MultiSelectDialog, box
from frontdesk.tui.keymap import keys_line


@dataclass(frozen=True, slots=True)
class PersonChoice:
    """A person who can be assigned.

    Attributes:
        name: the name, or the id where no name is known.
        is_me: whether this is the profile's own agent.
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
    """The people to assign and to unassign; all others stay."""

    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()


class AssignDialog(MultiSelectDialog[Assignment]):
    """A dialog for the people to add and to remove."""

    def __init__(self, title: SafeText, people: Sequence[PersonChoice], *, draft: str = "") -> None:
        """Prepare the dialog; me and those who are assigned come first. `draft` is what was typed before."""
        ordered = sorted(people, key=lambda person: (not person.is_me, person.is_on is False))
        super().__init__(
            title,
            [Choice(person.id, f"{person.name.text} {person.id}") for person in ordered],
            keys=keys_line(("tab", "on or off"), ("enter", "apply"), ("esc", "close")),
            placeholder="Type a name, or a new id",
            empty="Nobody was seen in a task or set in the config yet. Type an id.",
            draft=draft,
        )
        self._people = {person.id: person for person in ordered}
        self._summary = Note(self._summary_line(), classes="dialog--below")

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary

    def answer(self) -> Assignment:
        add = frozenset(key for key, on in self._picked.items() if on)
        return Assignment(add, frozenset(self._picked) - add)

    def update_summary(self) -> None:
        self._summary.set_line(self._summary_line())

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
        on = [person for person in self._people.values() if person.is_on is not False]
        names = [
            part for each in on for part in (span(", ", Role.DIM), Span(each.name, Role.DIM), *_some(each.seen))
        ]
        return (span("Now: ", Role.DIM), *names[1:]) if names else (span("Nobody is on it now.", Role.DIM),)


def _some(seen: SafeText) -> Line:
    return (span(" ", Role.DIM), Span(seen, Role.DIM)) if seen else ()
