"""Stored conversations on the command line: by view and words, as a table, JSON, CSV, Markdown and HTML."""

import csv
import io
import re
from typing import Any

import pytest

from cli.commandline import Frontdesk
from frontdesk.outbox import queue
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks import store as task_store
from sample_json import raw_task

HOSTILE = "=cmd|' /C calc'!A0 <script>alert(1)</script> [x](http://y) \x1b[31m"


@pytest.fixture
def filled(frontdesk: Frontdesk) -> Frontdesk:
    """A store with three conversations: one waits, one may wait, one has a hostile name."""

    def fill(db: Any) -> None:
        for number, (name, waiting, read) in enumerate(
            (("Dana", 50, 60), ("Noa", None, None), (HOSTILE, None, 60))
        ):
            db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id, name, waiting_since, active_at,"
                " thread_read_at, thread_active_at, unread) VALUES (?, 'L1', ?, ?, ?, ?, ?, ?, 2)",
                (f"L1#c{number}", f"c{number}", name, waiting, 40, read, read),
            )

    with frontdesk.store() as store:
        store.write(fill).result()
    return frontdesk


def test_they_are_listed_and_what_is_not_known_is_no_zero(filled: Frontdesk) -> None:
    rows = {row["conversation"]: row for row in filled("conversations", "list", "--json").rows}
    assert set(rows) == {"L1#c0", "L1#c1", "L1#c2"}
    assert (rows["L1#c0"]["unread"], rows["L1#c0"]["waitingSince"]) == (2, 50)
    assert (rows["L1#c1"]["unread"], rows["L1#c1"]["waitingKnown"]) == (None, False)
    typed = filled("conversations", "list")
    assert typed.status == 0
    assert "Dana" in typed.out
    assert "\x1b" not in typed.out
    assert "at least 3 conversations; never fully loaded: run `frontdesk sync` or open the inbox" in typed.err
    assert "? means unknown so far" in typed.err
    assert "? is what" not in filled("conversations", "list", "--match", "Dana").err


def test_a_view_and_words_narrow_them_and_unknown_ones_are_refused(filled: Frontdesk) -> None:
    waits = filled("conversations", "list", "--match", "is:waiting", "--json").rows
    assert [row["name"] for row in waits] == ["Dana"]
    waiting = filled("conversations", "list", "--view", "waiting > 1h", "--json").rows
    assert [row["name"] for row in waiting] == ["Dana"]
    limited = filled("conversations", "list", "--limit", "1", "--json")
    assert len(limited.rows) == 1
    assert "1 of at least 3 conversations" in limited.err
    unsure = filled("conversations", "list", "--match", "!is:waiting").err
    assert "loaded 2 of 3+ conversations, so there may be more, or some may not belong here" in unsure
    assert "no conversations found yet" in filled("conversations", "list", "--match", "zzz").err
    assert "no view named 'nope'; choose one of: all, mine" in filled.fails(
        2, "conversations", "list", "--view", "nope"
    )
    assert "is:xyz" in filled.fails(2, "conversations", "list", "--match", "is:xyz")


def test_what_is_snoozed_is_left_out_unless_asked_for(filled: Frontdesk) -> None:
    asleep = {"until": None, "on_message": True, "since": 100.0}
    with filled.store() as store:
        store.write(lambda db: queue.keep(db, ChangeKind.SNOOZE_CONVERSATION, "L1#c0", asleep, 1.0)).result()
    left = filled("conversations", "list", "--json")
    assert {row["conversation"] for row in left.rows} == {"L1#c1", "L1#c2"}
    assert "1 snoozed conversation left out" in left.err
    assert "left out" not in filled("conversations", "list", "--match", "is:snoozed").err
    snoozed = filled("conversations", "list", "--match", "is:snoozed", "--json").rows
    assert [row["conversation"] for row in snoozed] == ["L1#c0"]


def test_an_export_holds_no_formula_and_no_markup(filled: Frontdesk) -> None:
    sheet = list(csv.reader(io.StringIO(filled("conversations", "export", "--csv").out)))
    assert sheet[0][0] == "conversation"
    assert len(sheet) == 4
    assert not [cell for row in sheet for cell in row if cell.startswith("=")]
    markdown = filled("conversations", "export", "--markdown").out
    assert "[x](http" not in markdown
    table, coverage = markdown.split("\n\n")
    assert table.count("\n") == 4
    assert coverage.startswith("at least 3 conversations; never fully loaded")
    page = filled("conversations", "export", "--html").out
    for written in (markdown.replace("\\", ""), page):
        assert not re.search(r"(\| |<bdi>)[=+@]", written), "a table is pasted into a spreadsheet, too"
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<p>at least 3 conversations; never fully loaded" in page
    assert "default-src 'none'" in page
    assert "\x1b" not in markdown + page


@pytest.mark.parametrize("options", [(), ("--csv", "--html")])
def test_one_form_is_chosen(filled: Frontdesk, options: tuple[str, ...]) -> None:
    assert "choose one of --csv, --markdown and --html" in filled.fails(2, "conversations", "export", *options)


def test_a_row_shows_the_task_that_words_about_tasks_choose(frontdesk: Frontdesk) -> None:
    here = {"participantsIdentifiers": "L1#C1"}
    raws = [
        raw_task(1, title="Refund", dueDate=5_000, assignedAgentIds=["noa"], **here),
        raw_task(2, title="=Late", dueDate=9_000, **here),
    ]
    with frontdesk.store() as store:
        store.write(lambda db: task_store.put(db, raws)).result()

    def shown(*options: str) -> list[object]:
        (row,) = frontdesk("conversations", "list", "--json", *options).rows
        return [row[name] for name in ("task", "due", "assigned", "tasks")]

    assert shown() == ["t1", 5_000, ["noa"], ["t1", "t2"]]
    assert shown("--view", "unassigned") == ["t2", 9_000, [], ["t1", "t2"]]
    assert shown("--match", "agent:noa") == ["t1", 5_000, ["noa"], ["t1", "t2"]]
    assert not frontdesk("conversations", "list", "--json", "--match", "agent:noa is:unassigned").rows
    sheet = frontdesk("conversations", "export", "--csv", "--view", "unassigned").out
    (row,) = csv.DictReader(io.StringIO(sheet))
    assert (row["task"], row["assigned"]) == ("'=Late", "")
    assert "=Late" in frontdesk("conversations", "export", "--html", "--view", "unassigned").out


def test_the_other_lines_of_a_customer_are_in_the_json(filled: Frontdesk) -> None:
    with filled.store() as store:
        store.write(
            lambda db: db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id, name)"
                " VALUES ('L2#c0', 'L2', 'c0', 'Dana')"
            )
        ).result()
    rows = {row["conversation"]: row["otherLines"] for row in filled("conversations", "list", "--json").rows}
    assert (rows["L1#c0"], rows["L2#c0"], rows["L1#c1"]) == (["L2"], ["L1"], [])


def test_the_nearest_service_clock_is_in_the_json(filled: Frontdesk) -> None:
    clock = ServiceClock(ClockKind.FIRST, "Gold", ClockState.RUNNING, 100.0, 4_000.0, 4_000.0, 3_100.0)
    with filled.store() as store:
        store.write(lambda db: clock_store.put(db, {"L1#c0": {"": clock}})).result()
    rows = {row["conversation"]: row["serviceClock"] for row in filled("conversations", "list", "--json").rows}
    assert rows["L1#c0"] == {
        "kind": "first response",
        "policy": "Gold",
        "state": "running",
        "due": 4_000.0,
        "dueLatest": 4_000.0,
        "othersUnknown": False,
    }
    assert rows["L1#c1"] is None
