"""AssignDialog: people put on and taken off the tasks it was opened on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.dialogs.multi_select import box, draft_of, read_draft
from frontdesk.tui.keymap import keys_line

NEW = "\x00new"
UNCHECKED = "nobody can check it"


@dataclass(frozen=True, slots=True)
class PersonChoice:
    """A person who can be assigned.

    Attributes:
        id: the agent's id.
        name: the name, or the id where no name is known.
        is_me: whether this is the profile's own agent.
        is_on: whether they are on all the tasks; None where on some of them.
        seen: on how many they are or where they are known from, in words.
    """

    id: str
    name: SafeText
    is_me: bool = False
    is_on: bool | None = False
    seen: SafeText = NOTHING


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who is put on and who is taken off; everybody else stays as they are."""

    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()


class AssignDialog(FilterDialog[Assignment]):
    """Answers with the people to add and to remove."""

    def __init__(self, title: SafeText, people: Sequence[PersonChoice], *, draft: str = "") -> None:
        """An assign dialog.

        Args:
            title: what it works on.
            people: everybody known; me and those who are on come first.
            draft: of the dialog on the same tasks that was closed unanswered.
        """
        typed, wanted = read_draft(draft)
        ordered = sorted(people, key=lambda person: (not person.is_me, person.is_on is False))
        super().__init__(
            title,
            [Choice(person.id, f"{person.name.text} {person.id}") for person in ordered],
            keys=keys_line(("tab", "on or off"), ("enter", "apply"), ("esc", "close")),
            placeholder="Type a name, or a new id",
            empty="Nobody was seen in a task or set in the config yet. Type an id.",
            draft=typed,
        )
        self._people = {person.id: person for person in ordered}
        self._wanted = wanted
        self._summary = Note(self._summary_line(), classes="dialog--below")

    @property
    def draft(self) -> str:
        """What is typed and toggled and would be lost."""
        return draft_of(self._field.value, self._wanted)

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._summary

    def found(self, typed: str) -> list[str]:
        """The people that match, and what was typed as an id that is not known here."""
        found = super().found(typed)
        if typed and typed not in self._people and typed not in self._wanted:
            found.append(NEW)
        return found if typed else [*(key for key in self._wanted if key not in self._people), *found]

    def toggle(self, key: str) -> None:
        """Put a person on or take them off; those on some of the tasks are put on all first.

        What was typed is cleared so that the next one can be typed.
        """
        key = self.typed if key == NEW else key
        now = self._wanted.get(key, self._is_on(key))
        wanted = now is not True
        if wanted is self._is_on(key):
            self._wanted.pop(key, None)
        else:
            self._wanted[key] = wanted
        self._summary.say(self._summary_line())
        if self._field.value:
            self._field.value = ""
        else:
            self._rows.refresh_keys([key])
            self.list_keys(self.found(""))

    def accept(self) -> None:
        """Apply what was toggled; where nothing was, toggle the person under the cursor and apply.

        Who is typed beside others is toggled first.
        """
        if self._wanted and self.typed and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
            return
        if not self._wanted and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
        if self._wanted:
            add = frozenset(key for key, on in self._wanted.items() if on)
            self.done(Assignment(add, frozenset(self._wanted) - add))

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a person."""
        if key == NEW:
            name = Span(show_line(self.typed), Role.STRONG)
            return (fit((span("+ new id "), name), width, (span(UNCHECKED, Role.WARN),)),)
        wanted = self._wanted.get(key)
        change = span("  ") if wanted is None else span("+ ", Role.GOOD) if wanted else span("− ", Role.BAD)
        person = self._people.get(key)
        if person is None:
            return (fit((change, box(wanted), Span(show_line(key))), width, (span("new id", Role.WARN),)),)
        on = self._wanted.get(key, person.is_on)
        me = (span("  you", Role.DIM),) if person.is_me else ()
        name = Span(person.name, Role.STRONG if on else Role.TEXT)
        return (fit((change, box(on), name, *me), width, (Span(person.seen, Role.DIM),)),)

    def _change(self, key: str, on: bool) -> Line:
        """Who is put on or taken off; of an id that is not known here, that nobody can check it."""
        role = Role.GOOD if on else Role.BAD
        person = self._people.get(key)
        if person is not None:
            return (span("+" if on else "−", role), Span(person.name, role))
        return (span("+", role), Span(show_line(key, 30), role), span(f": {UNCHECKED}", Role.WARN))

    def _is_on(self, key: str) -> bool | None:
        return self._people[key].is_on if key in self._people else False

    def _narrow(self) -> None:
        # What is typed stands in its row, so that row is never the one drawn before.
        self._rows.refresh_keys([NEW, *self._wanted])
        super()._narrow()

    def _summary_line(self) -> Line:
        if self._wanted:
            words = [part for key, on in self._wanted.items() for part in (span("  "), *self._change(key, on))]
            return tuple(words[1:])
        on = [person for person in self._people.values() if person.is_on is not False]
        names = [
            part for each in on for part in (span(", ", Role.DIM), Span(each.name, Role.DIM), *_some(each.seen))
        ]
        return (span("Now: ", Role.DIM), *names[1:]) if names else (span("Nobody is on it now.", Role.DIM),)


def _some(seen: SafeText) -> Line:
    return (span(" ", Role.DIM), Span(seen, Role.DIM)) if seen else ()
