"""Who is told of what, once: decided without a screen, and sent by a running one."""

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import apsw
import pytest
from textual import events

from frontdesk.config.settings import Settings
from frontdesk.inbox.store import read_markers, threads
from frontdesk.inbox.store.notifications import Notification
from frontdesk.inbox.tui import notifier
from frontdesk.inbox.tui.notifier import LATE_SECONDS, NotifierState, announcement, sort_news, title_words
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId
from kit import NOW, At, Clock, profile, running
from sample_json import raw_message, raw_task
from tui.hosts import text_of, until

pytestmark = pytest.mark.anyio

ME = AgentId("me")
AROUND = NotifierState(since=NOW - 3600, now=NOW, me=ME)


def news(number: int = 1, **fields: object) -> Notification:
    told = Notification(
        f"conversation L1#C{number}", ConversationId(f"L1#C{number}"), NOW, True, (), f"Customer {number}", "Hi"
    )
    return told._replace(**fields)  # type: ignore[arg-type]


def test_mine_and_nobodys_are_told_and_others_not_unless_set() -> None:
    nobodys, mine, others = news(1), news(2, assigned=("noa", "me")), news(3, assigned=("noa",))
    assert sort_news([nobodys, mine, others], AROUND).now == (nobodys, mine)
    assert sort_news([nobodys, mine, others], AROUND._replace(of_all=True)).now == (nobodys, mine, others)
    assert sort_news([nobodys, mine, others], AROUND._replace(me=None)).now == (nobodys,)


def test_what_was_there_before_or_is_read_is_no_news() -> None:
    came = sort_news([news(at=AROUND.since), news(is_unread=False)], AROUND)
    assert came == notifier.SortedNews()


def test_what_is_open_before_somebody_is_claimed_and_not_told() -> None:
    came = sort_news([news(1), news(2)], AROUND._replace(reading="L1#C1"))
    assert (came.seen, came.now) == ((news(1),), (news(2),))


def test_what_was_missed_waits_for_one_line() -> None:
    late = [news(number, at=NOW - LATE_SECONDS - number) for number in (1, 2, 3)]
    came = sort_news([*late, news(4)], AROUND)
    assert (came.late, came.now) == (tuple(late), (news(4),))
    assert announcement(late, late=True)[1].text == "3 conversations have activity you missed"


def test_the_words_say_who_and_what() -> None:
    assert [part.text for part in announcement([news()])] == ["Customer 1", "Hi"]
    assert [part.text for part in announcement([news(says="a"), news(says="b")])] == ["Customer 1", "b"]
    several = announcement([news(number) for number in range(1, 6)])
    assert [part.text for part in several] == ["5 customers", "Customer 1, Customer 2, Customer 3 …"]
    assert "\x1b" not in "".join(part.text for part in announcement([news(who="\x1b]0;x\x07", says="\x1b[c\x07")]))


def test_the_title_counts() -> None:
    assert title_words(0, "acme").text == "frontdesk · acme"
    assert title_words(3, "acme").text == "(3) frontdesk · acme"
    assert title_words(3, "acme", 2).text == "(3) !2 frontdesk · acme"
    assert title_words(notifier.MAX_COUNTED, "a").text == "(1000+) frontdesk · a"


class Told(At):
    """A running app, and what it sent to its terminal."""

    sent: list[str]

    @property
    def told(self) -> list[str]:
        """Notifications and bells in the order in which they were sent."""
        return re.findall("\x1b\\]9;([^\x07]*)\x07", "".join(self.sent))

    @property
    def title(self) -> str:
        return re.findall("\x1b\\]2;([^\x07]*)\x07", "".join(self.sent))[-1]

    def write(self, customer: int, at: float, text: str = "Hello") -> None:
        self.store.write(lambda db: put(db, customer, at, text)).result()

    def write_many(self, customers: Iterable[int], at: float) -> None:
        """One message of each, in one transaction: they are heard of together."""

        def job(db: apsw.Connection) -> None:
            for customer in customers:
                put(db, customer, at + customer, "Hello")

        self.store.write(job).result()


def put(db: apsw.Connection, customer: int, at: float, text: str) -> None:
    message = raw_message(1, messageId=f"{customer} {at}", createdAt=int(at * 1000), message=text)
    threads.put_page(db, ConversationId(f"L1#C{customer}"), [message], start=None, has_more=True, now=at)


@asynccontextmanager
async def opened(
    store: Store, sent: list[str], clock: Clock | None = None, **settings: object
) -> AsyncIterator[Told]:
    chosen = Settings(**{"notify": "osc9", **settings})  # type: ignore[arg-type]
    acme = profile("acme", me=ME)
    async with running(
        store, settings=chosen, as_profile=acme, clock=clock, fills=False, notifications=False, wraps=Told
    ) as at:
        at.sent = sent
        await at.until(lambda: at.app.notices.messages._since is not None)
        yield at


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FOCUSED_SECONDS", "UNFOCUSED_SECONDS", "LATE_REST_SECONDS", "COUNT_SECONDS"):
        monkeypatch.setattr(notifier, name, 0.01)


# The cursor of each starts on the first customer, whose conversation is open then and so not told of.
@pytest.fixture
def filled(store: Store) -> Store:
    raws = [raw_task(1), raw_task(2, assignedAgentIds=["me"]), raw_task(3, assignedAgentIds=["noa"])]
    raws.append(raw_task(4))
    store.write(lambda db: task_store.put(db, raws)).result()
    store.write(note_listed).result()
    return store


async def test_each_thing_is_told_once_and_counted(filled: Store, signals: list[str]) -> None:
    async with opened(filled, signals, bell=True) as at:
        assert at.title == "frontdesk · acme"
        at.write(3, NOW + 1)
        at.write(2, NOW + 2, "It is late")
        await until(lambda: at.told)
        at.write(2, NOW + 2, "It is late, corrected")
        at.write(4, NOW + 3, "And I?")
        await until(lambda: len(at.told) == 2)
        await until(lambda: at.title == "(2+) frontdesk · acme")
        assert at.told == ["Customer 2: It is late", "Customer 4: And I?"]
        assert "".join(signals).count("\a\x1b]9;") == 2, "each with a bell"
    async with opened(filled, signals) as again:
        filled.write(lambda db: read_markers.mark_unread(db, "L1#C2", NOW)).result()
        again.write(2, NOW + 9, "Still there?")
        await until(lambda: len(again.told) > 2)
        assert again.told[2:] == ["Customer 2: Still there?"]


async def test_two_screens_on_one_profile_tell_it_once(filled: Store, signals: list[str]) -> None:
    async with opened(filled, signals) as one, opened(filled, signals):
        one.write(4, NOW + 1, "Both hear this")
        one.write(2, NOW + 2, "and this")
        await until(lambda: "and this" in "".join(one.told) or "2 customers" in "".join(one.told))
        one.write(4, NOW + 3, "the last")
        await until(lambda: "the last" in "".join(one.told))
        assert len([each for each in one.told if "the last" in each]) == 1
        assert len([each for each in one.told if "Both" in each or "2 customers: " in each]) == 1


async def test_the_first_sync_is_quiet_and_what_was_missed_is_one_line(store: Store, signals: list[str]) -> None:
    clock = Clock()
    async with opened(store, signals, clock) as at:
        many = [raw_task(number) for number in range(30)]
        store.write(lambda db: task_store.put(db, many)).result()
        at.write_many(range(30), NOW - 50)
        await until(lambda: at.title == "(30+) frontdesk · acme")
        clock.now = NOW + 9 * 3600
        at.write_many(range(30), NOW + 60)
        await until(lambda: at.told)
        at.write(5, clock.now, "Now")
        await until(lambda: "Customer 5: Now" in at.told)
        assert at.told == ["frontdesk: 30 conversations have activity you missed", "Customer 5: Now"]


async def test_what_is_read_in_a_focused_terminal_is_not_told(filled: Store, signals: list[str]) -> None:
    async with opened(filled, signals) as at:
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        at.write(1, NOW + 1, "read as it comes")
        await until(lambda: outbox_queue.kept(at.app.app_context.store.reading, "told", "conversation L1#C1"))
        at.app.post_message(events.AppBlur())
        await until(lambda: not at.app.attention_reporter.is_focused)
        at.write(1, NOW + 2, "nobody looks")
        await until(lambda: at.told)
        assert at.told == ["Customer 1: nobody looks"]


async def test_a_new_task_of_mine_is_told(filled: Store, signals: list[str]) -> None:
    async with opened(filled, signals) as at:
        raws = [
            raw_task(8, title="Call back", createdAt=NOW + 5),
            raw_task(9, createdAt=NOW + 5, assignedAgentIds=["noa"]),
        ]
        filled.write(lambda db: task_store.put(db, raws)).result()
        await until(lambda: at.told)
        assert at.told == ["Customer 8: Call back"]


async def test_everything_can_be_off(filled: Store, signals: list[str]) -> None:
    async with opened(filled, signals, notify="off", title=False) as at:
        at.write(1, NOW + 1)
        await until(lambda: any("Hello" in line for line in text_of(at.app)))
        await until(lambda: at.app.notices.messages._counting is None)
        assert not re.search("\x1b\\](?!22;)|(?<!default)\a|\x1b\\[2[23];2t", "".join(signals))
