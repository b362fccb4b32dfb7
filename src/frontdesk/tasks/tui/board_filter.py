"""The board's filter: its dialog, its matching tasks, and its choices."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.coverage import tasks_precision
from frontdesk.storage.record_lookup import CUSTOMER, customer_of, name_on_task
from frontdesk.storage.records import TaskRecord
from frontdesk.sync import status_view
from frontdesk.tasks import store as task_store
from frontdesk.tasks import task_filter
from frontdesk.tasks import view as words
from frontdesk.tasks.task_filter import (
    NOBODY,
    FilterNames,
    FilterProgress,
    TaskFilter,
    TaskTerm,
    TermField,
    format_filter,
    format_term,
    last_term,
    parse,
)
from frontdesk.text.fuzzy import rank_matches
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_lines.content import prefill
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, show_name, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note


@dataclass(frozen=True, slots=True)
class TermChoice:
    """A term to pick.

    Attributes:
        typed: the term as it is typed, `line:Support`.
        kind: the field, `line`.
    """

    typed: str
    kind: str
    name: SafeText
    details: SafeText = NOTHING


class TaskFilterDialog(FilterDialog[str]):
    """A dialog for the filter as it was typed; empty for none."""

    keys = keys_line(("tab", "pick"), ("-", "not"), ("enter", "filter"), ("esc", "close"))
    placeholder = "words, line:, agent:, conversation:"
    empty = "No match. Press enter to search for these words."

    def __init__(
        self,
        choices: Sequence[TermChoice],
        customers: Callable[[str], Sequence[TermChoice]],
        understood: Callable[[str], TaskFilter],
        describe: Callable[[TaskFilter], Line],
        *,
        draft: str = "",
        in_use: bool = False,
    ) -> None:
        """Prepare the dialog.

        Args:
            customers: finds conversations whose customer has these words.
            in_use: whether the draft is the current filter, which typing adds to.
        """
        matched = [Choice(each.typed, f"{each.name.text} {each.details.text}") for each in choices]
        super().__init__(trusted("Filter the board"), matched, draft=draft)
        self._by_typed = {each.typed: each for each in choices}
        self._found: dict[str, TermChoice] = {}
        self._customers = customers
        self._understood, self._describe = understood, describe
        self.selects_draft = not in_use
        self._note = Note(classes="dialog--below dialog--note")
        self._is_picked = False

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._note

    def on_mount(self) -> None:
        self._update_preview()

    def matches(self, typed: str) -> list[str]:  # noqa: ARG002 - the blank at the end counts here
        _, _, kind, value = last_term(self._field.value)
        choices = [each for each in self._by_typed.values() if kind in ("", each.kind)]
        if value and kind in ("", "conversation"):
            customers = self._customers(value)
            self._found |= {each.typed: each for each in customers}
        else:
            customers = ()
        known = {each.typed for each in customers}
        choices = [each for each in choices if each.typed not in known]
        if value:
            choices = rank_matches(value, [(each, f"{each.name.text} {each.typed}") for each in choices])
        return [each.typed for each in (*choices, *customers)]

    def toggle(self, key: str) -> None:
        before, minus, _, _ = last_term(self._field.value)
        prefill(self._field, f"{before}{minus}{key} ")
        self._field.cursor_position = len(self._field.value)
        self._is_picked = False

    def accept(self) -> None:
        """Answer with the line, with the selected choice as its last term."""
        if self._is_picked and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
        if not self._understood(self.typed).faults:
            self.done(self.typed)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        choice = self._by_typed.get(key) or self._found[key]
        name = (span(f"{choice.kind:<13}", Role.DIM), Span(choice.name, Role.STRONG))
        return (fit(name, width, (Span(choice.details, Role.DIM),)),)

    def action_move(self, rows: int) -> None:
        self._is_picked = True
        super().action_move(rows)

    @on(Input.Changed)
    def _update_preview(self) -> None:
        self._is_picked = False
        wanted = self._understood(self._field.value)
        # What has to be corrected comes first, in full.
        self._note.set_line(self._describe(TaskFilter((), wanted.faults) if wanted.faults else wanted))


MAX_CUSTOMERS = 6
"""So many customers are offered whose name or number holds what was typed."""

Listed = dict[StatusId, list[TaskId]]


class BoardFilter:
    """The filter of one board.

    Attributes:
        listed: the matching tasks of each status; None without a filter.
    """

    def __init__(self, app_context: AppContext, kept: object):
        self._app_context = app_context
        self._db = app_context.store.reading
        self.filter = _filter_from_json(kept)
        self.listed: Listed | None = None
        self.snoozed: Listed = {}
        self.progress: FilterProgress | None = None

    @property
    def kept(self) -> list[list[object]]:
        return [[str(term.field), term.value, term.is_not] for term in self.filter.terms]

    def apply(self, wanted: TaskFilter) -> None:
        self.filter = wanted
        self.read()

    def read(self) -> None:
        now = self._app_context.clock()
        self.listed = task_filter.matching(self._db, self.filter, now) if self.filter else None
        self.snoozed = task_filter.snoozed(self._db, now)
        self.progress = task_filter.progress_of(self._db, self.filter.scope) if any(self.filter.scope) else None

    def bar(self) -> tuple[Line, ...]:
        """Return the filter and its progress in a long and a short form; nothing without one."""
        if not self.filter:
            return (EMPTY,)
        count = sum(map(len, (self.listed or {}).values()))
        left = (span("filter  ", Role.ACCENT), *words.filter_line(self.filter, self._app_context.view()))
        precision = tasks_precision(self._db)
        return left, *words.progress_lines(self.filter, self.progress, count, precision)

    def why_empty(self) -> tuple[Line, ...]:
        health = clients.health(self._db)
        if health.fresh_at is None and not self.filter:
            said = status_view.before_first_in_few_words(health, self._app_context.view())
            return tuple((span(each, Role.DIM),) for each in said)
        precision = tasks_precision(self._db)
        return words.why_empty(self.filter, self.progress, precision, self._app_context.view())

    @property
    def has_lines(self) -> bool:
        return any(term.field is TermField.LINE for term in self.filter.terms)

    def header(self) -> Line:
        return words.line_words(self.filter, self._app_context.view())

    def typed(self, names: FilterNames) -> str:
        return format_filter(self.filter, names) + " " * bool(self.filter)

    def names(self) -> FilterNames:
        """Return the names of lines and agents; scans every task."""
        db, catalogue = self._db, self._app_context.store.catalogue
        return FilterNames.of(catalogue, record_lookup.lines_seen(db), task_store.assigned_people(db))

    def dialog(self, names: FilterNames, card: TaskRecord | None, given_up: str) -> TaskFilterDialog:
        """Build the filter's dialog with its choices; `given_up` is what was typed last and not used."""
        view = self._app_context.view()

        def choice(term: TaskTerm, details: str = "", name: SafeText | None = None) -> TermChoice:
            shown = words.term_value(term, view) if name is None else name
            return TermChoice(format_term(term, names), str(term.field), shown, show_line(details, 30))

        def of_customers(typed: str) -> Sequence[TermChoice]:
            hits = full_text.find_customers(self._db, typed, MAX_CUSTOMERS)
            return [
                choice(
                    TaskTerm(TermField.CONVERSATION, each),
                    hit.text,
                    show_name(hit.name, 40, kind=CUSTOMER, key=each),
                )
                for hit in hits
                if (each := hit.conversation_id) is not None
            ]

        def understood(typed: str) -> TaskFilter:
            return parse(typed, names)

        def describe(wanted: TaskFilter) -> Line:
            return words.filter_line(wanted, view) or (span("no filter: all tasks", Role.DIM),)

        lines = sorted(names.lines, key=lambda each: names.lines[each])
        agents = sorted(
            names.agents, key=lambda each: (each != self._app_context.store.catalogue.me, each != NOBODY)
        )
        choices = [choice(TaskTerm(TermField.LINE, each), each) for each in lines]
        choices += [choice(TaskTerm(TermField.AGENT, each), each) for each in agents]
        if card is not None and card.conversation_id is not None:
            record = record_lookup.conversation(self._db, card.conversation_id)
            name = name_on_task(card, 40) if record is None else customer_of(record)
            choices.append(
                choice(TaskTerm(TermField.CONVERSATION, card.conversation_id), "customer of this card", name)
            )
        draft, in_use = given_up or self.typed(names), not given_up
        return TaskFilterDialog(choices, of_customers, understood, describe, draft=draft, in_use=in_use)


def _filter_from_json(kept: object) -> TaskFilter:
    """Parse what was kept, as far as it is valid."""
    terms: list[TaskTerm] = []
    for each in kept if isinstance(kept, list) else ():
        match each:
            case [str(field), str(value), bool(is_not)] if field in set(TermField):
                terms.append(TaskTerm(TermField(field), value, is_not))
    return TaskFilter(tuple(terms))
