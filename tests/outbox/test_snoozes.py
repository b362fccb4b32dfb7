"""What is snoozed sleeps until its time or the customer's message, whatever is undone, opened or snoozed again."""

import os
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from frontdesk.config.settings import Profile
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations, threads
from frontdesk.outbox import queue, snoozes
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.snoozes import SNOOZE, Snooze
from frontdesk.outbox.verbs import On
from frontdesk.storage.records import ChangeKind, ChangeState, ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.tasks import task_filter
from frontdesk.tasks.task_filter import FilterNames, TaskFilter
from frontdesk.text.snooze_until import SnoozeWish
from frontdesk_api.contract.ids import ConversationId, StatusId, TaskId
from frontdesk_api.hosts import Hosts
from new_store import open_store
from sample_json import raw_message, raw_task
from services import Services

CONVERSATION, TASK = ChangeKind.SNOOZE_CONVERSATION, ChangeKind.SNOOZE_TASK
HERE, OTHER = ConversationId("L1#C1"), ConversationId("L1#C2")
PLACES = (HERE, OTHER)
URL = "http://127.0.0.1:9"
START = 1_700_000_000.0


class Desk:
    """A store with two customers, whose clock stands until it is set."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self.store = open_store(folder)
        self.services = Services(self.store, Profile("test", Hosts(*[URL] * 5)), clock=lambda: self.now)
        self.store.write(lambda db: task_store.put(db, [raw_task(1), raw_task(2)])).result()
        for each in PLACES:
            self.hear(each, START - 100)

    def hear(self, conversation_id: ConversationId, at: float) -> None:
        raw = raw_message(int(at), messageId=f"m{conversation_id}{at}", createdAt=at * 1000)
        newest, now = [raw], self.now
        self.store.write(
            lambda db: threads.put_page(db, conversation_id, newest, start=None, has_more=False, now=now)
        ).result()

    def snooze(
        self, *places: str, until: float | None = None, on_message: bool = False, kind: ChangeKind = CONVERSATION
    ) -> ActionResult:
        at = None if until is None else datetime.fromtimestamp(until, UTC)
        on = On.CONVERSATION_ROW if kind is CONVERSATION else On.TASK_ROW
        return self.services.inbox.snooze(SnoozeWish(at, on_message), places, on)

    def undo(self) -> ActionResult | None:
        done = self.services.outbox.undo().result()
        assert done is None or isinstance(done, ActionResult)
        return done

    def redo(self) -> ActionResult | None:
        done = self.services.outbox.redo().result()
        assert done is None or isinstance(done, ActionResult)
        return done

    def listed(self, written: str = "") -> list[str]:
        """The conversations that a view with this query lists."""
        db = self.services.store.reading
        query = filter_words.wanted(filter_words.parse(written), self.services.store.profile, self.now)
        wanted = conversations.awake(db, query, self.now)
        ids, count = conversations.window(db, ConversationOrder.NAME, -1, wanted)
        assert count == len(ids) == conversations.count(db, wanted)
        return sorted(ids)

    def asleep(self, kind: ChangeKind = CONVERSATION) -> list[str]:
        return snoozes.asleep_ids(self.services.store.reading, kind, self.now)

    def close(self) -> None:
        self.store.close()


def desk(folder: Path) -> Desk:
    return Desk(folder / "profile")


def test_it_leaves_the_views_until_its_time(tmp_path: Path) -> None:
    at = desk(tmp_path)
    assert at.snooze(HERE, until=START + 60, on_message=True).count == 1
    assert (at.listed(), at.listed("is:snoozed"), at.listed("-is:snoozed")) == ([OTHER], [HERE], [OTHER])
    assert conversations.snoozed_count(at.services.store.reading, at.now) == 1
    at.now += 59
    assert at.listed() == [OTHER]
    at.now += 1
    assert (at.listed(), at.listed("is:snoozed")) == ([HERE, OTHER], [])
    at.close()


def test_the_customers_next_message_wakes_it_unless_only_a_time_does(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze(HERE, until=START + 60)
    at.snooze(OTHER, on_message=True)
    assert at.listed() == []
    for each in PLACES:
        at.hear(each, START + 5)
    assert at.listed() == [OTHER]
    at.now = START + 60
    assert at.listed() == [HERE, OTHER]
    at.close()


def test_a_message_that_was_known_when_it_was_snoozed_wakes_nothing(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.hear(HERE, START + 7)  # by the platform's clock, which is ahead
    at.snooze(HERE, on_message=True)
    assert at.asleep() == [HERE]
    at.hear(HERE, START + 8)
    assert at.asleep() == []
    at.close()


def test_what_woke_and_was_never_opened_is_forgotten_after_a_day(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze(HERE, until=START + 60)
    at.snooze(OTHER, until=START + 90_000)
    at.now = START + 100
    snoozes.claim_woken(at.services.store).result()
    db = at.services.store.reading
    assert snoozes.find_old(db, START + 80_000) is None
    forget = snoozes.find_old(db, START + 60 + 86_400)
    assert forget is not None
    at.store.write(forget).result()
    assert queue.all_kept(db, CONVERSATION).keys() == {OTHER}
    assert at.asleep() == [OTHER]
    at.close()


def test_an_unread_threads_old_messages_wake_nothing(tmp_path: Path) -> None:
    at = desk(tmp_path)
    customer = {"phoneNumberId": "C3", "customerName": "Zed", "lastActiveAt": START - 10}
    at.store.write(lambda db: task_store.put(db, [raw_task(3, customer=customer)])).result()
    at.snooze("L1#C3", on_message=True)
    at.hear(ConversationId("L1#C3"), START - 9.5)
    assert at.asleep() == ["L1#C3"]
    at.hear(ConversationId("L1#C3"), START + 1)
    assert at.asleep() == []
    at.close()


def test_a_task_sleeps_by_itself_and_its_customers_message_wakes_it(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze("t1", on_message=True, kind=TASK)
    db, names = at.services.store.reading, FilterNames({}, {})
    assert at.listed() == [HERE, OTHER]
    assert task_filter.snoozed(db, at.now) == {StatusId("open"): [TaskId("t1")]}
    assert task_filter.matching(db, TaskFilter(), at.now) == {StatusId("open"): [TaskId("t2")]}
    is_snoozed = task_filter.parse("is:snoozed", names)
    assert not is_snoozed.faults
    assert task_filter.matching(db, is_snoozed, at.now) == {StatusId("open"): [TaskId("t1")]}
    at.hear(HERE, START + 5)
    assert task_filter.snoozed(db, at.now) == {}
    at.close()


def test_what_woke_is_announced_once_and_shown_until_it_is_opened(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze(HERE, until=START + 60, on_message=True)
    at.snooze("t2", on_message=True, kind=TASK)
    assert snoozes.claim_woken(at.services.store).result() == []
    at.now += 60
    at.hear(OTHER, START + 61)
    woken = snoozes.claim_woken(at.services.store).result()
    assert [(each.kind, each.id, each.by_message) for each in woken] == [
        (CONVERSATION, HERE, False),
        (TASK, "t2", True),
    ]
    assert snoozes.claim_woken(at.services.store).result() == []
    db = at.services.store.reading
    state = snoozes.state_of(db, CONVERSATION, HERE, at.now)
    assert state is not None
    assert state.woke_at == START + 60
    at.services.inbox.mark_read(HERE)
    at.services.inbox.mark_read(OTHER)
    at.services.store.flush().result()
    assert snoozes.state_of(db, CONVERSATION, HERE, at.now) is None
    assert snoozes.state_of(db, TASK, "t2", at.now) is None
    undone = at.undo()
    assert undone is not None
    assert undone.problems
    at.close()


def test_opening_what_sleeps_does_not_wake_it(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze(HERE, until=START + 60)
    at.services.inbox.mark_read(HERE)
    at.services.store.flush().result()
    assert at.asleep() == [HERE]
    at.close()


def test_nothing_of_it_is_sent(tmp_path: Path) -> None:
    at = desk(tmp_path)
    at.snooze(HERE, "unknown", on_message=True)
    made = queue.recent(at.services.store.reading)
    assert {each.state for each in made} == {ChangeState.CONFIRMED}
    assert queue.unsent(at.services.store.reading) == []
    assert queue.settled_after(at.services.store.reading, 0.0) == []
    assert made[0].fields[SNOOZE]["on_message"] is True
    at.close()


def test_the_same_snooze_again_is_no_change(tmp_path: Path) -> None:
    at = desk(tmp_path)
    assert at.snooze(HERE, until=START + 60).count == 1
    assert at.snooze(HERE, until=START + 60).count == 0
    assert at.snooze(OTHER).count == 0
    at.close()


@dataclass
class Part:
    before: Snooze | None
    after: Snooze | None
    is_on: bool = True


@dataclass
class Deed:
    number: int
    parts: dict[str, Part]


@dataclass
class Model:
    """What two conversations would do: what was chosen for each, and what can be undone and redone."""

    kept: dict[str, Snooze | None] = field(default_factory=lambda: dict.fromkeys(PLACES))
    heard: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PLACES, START - 100))
    done: list[Deed] = field(default_factory=list)
    undone: list[Deed] = field(default_factory=list)

    def asleep(self, now: float) -> set[str]:
        return {each for each, snooze in self.kept.items() if snooze is not None and not self.is_awake(each, now)}

    def is_awake(self, place: str, now: float) -> bool:
        snooze = self.kept[place]
        if snooze is None:
            return True
        wrote = snooze.on_message and self.heard[place] > snooze.since
        return wrote or (snooze.until is not None and snooze.until <= now)

    def turn(self, *, on: bool) -> None:
        source, other = (self.undone, self.done) if on else (self.done, self.undone)
        if not source:
            return
        deed = source.pop() if on else max(source, key=lambda each: each.number)
        if not on:
            source.remove(deed)
        changed = False
        for place, part in deed.parts.items():
            now, then = (part.before, part.after) if on else (part.after, part.before)
            if part.is_on is not on and self.kept[place] == now:
                self.kept[place], part.is_on, changed = then, on, True
        if changed:
            other.append(deed)


class SnoozeMachine(RuleBasedStateMachine):
    """Snooze, wake by time and by message, open, undo and redo, and snooze again."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        os.chmod(self._folder.name, 0o700)
        self.desk = Desk(Path(self._folder.name) / "profile")
        self.model = Model()
        self.number = 0

    @rule(
        places=st.lists(st.sampled_from(PLACES), min_size=1, unique=True),
        minutes=st.none() | st.integers(1, 5),
        on_message=st.booleans(),
    )
    def snooze(self, places: list[str], minutes: int | None, on_message: bool) -> None:
        until = None if minutes is None else self.desk.now + 60 * minutes
        self.desk.snooze(*places, until=until, on_message=on_message)
        parts: dict[str, Part] = {}
        for each in places:
            after = Snooze(until, on_message, self.model.heard[each]) if until or on_message else None
            if after != self.model.kept[each]:
                parts[each] = Part(self.model.kept[each], after)
                self.model.kept[each] = after
        if parts:
            self.number += 1
            self.model.done.append(Deed(self.number, parts))
            self.model.undone.clear()

    @rule(seconds=st.integers(1, 200))
    def time_passes(self, seconds: int) -> None:
        self.desk.now += seconds

    @rule(place=st.sampled_from(PLACES))
    def customer_writes(self, place: ConversationId) -> None:
        self.desk.now += 1
        self.desk.hear(place, self.desk.now)
        self.model.heard[place] = self.desk.now

    @rule(place=st.sampled_from(PLACES))
    def opened(self, place: ConversationId) -> None:
        self.desk.services.inbox.mark_read(place)
        self.desk.services.store.flush().result()
        if self.model.is_awake(place, self.desk.now):
            self.model.kept[place] = None

    @rule()
    def undo(self) -> None:
        self.desk.undo()
        self.model.turn(on=False)

    @rule()
    def redo(self) -> None:
        self.desk.redo()
        self.model.turn(on=True)

    @rule()
    def announced(self) -> None:
        snoozes.claim_woken(self.desk.services.store).result()

    @invariant()
    def sleeps_as_the_model_does(self) -> None:
        db = self.desk.services.store.reading
        assert {each: snoozes.snooze_of(db, CONVERSATION, each) for each in PLACES} == self.model.kept
        asleep = self.model.asleep(self.desk.now)
        assert set(self.desk.listed("is:snoozed")) == asleep
        assert set(self.desk.listed()) == set(PLACES) - asleep

    def teardown(self) -> None:
        self.desk.close()
        self._folder.cleanup()


TestSnoozes = pytest.mark.slow(SnoozeMachine.TestCase)
