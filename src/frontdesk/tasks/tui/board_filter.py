"""The board's filter, its matching tasks, and the choices for its dialog."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import TaskRecord
from frontdesk.sync import status_view
from frontdesk.tasks import filter_query
from frontdesk.tasks import store as task_store
from frontdesk.tasks.filter_query import NOBODY, FilterProgress, TaskField, TaskFilter, TaskTerm
from frontdesk.tasks.view import filter as words
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.tui.context import AppContext

if TYPE_CHECKING:
    from frontdesk.tasks.filter import FilterNames
    from frontdesk.tasks.tui.filter_dialog import TaskFilterDialog

CUSTOMERS = 6
"""So many customers are offered whose name or number holds what was typed."""

Listed = dict[StatusId, list[TaskId]]


class BoardFilter:
    """The filter of one board.

    Attributes:
        listed: the matching tasks of each status; None without a filter.
        progress: how much of them was fetched.
    """

    def __init__(self, app_context: AppContext, kept: object):
        self._app_context = app_context
        self.filter = _filter_from_json(kept)
        self.listed: Listed | None = None
        self.progress: FilterProgress | None = None

    @property
    def kept(self) -> list[list[object]]:
        """Return the filter, to be kept over a restart."""
        return [[str(term.field), term.value, term.is_not] for term in self.filter.terms]

    def apply(self, wanted: TaskFilter) -> None:
        self.filter = wanted
        self.read()

    def read(self) -> None:
        """Read the matching tasks."""
        db = self._app_context.store.reading
        self.listed = filter_query.matching(db, self.filter, self._app_context.clock()) if self.filter else None
        self.progress = filter_query.stand(db, self.filter.scope) if any(self.filter.scope) else None

    def bar(self) -> tuple[Line, ...]:
        """Return the filter and its progress in a long and a short form; nothing without one."""
        if not self.filter:
            return (EMPTY,)
        count = sum(map(len, (self.listed or {}).values()))
        left = (span("filter  ", Role.ACCENT), *words.in_words(self.filter, self._app_context.view()))
        return left, *words.standing(self.filter, self.progress, count)

    def why_empty(self) -> tuple[Line, ...]:
        """Return why a column is empty."""
        health = clients.health(self._app_context.store.reading)
        if health.fresh_at is None and not self.filter:
            said = status_view.before_first_in_few_words(health, self._app_context.view())
            return tuple((span(each, Role.DIM),) for each in said)
        return words.why_empty(self.filter, self.progress, self._app_context.view())

    def header(self) -> Line:
        """Return the filtered lines, for the header."""
        return words.line_words(self.filter, self._app_context.view())

    def typed(self, names: "FilterNames") -> str:
        """Return the filter as it would be typed."""
        from frontdesk.tasks.filter import written

        return written(self.filter, names) + " " * bool(self.filter)

    def names(self) -> "FilterNames":
        """Return the names of lines and agents; scans every task."""
        from frontdesk.tasks.filter import FilterNames

        db, catalogue = self._app_context.store.reading, self._app_context.store.catalogue
        return FilterNames.of(catalogue, record_lookup.lines_seen(db), task_store.people_seen(db))

    def dialog(self, names: "FilterNames", card: TaskRecord | None, draft: str) -> "TaskFilterDialog":
        """Build the filter's dialog with its choices."""
        from frontdesk.tasks.filter import parse, term_written
        from frontdesk.tasks.tui.filter_dialog import TaskFilterDialog, TermChoice

        view = self._app_context.view()

        def choice(term: TaskTerm, says: str = "", name: SafeText | None = None) -> TermChoice:
            shown = words.value_of(term, view) if name is None else name
            return TermChoice(term_written(term, names), str(term.field), shown, show_line(says, 30))

        def of_customers(typed: str) -> Sequence[TermChoice]:
            hits = full_text.find_customers(self._app_context.store.reading, typed, CUSTOMERS)
            return [
                choice(TaskTerm(TaskField.CONVERSATION, hit.conversation_id), hit.text, show_line(hit.name, 40))
                for hit in hits
                if hit.conversation_id is not None
            ]

        def understood(typed: str) -> Line:
            return words.in_words(parse(typed, names), view) or (span("nothing typed: all tasks", Role.DIM),)

        lines = sorted(names.lines, key=lambda each: names.lines[each])
        agents = sorted(
            names.agents, key=lambda each: (each != self._app_context.store.catalogue.me, each != NOBODY)
        )
        choices = [choice(TaskTerm(TaskField.LINE, each), each) for each in lines]
        choices += [choice(TaskTerm(TaskField.AGENT, each), each) for each in agents]
        if card is not None and card.conversation_id is not None:
            record = record_lookup.conversation(self._app_context.store.reading, card.conversation_id)
            name = show_line(card.customer_name, 40) if record is None else customer_of(record)
            choices.append(choice(TaskTerm(TaskField.CONVERSATION, card.conversation_id), "of this card", name))
        return TaskFilterDialog(choices, of_customers, understood, draft=draft)


def _filter_from_json(kept: object) -> TaskFilter:
    """Parse what was kept, as far as it is valid."""
    terms: list[TaskTerm] = []
    for each in kept if isinstance(kept, list) else ():
        match each:
            case [str(field), str(value), bool(is_not)] if field in set(TaskField):
                terms.append(TaskTerm(TaskField(field), value, is_not))
    return TaskFilter(tuple(terms))
