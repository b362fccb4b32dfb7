"""The rows that are new since the last look: their sign, the key to the next, and when they were seen."""

from typing import Any

import pytest

from frontdesk.campaigns.store import alerts, campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.outbox import news
from frontdesk.outbox.news import Reader
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.tasks import history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk.tui import news_marks
from frontdesk.tui.news_marks import CHECK_SECONDS, SEEN_SECONDS, NewsMarks
from frontdesk_api.contract.ids import AgentId, CampaignId
from frontdesk_lines.glyphs import UNICODE
from kit import NOW, Clock, running
from sample_json import campaign_body, raw_task

pytestmark = pytest.mark.anyio
OLD = {"createdAt": NOW - 30 * 86_400, "dueDate": 0}


@pytest.fixture(autouse=True)
def _never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_marks, "REST_SECONDS", 0.01)
    monkeypatch.setattr(news_marks, "REST_SHARE", 0)


def put(store: Store, *raws: dict[str, Any]) -> None:
    store.write(lambda db: task_store.put(db, raws, Seen(NOW, NOW + 1))).result()


def fill(store: Store) -> None:
    """Six old tasks, which the person has seen; then one is taken, one comes, and one is due in a minute."""
    put(store, *(raw_task(each, statusCase="open" if each < 5 else "standby", **OLD) for each in range(1, 7)))
    store.write(note_listed).result()
    store.write(lambda db: news.look(db, Reader(history.NEWS, None, NOW))).result()
    put(
        store,
        raw_task(2, assignedAgentIds=["noa"], **OLD),
        raw_task(3, **{**OLD, "dueDate": NOW + 60}),
        raw_task(6, statusCase="standby", assignedAgentIds=["noa"], **OLD),
        raw_task(7, createdAt=NOW, dueDate=0),
    )


def new(marks: NewsMarks) -> set[str]:
    return set(marks.keys)


def unseen(store: Store, me: str | None = None, now: float = NOW) -> set[str]:
    reader = Reader(history.NEWS, None if me is None else AgentId(me), now)
    return set(news.unseen(store.reading, reader))


@pytest.fixture(autouse=True)
def checks_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no check come by itself; the tests make each one."""
    for name, seconds in (("CHECK_SECONDS", CHECK_SECONDS), ("SEEN_SECONDS", SEEN_SECONDS)):
        monkeypatch.setattr(news_marks, name, 1_000 * seconds)


async def test_new_cards_have_a_sign_a_count_and_a_key_that_leads_from_one_to_the_next(store: Store) -> None:
    fill(store)
    clock = Clock()
    async with running(store, fills=False, clock=clock, screen="2") as at:
        marks = at.board.news
        await at.until(lambda: new(marks) == {"t2", "t6", "t7"})
        await at.sees("Open 5 · 2 new (n)", "1 new (n)", f"{UNICODE.new}Task 7")
        await at.press("g", "n")
        first = at.board.cursor.task_id
        await at.says("Assigned to someone else · 2 more new" if first == "t2" else "Created · 2 more new")
        await at.press("n")
        assert {first, at.board.cursor.task_id} == {"t2", "t7"}
        await at.press("n")
        assert at.board.cursor.task_id == "t6"
        await at.until(lambda: not unseen(store))
        await at.press("n")
        await at.says("Nothing else is new since your last look.")
        marks.check()
        assert new(marks) == set()
        assert UNICODE.new + "Task" not in at.text
        clock.now += 61
        at.app.refresh_times()
        await at.until(lambda: new(marks) == {"t3"})
        await at.press("n")
        await at.says("Now overdue")
        await at.until(lambda: not unseen(store, now=clock.now))


async def test_what_was_on_the_screen_long_enough_was_seen_and_the_rest_is_new_tomorrow(store: Store) -> None:
    fill(store)
    put(store, *(raw_task(each, **{**OLD, "dueDate": NOW + each}) for each in range(20, 40)))
    store.write(
        lambda db: news.look(db, Reader(history.NEWS, None, NOW), [f"t{n}" for n in range(20, 40)])
    ).result()
    async with running(store, fills=False, screen="2", size=(140, 20)) as at:
        marks = at.board.news
        await at.until(lambda: new(marks) == {"t2", "t6", "t7"})
        assert not {"t2", "t7"} & set(at.board.cursor.column.cards.keys_on_screen)  # below those that are due
        for _ in range(int(SEEN_SECONDS / CHECK_SECONDS)):
            assert "t6" in new(marks)
            marks.check()
        assert new(marks) == {"t2", "t7"}
        await at.until(lambda: unseen(store) == {"t2", "t7"})


async def test_nothing_was_seen_while_nobody_is_there(store: Store) -> None:
    fill(store)
    async with running(store, fills=False, screen="2") as at:
        marks = at.board.news
        await at.until(lambda: new(marks) == {"t2", "t6", "t7"})
        at.app.attention_reporter.is_focused = False
        for _ in range(10):
            marks.check()
        assert new(marks) == unseen(store) == {"t2", "t6", "t7"}


async def test_a_filter_counts_what_it_lists_and_the_key_stays_there(store: Store) -> None:
    fill(store)
    async with running(store, fills=False, screen="2") as at:
        await at.until(lambda: len(at.board.news.keys) == 3)
        await at.press("slash")
        await at.types("Task 2")
        await at.press("enter")
        await at.sees("1 of 5 · 1 new")
        await at.press("n")
        assert at.board.cursor.task_id == "t2"
        await at.press("n")
        await at.says("Nothing else is new")
        await at.until(lambda: unseen(store) == {"t6", "t7"})


async def test_a_narrow_board_with_a_task_open_shows_the_next_new_one(store: Store) -> None:
    fill(store)
    async with running(store, fills=False, screen="2", size=(80, 24)) as at:
        await at.until(lambda: len(at.board.news.keys) == 3)
        await at.press("enter", "n")
        await at.until(lambda: at.board.cursor.task_id in ("t2", "t7"))
        await at.sees(f"Task {str(at.board.cursor.task_id)[1:]}")


async def test_a_campaign_that_ended_or_was_corrected_is_new(store: Store) -> None:
    def read(at: float, sent: int, **fields: Any) -> None:
        raw = campaign_body("c1", sentCount=sent, totalRecipients=100, status="inProgress") | fields
        store.write(lambda db: campaigns.put(db, CampaignId("c1"), raw, at)).result()

    store.write(lambda db: campaigns.watch(db, [CampaignId(f"c{n}") for n in (1, 2, 3)], NOW - 900)).result()
    read(NOW - 800, 50)
    read(NOW - 700, 40)
    store.write(lambda db: news.look(db, Reader(alerts.NEWS, None, NOW - 600))).result()
    raised = Alert("c2 finished", CampaignId("c2"), "Winter", "finished", NOW - 60, ())
    store.write(lambda db: alerts.put(db, raised)).result()
    async with running(store, fills=False, screen="3") as at:
        screen = at.on(CampaignsScreen)
        await at.until(lambda: new(screen.news) == {"c2"})
        await at.sees("3 watched · by trouble · 1 new (n)")
        read(NOW - 30, 45)
        read(NOW - 20, 42)
        await at.until(lambda: new(screen.news) == {"c1", "c2"})
        await at.press("n")
        await at.press("n")
        await at.says("Corrected: sent fell by 3")
        await at.until(lambda: not news.unseen(store.reading, Reader(alerts.NEWS, None, NOW)))
