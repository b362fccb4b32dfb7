"""Any order of polls, loads, new and late messages, changes, failures and restarts ends with the right
thread or an honest gap, by the real puller on the real store.
"""

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from frontdesk.inbox.store import conversations, retention, thread_pages, threads
from frontdesk.inbox.store.read_markers import direction_of
from frontdesk.inbox.store.threads import Segment, older_cursor
from frontdesk.inbox.thread_sync import ThreadPuller
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.json_access import canonical
from inbox.store.thread_model import Message, ThreadPlatform
from lab.sample import IS_ALL, count
from new_store import open_store
from sync.running_engine import HOSTS

HERE = ConversationId("L1#C1")

moments = st.integers(0, 12)


class Coming(NamedTuple):
    """What decides the order of a message among those of its moment: here its id, there its rank."""

    letter: str
    rank: int
    kind: str
    step: int


kinds = st.sampled_from(["whole"] * 8 + ["broken", "timeless"])
coming = st.builds(Coming, st.sampled_from("abcd"), st.integers(0, 3), kinds, st.integers(0, 1))


class ThreadMachine(RuleBasedStateMachine):
    """One person's store, and the thread on the platform."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="frontdesk-thread-"))
        self.loop = asyncio.new_event_loop()
        self.unfindable: set[str] = set()
        self.store = open_store(self.folder)
        self.serial = 0

    @initialize(page_size=st.integers(2, 4), catch_up_pages=st.integers(1, 3))
    def begin(self, page_size: int, catch_up_pages: int) -> None:
        self.platform = ThreadPlatform(page_size)
        self.catch_up_pages = catch_up_pages
        credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
        self.client = PlatformClient(
            HOSTS, credentials, transport=self.platform, retry=ONCE, close_grace_seconds=0
        )
        self.loop.run_until_complete(self.client.__aenter__())
        self.store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
        self._new_puller()

    def teardown(self) -> None:
        try:
            if hasattr(self, "platform"):
                self.end_answered()
        finally:
            if hasattr(self, "platform"):
                self.loop.run_until_complete(self.client.__aexit__(None, None, None))
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.store.close()
            shutil.rmtree(self.folder)

    # What happens on the platform

    @rule(many=st.lists(coming, min_size=1, max_size=14))
    def new_messages_come(self, many: list[Coming]) -> None:
        for each in many:
            self._add(self._newest_at() + each.step, each)

    @rule(at=moments, one=coming)
    def a_late_message_comes(self, at: int, one: Coming) -> None:
        self._add(min(at, self._newest_at()), one)

    @rule(at=moments, one=coming, after=st.integers(0, 2))
    def something_will_come_while_a_thread_is_walked(self, at: int, one: Coming, after: int) -> None:
        nothing: list[Callable[[], None]] = [lambda: None] * after
        self.platform.meanwhile += [*nothing, lambda: self._add(min(at, self._newest_at()), one)]

    @precondition(lambda self: self.platform.messages)
    @rule(data=st.data(), status=st.sampled_from(["delivered", "read", "deleted"]))
    def a_message_changes(self, data: st.DataObject, status: str) -> None:
        message = self._any(data)
        if status == "deleted":
            message.change(type="deleted")
        else:
            message.change(status=status, reactions=[{"emoji": "+"}])

    @precondition(lambda self: self.platform.messages)
    @rule(data=st.data(), at=moments)
    def a_message_says_another_time(self, data: st.DataObject, at: int) -> None:
        message = self._any(data)
        if message.at != at and message.tells_time and not message.is_broken:
            del self.platform.messages[message.each]
            message.at = min(at, self._newest_at())
            message.change()
            self._put_message(message)
            for each in list(self.platform.messages.values()):
                self._mind_what_no_page_shows(each)  # which pages have passed depends on where this one stands

    @precondition(lambda self: self.platform.messages)
    @rule(data=st.data())
    def a_message_breaks_or_comes_whole(self, data: st.DataObject) -> None:
        message = self._any(data)
        message.is_broken = not message.is_broken
        if not message.is_broken and message.each not in self._stored():
            self._mind_what_no_page_shows(message)

    @rule(failures=st.lists(st.sampled_from(["", "refused", "lost", "failing", "garbage"]), max_size=4))
    def requests_will_fail(self, failures: list[str]) -> None:
        self.platform.failures += failures

    # What a person and their program do

    @rule()
    def the_thread_is_polled(self) -> None:
        self._poll()

    @rule(data=st.data())
    def older_messages_are_asked_for(self, data: st.DataObject) -> None:
        gaps = [each.oldest for each in self._segments() if not each.complete]
        if gaps:
            before = data.draw(st.sampled_from(gaps))
            with contextlib.suppress(ApiError):
                self.loop.run_until_complete(self.puller.thread_older(HERE, before))
            self._has_shown()

    @rule()
    def an_unchanged_thread_writes_nothing(self) -> None:
        self.platform.failures.clear()
        self.platform.meanwhile.clear()
        self._poll()
        version, changes = self._version(), self._rows_of_feed()
        self._poll()
        # A catch-up that was broken off may go on: that is no poll of an unchanged thread.
        if not self.goes_on:
            assert (self._version(), self._rows_of_feed()) == (version, changes)

    @rule(kept=st.integers(0, 12))
    def the_store_is_too_large_and_its_oldest_messages_go(self, kept: int) -> None:
        before = self._stored()
        self.store.write(lambda db: retention.shrink(db, 0, kept)).result()
        for each in before - self._stored():
            # It may have another time by now, at which a page has passed before it had it.
            self._mind_what_no_page_shows(self.platform.messages[each])

    @rule()
    def the_program_starts_again(self) -> None:
        self.store.close()
        self.store = open_store(self.folder)
        self._new_puller()

    @rule()
    def everything_is_loaded(self) -> None:
        self.end_answered()

    # What must hold

    @invariant()
    def a_stretch_has_no_hole_that_it_does_not_admit(self) -> None:
        if not hasattr(self, "platform") or self._has_moved_unseen():
            return
        stored, segments = self._stored(), self._segments()
        missing = [
            each
            for each in self.platform.messages.values()
            if not each.is_broken and each.each not in stored and each.each not in self.unfindable
        ]
        for segment in segments:
            for message in missing:
                inside = segment.oldest.created_at < message.at < segment.newest.created_at
                below = segment.complete and message.at < segment.newest.created_at
                assert not inside, f"{message} is missing from {segment}"
                assert not below, f"{message} is missing although {segment} begins the thread"

    @invariant()
    def every_message_stands_in_a_stretch_and_every_gap_at_a_message(self) -> None:
        if not hasattr(self, "platform"):
            return
        keys, segments = set(self._keys()), self._segments()
        assert all({each.oldest, each.newest} <= keys for each in segments)
        assert all(any(each.oldest <= key <= each.newest for each in segments) for key in keys)
        assert sum(each.complete for each in segments) <= 1
        for whole in (each for each in segments if each.complete):
            assert not any(each.newest.created_at < whole.oldest.created_at for each in segments)

    @invariant()
    def what_is_stored_was_on_the_platform_and_each_message_once(self) -> None:
        if not hasattr(self, "platform"):
            return
        found = self._rows()
        assert len({row[0] for row in found}) == len(found)
        assert set(self._stored()) <= set(self.platform.messages)
        for each, created_at, raw, said, number in found:
            states = self.platform.messages[each].revisions
            (state,) = [state for state in states if canonical(state) == raw][-1:]
            assert said == direction_of(state)
            assert number >> 20 == created_at
            assert "createdAt" not in state or state["createdAt"] == created_at

    def end_answered(self) -> None:
        """Load all gaps: what is missing then is what no page could have shown."""
        self.platform.failures.clear()
        self.platform.meanwhile.clear()
        self._poll()
        for _ in range(2 * len(self.platform.messages) + 5):
            self._poll()
            open_ends = [each for each in self._segments() if not each.complete]
            if not open_ends:
                if self._segments():
                    break
                continue  # nothing was readable so far, and each poll goes on from where the last one ended
            self.loop.run_until_complete(self.puller.thread_older(HERE, open_ends[0].oldest))
            self._has_shown()
        whole = {each.each for each in self.platform.messages.values() if not each.is_broken}
        assert whole - self._stored() <= self.unfindable, self._picture()
        segments = self._segments()
        assert [each.complete for each in segments] == [True] * bool(self._keys()), segments
        newest = self.platform.newest_first()[: self.platform.page_size]
        raws = {row[0]: row[2] for row in self._rows()}
        assert all(raws[each.each] == canonical(each.revisions[-1]) for each in newest if not each.is_broken)

    # The machine's own

    def _new_puller(self) -> None:
        self.puller = ThreadPuller(self.client, self.store, lambda: 1.0, self.catch_up_pages)
        self.goes_on = False

    def _poll(self) -> None:
        before = self.platform.requests
        try:
            self.loop.run_until_complete(self.puller.thread_head(HERE))
            self.goes_on = self.platform.requests - before > 1
        except ApiError:
            self.goes_on = True
        self._has_shown()

    def _has_shown(self) -> None:
        """A message that could not be found and came all the same is like any other from now on."""
        self.unfindable -= self._stored()

    def _add(self, at: int, one: Coming) -> None:
        self.serial += 1
        message = Message(f"{one.letter}{self.serial}", at, one.rank + self.serial / 1000)
        message.is_broken, message.tells_time = one.kind == "broken", one.kind != "timeless"
        self._put_message(message)

    def _put_message(self, message: Message) -> None:
        if not message.revisions:
            message.change(messageDirection="incoming")
        self.platform.messages[message.each] = message
        self._mind_what_no_page_shows(message)

    def _mind_what_no_page_shows(self, message: Message) -> None:
        """What comes late between two messages of one segment, or before the beginning, need not be found."""
        if message.each in self._stored():
            return
        known = self._stored_in_place()
        thread = self.platform.newest_first()
        place = thread.index(message)
        above = next((each for each in reversed(thread[:place]) if each.each in known), None)
        below = next((each for each in thread[place + 1 :] if each.each in known), None)
        if above is None:
            return
        stretch_above = self._stretch_of(above)
        bottom = older_cursor(stretch_above)
        is_passed = bottom.created_at < message.at or any(
            each.each == bottom.message_id for each in thread[place:]
        )
        if not stretch_above.complete and is_passed:
            self.unfindable.add(message.each)  # a page has passed here, down to a message that was broken or moved
        if below is None:
            if stretch_above.complete:
                self.unfindable.add(message.each)
        elif stretch_above == self._stretch_of(below):
            self.unfindable.add(message.each)

    def _stretch_of(self, message: Message) -> Segment:
        (key,) = [key for key in self._keys() if key.message_id == message.each]
        return next(each for each in self._segments() if each.oldest <= key <= each.newest)

    def _has_moved_unseen(self) -> bool:
        """Whether a stored message has another time than it was stored with: times tell no order then."""
        return any(self.platform.messages[row[0]].at != row[1] for row in self._rows())

    def _picture(self) -> str:
        """The thread, newest first: stored (+), broken (b), not to be found (u), missing (-)."""
        stored = self._stored()
        marks = [
            f"{each.each}@{each.at}"
            + (
                "b"
                if each.is_broken
                else "+"
                if each.each in stored
                else "u"
                if each.each in self.unfindable
                else "-"
            )
            + ("" if each.tells_time else "t")
            for each in self.platform.newest_first()
        ]
        return f"{' '.join(marks)} {self._segments()}"

    def _newest_at(self) -> int:
        return max((each.at for each in self.platform.messages.values()), default=3)

    def _any(self, data: st.DataObject) -> Message:
        return self.platform.messages[data.draw(st.sampled_from(sorted(self.platform.messages)))]

    def _segments(self) -> list[Segment]:
        return threads.segments(self.store.reading, HERE)

    def _keys(self) -> list[Any]:
        return [each.key for each in thread_pages.page_before(self.store.reading, HERE, None, 10_000)]

    def _rows(self) -> list[Any]:
        sql = "SELECT message_id, created_at, raw, says, rowid FROM messages"
        return self.store.reading.execute(sql).fetchall()

    def _stored(self) -> set[str]:
        return {row[0] for row in self._rows()}

    def _stored_in_place(self) -> set[str]:
        """The stored messages that have the time that they were stored with."""
        messages = self.platform.messages
        return {row[0] for row in self._rows() if not messages[row[0]].tells_time or messages[row[0]].at == row[1]}

    def _rows_of_feed(self) -> object:
        return self.store.reading.execute("SELECT max(seq) FROM feed").fetchone()

    def _version(self) -> object:
        with contextlib.closing(apsw.Connection(str(self.folder / "store.db"))) as _:
            return self.store.reading.pragma("data_version")


@pytest.mark.lab
def test_any_order_of_polls_gaps_new_messages_and_restarts_ends_in_the_thread_or_an_honest_gap() -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        ThreadMachine,
        settings=settings(
            max_examples=count(60, 600),
            stateful_step_count=25,
            deadline=None,
            derandomize=not IS_ALL,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
