"""Since when a customer waits: the same in lists, filters, clocks, numbers, sentences and documents."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any, NamedTuple

import pytest

from frontdesk.automation import record_documents
from frontdesk.config.facts import words
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox import filter_words
from frontdesk.inbox.cli import conversations as conversations_cli
from frontdesk.inbox.linear import sentences
from frontdesk.inbox.store import conversations, threads
from frontdesk.inbox.store.customer_history import customer_history
from frontdesk.inbox.view.conversation_row import RowFacts, compact_row, customer_facts, row, wait_words
from frontdesk.metrics import facts as metrics_facts
from frontdesk.metrics import store as metrics
from frontdesk.metrics.periods import parse_period
from frontdesk.service_clocks.clocks import read_answers, response_clock, wait_of
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, ConversationRecord, RecordRef
from frontdesk.tasks import store as task_store
from frontdesk.text import relative_time
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.lines import Line
from sample_json import raw_message, raw_task
from sample_records import VIEW
from service_clocks.desk import POLICY
from services import Services

HERE, START, MINUTE, HOUR = ConversationId("L1#C1"), 1_790_000_000.0, 60.0, 3600.0


def said(minute: int, who: str = "", **fields: Any) -> dict[str, Any]:
    sent = {"messageDirection": "outgoing", "initiator": who} if who else {}
    return raw_message(minute, createdAt=(START + minute * MINUTE) * 1000, **sent, **fields)


class Case(NamedTuple):
    """A thread three hours after its beginning.

    Attributes:
        since: the minute since which the customer waits; None for nobody.
        again: the minute of what they wrote last, where that is another message.
        is_marked: whether a person has marked after `messages` that no answer is needed.
        later: messages after that.
        has_gap: whether older messages of the thread weren't read.
        is_behind: whether a task has a sign of a newer message, which wasn't read.
    """

    messages: list[dict[str, Any]]
    since: int | None
    again: int | None = None
    is_marked: bool = False
    later: Sequence[dict[str, Any]] = ()
    has_gap: bool = False
    is_behind: bool = False


CASES = {
    "wrote once": Case([said(10)], 10),
    "wrote again": Case([said(10), said(60)], 10, 60),
    "was answered": Case([said(10), said(20, "person")], None),
    "wrote after the answer": Case([said(10), said(20, "person"), said(30), said(60)], 30, 60),
    "bots, campaigns and the AI answer nothing": Case(
        [said(10), said(20, "bot"), said(30, "campaign"), said(40, "ai")], 10
    ),
    "notes and what the platform says are no message": Case(
        [said(10), said(20, "person", type="note"), said(30, "person", type="informative")], 10
    ),
    "a deleted question keeps nobody waiting": Case([said(10, type="deleted")], None),
    "we wrote first": Case([said(10, "person")], None),
    "needs no answer": Case([said(10), said(20)], None, is_marked=True),
    "wrote after the mark": Case([said(10)], 30, 60, is_marked=True, later=[said(30), said(60)]),
    "an answer may lie in the gap": Case([said(70), said(80)], 70, 80, has_gap=True),
    "may have been answered elsewhere": Case([said(10)], 10, is_behind=True),
    "may have written": Case([said(10), said(20, "person")], None, is_behind=True),
}


def _fill(store: Store, services: Services, case: Case) -> ConversationRecord:
    if case.has_gap:
        _put(store, [said(1)])
    _put(store, case.messages, has_gap=case.has_gap)
    if case.is_marked:
        assert services.inbox.set_needs_answer([_record(store)], needs_answer=False).result().count == 1
        _put(store, [*case.messages, *case.later])
    if case.is_behind:
        customer = {"phoneNumberId": "C1", "lastActiveAt": START + 100 * MINUTE}
        store.write(lambda db: task_store.put(db, [raw_task(1, customer=customer)])).result()
    return _record(store)


def _put(store: Store, raws: list[dict[str, Any]], *, has_gap: bool = False) -> None:
    page = sorted(raws, key=lambda raw: raw["createdAt"], reverse=True)
    read_at = START + 90 * MINUTE
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=has_gap, now=read_at)).result()


def _record(store: Store) -> ConversationRecord:
    found = record_lookup.conversation(store.reading, HERE)
    assert found is not None
    return found


def _text(*lines: Line) -> str:
    return "\n".join(words(line, VIEW).text for line in lines)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_who_waits_and_since_when_is_the_same_everywhere(store: Store, services: Services, case: Case) -> None:
    record, now = _fill(store, services, case), START + 3 * HOUR
    view = RenderContext(VIEW.names, VIEW.glyphs, now, VIEW.zone)
    at = None if case.since is None else START + case.since * MINUTE
    waited = None if at is None else now - at
    again = None if case.again is None else now - START - case.again * MINUTE
    doubt = "?" if case.is_behind else ""
    assert wait_of(record, now) == (waited, again, doubt)

    profile, db = services.store.profile, store.reading
    asks = ("waiting>1h", "is:waiting")
    terms = (filter_words.wanted(filter_words.parse(each), profile, now) for each in asks)
    assert [conversations.count(db, each) for each in terms] == [int(at is not None)] * 2
    answers = read_answers(db, 1, is_current=not case.is_behind)
    assert answers.waiting_from == at
    clock = response_clock(POLICY, answers)
    is_known = not (case.has_gap or case.is_behind)
    assert (clock is not None and clock.due_at is not None) is (at is not None and is_known)

    short = "" if waited is None else relative_time.short_duration(waited)
    drawn = _text(*row(record, 60, view)), _text(*compact_row(record, 90, view))
    assert [f"{short} wait{doubt}" in each for each in drawn] == [bool(short)] * 2
    other_order = _text(*row(record, 60, view, RowFacts(ConversationOrder.NAME)))
    assert (view.glyphs.waiting in other_order) is bool(short)
    history = customer_history(store.reading, HERE, ())
    drawn_facts = {each.name: words(each.value, view).text for each in customer_facts(record, view, history)}
    last = "" if again is None else f", last {relative_time.short_duration(again)} ago"
    nobody = "no answer needed" if case.is_marked else "unknown" if doubt else "no"
    assert drawn_facts["waiting"] == (f"{short}{doubt}{last}" if short else nobody)

    told = sentences.conversation(record, view).text
    facts = [each.text for each in sentences.conversation_facts(record, view, history)]
    spoken = wait_words(wait_of(record, now))
    assert (f"waiting for {spoken}" in told, "last wrote" in spoken) == (bool(short), again is not None)
    assert f"Waiting: {spoken or nobody}." in facts
    assert ("waiting time unknown" in told) is bool(doubt)

    listed = conversations_cli._Row(record, None)
    known = conversations_cli._json(services.store, listed)
    assert (known["waitingSince"], known["waitingKnown"]) == (at, not doubt)
    assert ("?" in conversations_cli._cells(services.store, listed)[5]) is bool(doubt)
    document = record_documents.document(services.store, RecordRef("conversation", HERE))
    assert document is not None
    assert document["conversation"]["waiting_since"] == at
    assert document["conversation"]["waiting_known"] is not bool(doubt)

    _put(store, [*case.messages, *case.later, said(120, "person")], has_gap=case.has_gap)
    store.write(lambda db: metrics.count_batch(db, 100)).result()
    answered = START + 120 * MINUTE
    groups = metrics_facts.responses(db, parse_period("2", answered, UTC))
    counted = [each.seconds for group in groups for each in group.each() if each.at == answered]
    expected = [] if at is None else [answered - at]
    assert counted == ([None] if case.has_gap else expected)
