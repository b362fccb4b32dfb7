"""Counts in the store against a count of all messages, whatever the order in which threads are read."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.inbox.store import conversations, threads
from frontdesk.metrics import facts
from frontdesk.metrics import store as metrics
from frontdesk.metrics.facts import MessageCount, ResponseGroup, TimedResponse
from frontdesk.metrics.models import TIMED, Dimension
from frontdesk.metrics.periods import Period, parse_period
from frontdesk.metrics.store import ANSWER, AUTOMATIC, INCOMING
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import ConversationId
from new_store import open_store
from sample_json import raw_message

ZONE = ZoneInfo("Asia/Kathmandu")
NOW = 1_790_000_000.0
PERIOD = parse_period("3", NOW, ZONE)
NOTE = "note"
STEP = 420
"""Seconds between two possible messages."""


class Sent(NamedTuple):
    """A message in a test: after so many steps from the period's start, which may be before it."""

    step: int
    kind: str
    author: str = ""

    @property
    def at(self) -> float:
        return PERIOD.start + STEP * self.step


class Thread(NamedTuple):
    """A thread, and how it is read: so many pages, and whether up to its beginning."""

    sent: tuple[Sent, ...]
    pages: int
    is_whole: bool


_FIELDS: dict[str, dict[str, Any]] = {
    INCOMING: {"messageDirection": "incoming"},
    ANSWER: {"messageDirection": "outgoing", "initiator": "person"},
    AUTOMATIC: {"messageDirection": "outgoing", "initiator": "bot"},
    NOTE: {"messageDirection": "outgoing", "initiator": "person", "type": "note"},
}


def raw(conversation: str, number: int, sent: Sent) -> dict[str, Any]:
    fields = dict(_FIELDS[sent.kind])
    if sent.kind == ANSWER and sent.author:
        fields["agentIdentification"] = {"name": sent.author, "email": "someone@example.com"}
    return raw_message(number, messageId=f"{conversation}-{number:04}", **fields) | {"createdAt": sent.at * 1000}


_SENT = st.builds(
    Sent,
    st.integers(-300, 500),
    st.sampled_from([INCOMING, INCOMING, ANSWER, AUTOMATIC, NOTE]),
    st.sampled_from(["", "Noa"]),
)
_THREADS = st.lists(
    st.builds(Thread, st.lists(_SENT, max_size=14).map(tuple), st.integers(1, 4), st.booleans()), max_size=3
)


def read_page(store: Store, name: str, messages: list[dict[str, Any]], start: Any, *, has_more: bool) -> None:
    def put(db: Any) -> None:
        if start is None:
            conversations.add_by_pair(db, name, name.split("#", maxsplit=1)[0], "C")
        threads.put_page(db, ConversationId(name), messages, start=start, has_more=has_more, now=NOW)

    store.write(put).result()


def count_all(store: Store) -> None:
    while store.write(lambda db: metrics.count_batch(db, 7)).result():
        pass


def expected_responses(thread: Thread) -> list[tuple[float, float | None, bool | None]]:
    """When each answer to a waiting customer was written, after how many seconds, and whether it was a first one.

    None for unknown.
    """
    found: list[tuple[float, float | None, bool | None]] = []
    answered = sorted({each.at for each in thread.sent if each.kind == ANSWER})
    oldest_read = min((each.at for each in thread.sent), default=0.0)
    for number, at in enumerate(answered):
        before = answered[number - 1] if number else None
        asked = [
            each.at
            for each in thread.sent
            if each.kind == INCOMING and each.at <= at and (before is None or each.at > before)
        ]
        if before is None and not thread.is_whole:
            assert oldest_read <= at
            found.append((at, None, None))
        elif asked:
            is_first = before is None or min(asked) - before >= 24 * 3600
            found.append((at, at - min(asked), is_first))
    return found


def within(period: Period, at: float) -> bool:
    return period.start <= at < period.end


@pytest.mark.slow
@given(_THREADS, st.booleans())
def test_counts_are_those_of_all_messages_in_whatever_pages_they_came(
    tmp_path_factory: pytest.TempPathFactory, found: list[Thread], counts_between: bool
) -> None:
    with open_store(tmp_path_factory.mktemp("store")) as store:
        for number, thread in enumerate(found):
            name = f"L{number}#C"
            raws = sorted(
                (raw(name, at, each) for at, each in enumerate(thread.sent)),
                key=lambda each: (-each["createdAt"], each["messageId"]),
            )
            size = -(-len(raws) // thread.pages) or 1
            start = None
            for at in range(0, max(1, len(raws)), size):
                page = raws[at : at + size]
                is_last = at + size >= len(raws)
                read_page(store, name, page, start, has_more=not (is_last and thread.is_whole))
                start = threads.position_of(page[-1]) if page else None
                if counts_between:
                    count_all(store)
        count_all(store)
        assert_counts(store, found)


def timed(store: Store, period: Period, by: Dimension | None = None) -> list[TimedResponse]:
    return [each for group in facts.responses(store.reading, period, by) for each in group.each()]


def assert_counts(store: Store, found: Iterable[Thread]) -> None:
    for period in (PERIOD, PERIOD.before):
        totals: Counter[tuple[str, str, str]] = Counter()
        responses = []
        for number, thread in enumerate(found):
            for each in thread.sent:
                if within(period, each.at) and each.kind != NOTE:
                    author = (each.author or "") if each.kind == ANSWER else ""
                    totals[f"L{number}", author, each.kind] += 1
            responses += [each for each in expected_responses(thread) if within(period, each[0])]
        for by, place in ((Dimension.LINE, 0), (Dimension.AGENT, 1)):
            counted: Counter[tuple[str, str]] = Counter()
            for count in facts.message_counts(store.reading, period, by):
                counted[count.author if place else count.line_id, count.kind] += count.messages
            expected: Counter[tuple[str, str]] = Counter()
            for key, messages in totals.items():
                expected[key[place], key[2]] += messages
            assert counted == expected
        kinds: Counter[str] = Counter()
        for (_, _, kind), messages in totals.items():
            kinds[kind] += messages
        assert facts.kind_totals(facts.message_counts(store.reading, period)) == kinds
        by_hour = facts.message_counts(store.reading, period, Dimension.HOUR)
        assert sum(each.messages for each in by_hour) == kinds.total()
        for way in (None, *Dimension):
            read = [(each.at, each.seconds, each.is_first) for each in timed(store, period, way)]
            assert sorted(read, key=str) == sorted(responses, key=str)


def test_only_quarters_that_changed_are_counted_again(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        sent = [Sent(step, INCOMING) for step in range(0, 400, 10)]
        raws = [raw("L0#C", at, each) for at, each in enumerate(sent)]
        read_page(store, "L0#C", raws[::-1], None, has_more=False)
        count_all(store)
        newer = Sent(450, ANSWER, "Noa")
        read_page(store, "L0#C", [raw("L0#C", 99, newer), *raws[:-4:-1]], None, has_more=True)
        assert metrics.stale(store.reading) == 1
        count_all(store)
        assert_counts(store, [Thread((*sent, newer), 1, is_whole=True)])


def test_a_line_that_becomes_known_takes_the_counts_along(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        page = [raw("L0#C", 1, Sent(1, INCOMING))]
        store.write(
            lambda db: threads.put_page(db, ConversationId("L0#C"), page, start=None, has_more=False, now=NOW)
        ).result()
        count_all(store)
        assert [each.line_id for each in facts.message_counts(store.reading, PERIOD, Dimension.LINE)] == [""]
        store.write(lambda db: conversations.add_by_pair(db, "L0#C", "L0", "C")).result()
        count_all(store)
        assert [each.line_id for each in facts.message_counts(store.reading, PERIOD, Dimension.LINE)] == ["L0"]


def test_a_message_that_is_deleted_or_becomes_a_note_is_counted_no_more(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        asked, answer = raw("L0#C", 1, Sent(1, INCOMING)), raw("L0#C", 2, Sent(5, ANSWER))
        read_page(store, "L0#C", [answer, asked], None, has_more=False)
        count_all(store)
        assert [each.seconds for each in timed(store, PERIOD)] == [4 * STEP]
        read_page(store, "L0#C", [answer | {"type": "note"}, asked], None, has_more=False)
        count_all(store)
        assert timed(store, PERIOD) == []
        assert facts.kind_totals(facts.message_counts(store.reading, PERIOD)) == {INCOMING: 1}


def test_an_answer_that_turns_up_between_others_takes_the_question_of_the_next(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        asked, late = raw("L0#C", 1, Sent(1, INCOMING)), raw("L0#C", 3, Sent(40, ANSWER))
        read_page(store, "L0#C", [late, asked], None, has_more=False)
        count_all(store)
        assert [each.seconds for each in timed(store, PERIOD)] == [39 * STEP]
        between = raw("L0#C", 2, Sent(20, ANSWER))
        read_page(store, "L0#C", [late, between, asked], None, has_more=False)
        count_all(store)
        assert [each.seconds for each in timed(store, PERIOD)] == [19 * STEP]


def test_responses_and_counts_are_in_the_group_of_their_line_author_time_or_tag(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        for line, author, step in (("L0", "Noa", 40), ("L1", "Marta", 41), ("L2", "Noa", 300)):
            name = f"{line}#C"
            answer, asked = raw(name, 2, Sent(step, ANSWER, author)), raw(name, 1, Sent(1, INCOMING))
            read_page(store, name, [answer, asked], None, has_more=False)
        count_all(store)

        def grouped(by: Dimension, key: Callable[[ResponseGroup], object], *tagged: int) -> dict[object, set[int]]:
            """Return the waits of each group, in steps; the columns of one belong together."""
            waits: dict[object, set[int]] = defaultdict(set)
            for group in facts.responses(store.reading, PERIOD, by, tagged):
                for each in group.each():
                    assert each.seconds == each.at - Sent(1, INCOMING).at
                    waits[key(group)].add(int(each.seconds / STEP))
            return waits

        def key_of_time(by: Dimension, group: ResponseGroup | MessageCount) -> str:
            return TIMED[by](PERIOD.local(group.at))

        assert grouped(Dimension.LINE, lambda each: each.line_id) == {"L0": {39}, "L1": {40}, "L2": {299}}
        assert grouped(Dimension.AGENT, lambda each: each.author) == {"Noa": {39, 299}, "Marta": {40}}
        (number,) = facts.rows_of_ids(store.reading, ["L1#C"])
        assert grouped(Dimension.TAG, lambda each: each.conversation, number) == {0: {39, 299}, number: {40}}
        first, second = PERIOD.first_day, PERIOD.first_day + timedelta(days=1)
        keys: dict[Dimension, tuple[object, object]] = {
            Dimension.DAY: (str(first), str(second)),
            Dimension.HOUR: ("4", "11"),
            Dimension.WEEKDAY: (str(first.weekday()), str(second.weekday())),
        }
        for by, (early, late) in keys.items():
            assert grouped(by, partial(key_of_time, by)) == {early: {39, 40}, late: {299}}
            answers: Counter[object] = Counter()
            for each in facts.message_counts(store.reading, PERIOD, by):
                if each.kind == ANSWER:
                    answers[key_of_time(by, each)] += each.messages
            assert answers == {early: 2, late: 1}


def test_threads_that_were_read_over_the_whole_period_are_its_share(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        read_page(store, "L0#C", [raw("L0#C", 1, Sent(5, INCOMING))], None, has_more=False)
        assert facts.thread_shares(store.reading, [PERIOD]) == [1.0]
        read_page(store, "L1#C", [raw("L1#C", 1, Sent(5, INCOMING))], None, has_more=True)
        assert facts.thread_shares(store.reading, [PERIOD]) == [0.5]
        older = [raw("L1#C", 2, Sent(-1000, INCOMING))]
        start = threads.position_of(raw("L1#C", 1, Sent(5, INCOMING)))
        read_page(store, "L1#C", older, start, has_more=True)
        assert facts.thread_shares(store.reading, [PERIOD, PERIOD.before]) == [1.0, 1.0]
        store.write(lambda db: conversations.add_by_pair(db, "L2#C", "L2", "C")).result()
        assert facts.thread_shares(store.reading, [PERIOD]) == [2 / 3]


def test_a_share_is_the_same_alone_and_beside_an_earlier_period(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        for number in range(4):
            read_page(store, f"L{number}#C", [raw(f"L{number}#C", 1, Sent(-300, INCOMING))], None, has_more=False)
        store.write(lambda db: conversations.add_by_pair(db, "L9#C", "L9", "C")).result()
        today = parse_period("today", NOW, ZONE)
        assert facts.thread_shares(store.reading, [today]) == [0.0]
        assert facts.thread_shares(store.reading, [today, PERIOD.before]) == [0.0, 0.8]


def test_a_thread_with_newer_messages_than_were_read_does_not_count_as_read(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        read_page(store, "L0#C", [raw("L0#C", 1, Sent(5, INCOMING))], None, has_more=False)
        customer = conversations.TaskCustomer("L0#C", "L0", "C", "", {"lastActiveAt": NOW * 1000})
        store.write(lambda db: conversations.summarise_tasks(db, ["L0#C"], [customer])).result()
        assert facts.thread_shares(store.reading, [PERIOD]) == [0.0]
