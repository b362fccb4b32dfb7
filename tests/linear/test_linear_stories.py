"""What a person does at the prompt, over a real store."""

import re
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.campaigns.linear import AlertNews
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.settings import Settings
from frontdesk.inbox.search import index_all
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store.conversation_query import UNREAD
from frontdesk.linear.app import COMMANDS
from frontdesk.linear.console import Console
from frontdesk.outbox import queue
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.records import ChangeState, ConversationOrder, MessagePosition
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import CampaignId, ConversationId, StatusId, TaskId
from frontdesk_lines.display_text import trusted
from linear.running_session import NOW, Desktop
from linear.test_linear_sentences import UNHEARD
from sample_json import raw_task


def status(at: Desktop, number: int) -> str:
    task = record_lookup.task(at.services.store.reading, TaskId(f"t{number}"))
    assert task is not None
    return task.status


def assigned(at: Desktop, number: int) -> tuple[str, ...]:
    task = record_lookup.task(at.services.store.reading, TaskId(f"t{number}"))
    assert task is not None
    return task.assigned


def title(at: Desktop, number: int) -> str:
    task = record_lookup.task(at.services.store.reading, TaskId(f"t{number}"))
    assert task is not None
    return task.title


def test_a_list_says_what_it_is_of_numbers_its_rows_and_goes_on(at: Desktop) -> None:
    said = at.say("list").splitlines()
    assert said[0] == "Conversations, 10 of 15, longest waiting first, loaded 0 of 15:"
    assert said[1].startswith(
        "1. Customer 01, last active today at 21:13, waiting time unknown, 1 open task, unassigned."
    )
    assert said[-1] == "5 more. To continue, type more."
    assert at.say("more").splitlines()[0].startswith("11. Customer 11")
    assert at.say("more") == "That's all: 15 conversations.\n"


def test_numbers_mean_what_was_printed_however_the_list_is_sorted_since(at: Desktop) -> None:
    at.say("list")
    # Customer 9 is due before all others now and has another name; its number stays.
    at.change(lambda db: task_store.put(db, [raw_task(9, title="Late sofa", updatedAt=NOW, dueDate=1)]))
    at.thread(12, 3)
    assert "t9" not in at.say("complete 9")
    assert [status(at, number) for number in (8, 9, 10)] == ["open", "completed", "open"]
    assert at.say("more").startswith("11. Customer 11")


def test_a_wrong_number_says_which_there_are(at: Desktop) -> None:
    assert "No list yet" in at.say("open 3")
    assert "the last list shows 10 conversations" in at.say("list", "open 11")
    assert "the last list shows 10 conversations" in at.say("open 0")
    assert "the last list is empty" in at.say("find zzzz", "open 1")


@pytest.mark.parametrize(
    "lines",
    [
        ["find zzzz"],
        ["search zzzz"],
        ["board completed"],
        ["open 99"],
        ["open"],
        ["open nobody"],
        ["jump customer"],
        ["thread 99"],
        ["task 99"],
        ["find zzzz", "open 1"],
        ["find is:nothing", "open 1"],
        ["fnid customer", "open 1"],
    ],
)
def test_after_something_could_not_be_opened_or_found_no_command_works_on_what_was_open_before(
    at: Desktop, lines: list[str]
) -> None:
    at.say("list", "open 3", *lines)
    said = at.say("complete")
    assert said == "Which one? Type a number from the list, or open something first.\n"
    assert [status(at, each) for each in range(1, 16)] == ["open"] * 15


@pytest.mark.parametrize("line", ["find is:nothing", "task", "customer 99", "assign this nobody", "tag"])
def test_other_failures_leave_open_what_is_open(at: Desktop, line: str) -> None:
    at.console.is_script = False
    at.say("list", "open 3", line)
    assert at.session.conversation_id == "L1#C3"


@pytest.mark.parametrize(
    ("lines", "return_code"),
    [
        ("list\nopen 3\nfind zzzz\nopen 1\ncomplete\nquit\n", 1),
        ("list\nopen 3\nfind zzzz\nopen 1\ncomplete\n", 1),
        ("list\nstauts 1 open\nopen 1\n", 1),
        ("open nobody\n", 1),
        ("wait 0\n", 1),
        ("list\nopen 3\ncomplete\nfind zzzz\nquit\n", 0),
    ],
)
def test_a_script_ends_with_status_1_after_a_command_failed(tmp_path: Path, lines: str, return_code: int) -> None:
    at = Desktop(tmp_path / "profile", lines)
    at.run()
    assert at.app.return_code == return_code
    at.store.close()


def test_a_person_at_the_prompt_may_mistype(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile", "stauts 1 open\nquit\n")
    at.console.is_script = False
    at.run()
    assert at.app.return_code == 0
    at.store.close()


def test_an_unknown_command_names_the_nearest_one(at: Desktop) -> None:
    assert at.say("stauts 1 open") == "Unknown command stauts. Did you mean status?\n"


def test_opening_says_the_customer_the_task_and_the_newest_messages_and_takes_them_as_read(at: Desktop) -> None:
    at.thread(2, 25)
    at.say("list")
    said = at.say("1")
    assert "Customer 02, line: Service." in said
    assert "Task: Task 2, status Open" in said
    lines = said.splitlines()
    assert "The newest 10 messages, oldest first:" in lines
    assert lines[-1] == "22:03, Customer 02: words 25"
    assert conversation_store.ids(at.services.store.reading, ConversationOrder.WAITING, -1, [UNREAD]) == []


def test_a_single_message_has_no_order(at: Desktop) -> None:
    at.thread(2, 1)
    at.say("list")
    assert "The newest message:" in at.say("1").splitlines()


def test_older_and_newer_walk_a_thread_without_losing_or_repeating_a_message(at: Desktop) -> None:
    at.thread(2, 25)
    at.say("list", "1")
    older = re.findall(r"words (\d+)", at.say("older", "older"))
    assert older == [str(each) for each in (*range(6, 16), *range(1, 6))]
    assert at.say("older") == "Nothing older: the thread starts here.\n"
    assert re.findall(r"words (\d+)", at.say("newer")) == [str(each) for each in range(6, 16)]
    assert re.findall(r"words (\d+)", at.say("newer")) == [str(each) for each in range(16, 26)]
    assert at.say("newer") == "No newer messages.\n"
    at.thread(2, 27, newest=NOW - 480)
    assert re.findall(r"words (\d+)", at.say("newer")) == ["26", "27"]


def test_what_is_not_stored_is_asked_for(at: Desktop) -> None:
    at.thread(2, 5, has_more=True)
    at.say("list", "1")
    said = at.say("older")
    assert "Loading older messages" in said
    assert "No response yet" in said
    assert "Nothing older is loaded" in at.say("older skip")


def test_deeds_name_what_they_were_done_on_and_undo_takes_them_back(at: Desktop) -> None:
    at.say("list", "3")
    assert at.say("status this comp") == "Status set to Completed for Task 3 (Customer 03). To undo, type undo.\n"
    assert status(at, 3) == "completed"
    assert at.say("u") == "Undone: Status Completed, on Task 3 (Customer 03). To redo, type redo.\n"
    assert status(at, 3) == "open"
    assert "Redone: Status Completed, on Task 3 (Customer 03)." in at.say("U")
    assert at.say("complete 3") == "Nothing to change on Task 3 (Customer 03).\n"


def test_what_was_done_here_is_undone_on_a_screen_and_the_other_way_round(at: Desktop) -> None:
    at.say("list", "complete 1")
    done = at.services.outbox.undo().result()
    assert done is not None
    assert done.label == "Status: Completed"
    at.services.tasks.set_status([TaskId("t1")], StatusId("completed")).result()
    assert "Undone" in at.say("undo")
    assert status(at, 1) == "open"


def test_a_deed_works_on_numbers_else_on_marks_else_on_what_is_open(at: Desktop) -> None:
    assert "Which one?" in at.say("complete")
    at.say("list", "5", "mark 1 2-3")
    assert "3 marked" in at.say("mark")
    at.say("status comp")
    assert [status(at, each) for each in (1, 2, 3, 5)] == ["completed", "completed", "completed", "open"]
    at.say("status this comp")
    assert status(at, 5) == "completed"
    assert at.say("mark") == "Nothing is marked.\n", "what was done on marks takes them off"
    at.say("status 4,6 comp")
    assert [status(at, each) for each in (4, 6, 7)] == ["completed", "completed", "open"]


def test_a_deed_on_many_is_asked_about(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "asked", "no\nyes\n")
    at.say("list 15", "mark all")
    assert "and 5 more? Type yes" in at.say("complete")
    assert status(at, 1) == "open"
    at.say("complete")
    assert [status(at, each) for each in (1, 15)] == ["completed", "completed"]
    at.store.close()


def test_done_completes_a_task_and_opens_the_next_row(at: Desktop) -> None:
    at.say("list", "3")
    said = at.say("done").splitlines()
    assert said[:2] == [
        "Status set to Completed for Task 3 (Customer 03). To undo, type undo.",
        "Row 4:",
    ]
    assert said[2].startswith("Customer 04")
    assert (status(at, 3), at.session.conversation_id) == ("completed", "L1#C4")
    at.say("M 6-7")
    assert [status(at, each) for each in (4, 6, 7)] == ["open", "completed", "completed"]
    assert at.session.conversation_id == "L1#C8"


def test_done_gives_the_next_row_a_number_and_stops_at_the_last(at: Desktop) -> None:
    assert "Row 11:\nCustomer 11" in at.say("list", "done 10")
    assert "Row 15:\nCustomer 15" in at.say("done 11", "done", "done", "done")
    assert at.say("15", "done").endswith("That was the last row of the list.\n")
    assert [status(at, each) for each in (10, 15)] == ["completed", "completed"]


def test_done_follows_the_list_of_tasks_and_of_conversations(at: Desktop) -> None:
    at.say("board open", "task 2")
    second = at.session.at_number(2)
    third = at.session.at_number(3)
    assert "Row 3:\nTask: " in at.say("done")
    assert at.session.task_id == third[1]
    assert status(at, int(second[1].removeprefix("t"))) == "completed"
    at.say("list", "task 4")
    assert at.session.task_id is not None
    assert "Row 5:" in at.say("done")


def test_done_says_that_there_is_no_next_row(at: Desktop) -> None:
    said = at.say("open L1 C3", "done")
    assert "No next row, because this isn't in the last list." in said
    assert status(at, 3) == "completed"


def test_a_canceled_done_opens_nothing(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "asked", "no\n")
    assert "Row" not in at.say("list 15", "done 1-12")
    assert (status(at, 1), at.session.conversation_id) == ("open", None)
    at.store.close()


def test_people_are_put_on_and_taken_off_by_name(at: Desktop) -> None:
    at.say("list")
    assert at.say("assign 1 noa, omar") == "Assigned to Noa, Omar: Task 1 (Customer 01). To undo, type undo.\n"
    at.say("assign 1 me, -noa")
    assert assigned(at, 1) == ("omar", "me")
    assert at.say("unassign 1 , ,") == "No name in ', ,'.\n"
    assert assigned(at, 1) == ("omar", "me")
    at.say("unassign 1")
    assert assigned(at, 1) == ()
    at.say("me 2")
    assert assigned(at, 2) == ("me",)
    assert "No person named zoe; choose from Me, Noa and Omar." in at.say("assign 1 zoe")
    assert "Assign to whom?" in at.say("assign 1")


def test_due_takes_words_and_says_the_moment_in_full(at: Desktop) -> None:
    at.say("list")
    said = at.say("due 1 2023-11-16 09:00")
    assert said == "Due date set to Thursday 16 November at 09:00 for Task 1 (Customer 01). To undo, type undo.\n"
    task = record_lookup.task(at.services.store.reading, TaskId("t1"))
    assert task is not None
    assert task.due_at == datetime(2023, 11, 16, 9, tzinfo=UTC).timestamp()
    assert at.say("due 1 none") == "Due date cleared for Task 1 (Customer 01). To undo, type undo.\n"
    assert "in the past" in at.say("due 1 2023-11-01")
    assert "isn't a recognized time" in at.say("due 1 25:99")
    assert "Due when?" in at.say("due 1")


def test_tags_are_given_by_name_and_a_new_id_only_when_it_is_said_to_be_one(at: Desktop) -> None:
    at.say("list")
    assert at.say("tag 1 ,") == "No name in ','.\n"
    said = at.say("tag 1 vip, #refund")
    assert said.startswith("Tagged VIP, Refund: Customer 01.")
    given = queue.added_tags(at.services.store.reading, ConversationId("L1#C1"))
    assert sorted(tag for tag, _, _ in given) == ["refund", "vip"]
    assert "No tag named vop" in at.say("tag 1 vop")
    at.say("tag 1 id:vop")
    assert "vop" in [tag for tag, _, _ in queue.added_tags(at.services.store.reading, ConversationId("L1#C1"))]
    assert "Tags added in frontdesk: VIP (unconfirmed)" in at.say("customer 1")


def test_a_title_is_set_and_a_colleagues_text_is_not_lost(at: Desktop) -> None:
    at.say("list")
    assert (
        at.say("edit 1 title Sofa came broken") == "Title of Task 1 (Customer 01) changed. To undo, type undo.\n"
    )
    assert title(at, 1) == "Sofa came broken"
    at.say("undo")
    assert title(at, 1) == "Task 1"
    assert "Current title: Task 1." in at.say("edit 1 title")
    at.say("privacy on")
    assert "Names, numbers and texts are hidden. To edit this one" in at.say("edit 1 title")
    at.say("privacy off")
    assert "one task at a time" in at.say("edit 1,2 title x")
    assert "Choose one of: title, text." in at.say("edit 1 colour red")
    assert "Text of Task 1 (Customer 01) changed." in at.say("edit 1 body Came broken")


def test_activity_lists_what_needs_a_decision_first_and_how_it_is_decided(at: Desktop) -> None:
    at.say("list", "complete 1", "complete 2")
    first = min(change.change_id for change in queue.recent(at.services.store.reading))
    at.change(
        lambda db: queue.move(
            db,
            first,
            ChangeState.CONFLICT,
            expected=tuple(ChangeState),
            now=NOW,
            reason="someone else changed this in the meantime",
            theirs={"statusCase": "parked"},
        )
    )
    said = at.say("activity").splitlines()
    assert said[0] == "Activity, 2, 1 needs a decision, 1 unconfirmed, these first, then newest:"
    assert said[1].startswith("1. Status: Completed, on Task 1")
    assert "reason: someone else changed this in the meantime" in said[1]
    opened = at.say("1")
    assert "Status, was: Open; theirs: parked; yours: Completed." in opened
    assert "To resend yours, type retry. To discard it" in opened
    assert at.say("drop") == "Discarded: Status Completed, on Task 1 (Customer 01).\n"
    assert "No change needs a decision" in at.say("retry")


def test_an_undo_that_is_refused_says_on_what_or_how_many_and_why(at: Desktop) -> None:
    at.say("list", "complete 1-2")
    done = queue.recent(at.services.store.reading)
    for each in done:
        at.change(
            lambda db, each=each: queue.move(
                db, each.change_id, ChangeState.CONFLICT, expected=tuple(ChangeState), now=NOW
            )
        )
    why = "it never took effect; see Activity.\n"
    assert at.say("undo") == f"Can't undo Status Completed on any of the 2 tasks: {why}"
    at.say("complete 3")
    change = queue.recent(at.services.store.reading)[0]
    at.change(
        lambda db: queue.move(db, change.change_id, ChangeState.CONFLICT, expected=tuple(ChangeState), now=NOW)
    )
    assert at.say("undo") == f"Can't undo Status Completed on Task 3 (Customer 03): {why}"


def test_a_board_counts_its_columns_and_lists_one(at: Desktop) -> None:
    at.say("list", "complete 1-4")
    assert "Status 1: Open, 11 tasks." in at.say("board")
    assert at.say("board comp").splitlines()[0] == "Tasks with status Completed, 4:"
    assert "Created: today at 20:13 (estimated)." in at.say("task 2")
    assert "No status named blue" in at.say("board blue")


def test_find_and_search_say_what_they_looked_for(at: Desktop) -> None:
    at.thread(3, 4)
    index_all(at.services.store)
    assert at.say("/customer 07").splitlines()[1].startswith("1. Customer 07")
    said = at.say("search words 3").splitlines()
    assert said[0].startswith("Results for words 3, 1, ")
    assert said[1].startswith("1. Message, Customer 03, today at ")
    assert "Customer 03" in at.say("1")
    assert "Find what?" in at.say("find")


def test_a_customer_is_jumped_to_by_name_and_several_are_listed(at: Desktop) -> None:
    assert at.say("open customer 07").startswith("Customer 07, line: Service.")
    assert at.say("jump C4").startswith("Customer 04, line: Service.")
    said = at.say("J customer").splitlines()
    assert said[0].startswith("Customers matching customer, 10 of 15, best match first:")
    assert "No customer matches qqqq" in at.say("jump qqqq")


def test_a_conversation_that_no_task_names_is_opened_by_line_and_customer(at: Desktop) -> None:
    assert at.say("open L1 972521234567").startswith("972521234567, line: Service.")
    assert at.session.conversation_id == "L1#972521234567"


def test_a_message_that_was_found_is_opened_where_it_stands(at: Desktop) -> None:
    at.thread(3, 40)
    index_all(at.services.store)
    at.say("search words 17")
    assert re.findall(r"words (\d+)", at.say("1")) == [str(each) for each in range(12, 22)]
    assert conversation_store.ids(at.services.store.reading, ConversationOrder.WAITING, -1, [UNREAD]) == ["L1#C3"]
    assert re.findall(r"words (\d+)", at.say("newer")) == [str(each) for each in range(22, 32)]
    assert "There are more" not in at.say("newer")
    assert at.say("newer") == "No newer messages.\n"
    assert re.findall(r"words (\d+)", at.say("older")) == [str(each) for each in range(2, 12)]


def test_the_connection_says_that_the_disk_is_full_though_no_report_can_be_written(at: Desktop) -> None:
    def full(_: object) -> None:
        raise apsw.FullError("database or disk is full")

    at.services.store.write(full).exception()
    assert "can't save, the disk is full; free up space for" in at.say("connection")
    at.services.store.flush().result()
    assert "disk" not in at.say("connection")


def test_lists_are_sorted_by_name_filtered_to_unread_and_the_order_is_kept(at: Desktop) -> None:
    at.thread(4, 2)
    assert "by name:" in at.say("list by name")
    at.say("list", "connection")
    assert at.session.order is ConversationOrder.NAME
    assert (
        at.say("list unread").splitlines()[0]
        == "Unread conversations, 1 of at least 1, from a total of 15, by name, loaded 1 of 15:"
    )
    at.say("read 1")
    assert at.say("list unread") == "No unread conversations.\n1 of 15 conversations loaded so far.\n"
    at.say("list", "unread 4", "7", "n")
    assert at.session.conversation_id == "L1#C4"


def test_a_saved_view_is_listed_by_name_and_views_are_counted(at: Desktop) -> None:
    at.say("list", "me 3")
    assert "mine, 1 conversation." in at.say("views")
    assert at.say("list mine").splitlines()[:2] == [
        "Conversations in the view mine, 1, from a total of 15, longest waiting first, loaded 0 of 15:",
        "1. Customer 03, last active today at 19:13, waiting time unknown, task Task 3, assigned to you, "
        "unconfirmed change.",
    ]
    assert at.say("list overdue unread").startswith("No unread conversations in the view overdue.\n0 of 15")
    assert "No view named blue; choose from all, mine," in at.say("list blue")
    assert at.say("find is:mine").splitlines()[0].startswith("Conversations with is:mine, 1,")
    assert "is:odd isn't one of" in at.say("find is:odd")
    assert at.say("find is:unred") == "is:unred: did you mean is:unread?\n"


def test_raw_records_are_given_as_they_came(at: Desktop) -> None:
    at.thread(1, 2)
    at.say("list", "1")
    assert '"taskId": "t1"' in at.say("raw")
    assert '"messageId": "m00002"' in at.say("raw message")


def test_a_campaign_is_watched_by_its_id(at: Desktop) -> None:
    assert "No campaigns watched yet" in at.say("campaigns")
    at.say("watch cmp-1")
    assert at.say("campaigns").splitlines()[1] == "1. cmp-1, not loaded yet."
    assert [each.campaign_id for each in campaign_store.watched(at.services.store.reading)] == [
        CampaignId("cmp-1")
    ]
    at.say("unwatch 1")
    assert campaign_store.watched(at.services.store.reading) == []


def test_alerts_are_announced_listed_and_hidden_until_they_fire_again(at: Desktop) -> None:
    at.say("watch cmp-1")
    store = at.services.store
    news = AlertNews(store.reading, NOW - 1)

    def fire(moment: float) -> None:
        raised = Alert("cmp-1 failed", CampaignId("cmp-1"), "Spring", "failed 4.2%, limit 3%", moment, None)
        store.write(lambda db: alert_store.put(db, raised)).result()

    def announced() -> list[str]:
        return [each.text for each in news({change_feed.CAMPAIGN: ["cmp-1"]}, at.session.view())]

    assert at.say("alerts") == at.say("dismiss") == "There are no alerts.\n"
    fire(NOW - 0.5)
    assert announced() == ["Alert: Spring: failed 4.2%, limit 3%, today at 22:13."]
    assert announced() == []
    assert at.say("alerts").splitlines() == [
        "Spring: failed 4.2%, limit 3%, today at 22:13.",
        "To hide them until they fire again, type dismiss.",
    ]
    assert at.say("dismiss") == "Hid 1 alert until they fire again.\n"
    assert at.say("alerts") == "There are no alerts.\n"
    fire(NOW)
    assert len(announced()) == 1
    assert "Spring" in at.say("alerts")


def test_a_bulk_change_is_one_sentence_of_activity_and_is_undone_by_its_number(at: Desktop) -> None:
    at.say("list", "complete 1 2 3")
    at.say("status 4 in progress")
    said = at.say("activity").splitlines()
    assert len(said) == 3, "a head and two actions"
    assert re.match(r"2\. Status: Completed, on .* and 2 more, .* 3 sends within 5 s\.$", said[2]) is not None
    assert at.say("open 2").count("Status: Completed, on") == 3
    at.say("activity")
    assert "then drop one" in at.say("drop 2")
    assert at.say("undo 2").startswith("Undone: Status Completed, on ")
    states = {each.target: each.state for each in queue.recent(at.services.store.reading)}
    assert sorted(states.values()) == [ChangeState.HELD, *[ChangeState.UNDONE] * 3]
    assert "it was undone already" in at.say("activity", "undo 2")


def test_help_has_every_command_and_more_on_each(at: Desktop) -> None:
    said = at.say("help")
    assert all(f"{command.usage}: {command.help}" in said for command in COMMANDS.values())
    assert "Also: d." in at.say("help due")
    assert "Unknown command foo" in at.say("help foo")


def test_leaving_says_what_is_not_sent_and_that_it_is_kept(at: Desktop) -> None:
    at.say("list", "complete 1")
    assert "1 change isn't confirmed yet. Nothing is lost" in at.say("quit")
    assert at.session.is_over


def test_lines_end_the_run_when_there_are_no_more(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile", "list\nopen 1\ncomplete\n")
    said = at.run()
    assert said.startswith("frontdesk, linear mode, profile acme.")
    assert "Status set to Completed for Task 1 (Customer 01)." in said
    assert said.endswith("in the background, or the next time it runs.\n")
    at.store.close()


def test_news_waits_for_the_prompt_and_many_are_summed_up(at: Desktop) -> None:
    for number in range(8):
        at.app.news.add(trusted(f"piece {number}"))
    assert len(at.app.news.pop_lines()) == 7
    assert "piece 7" in at.say("news")
    assert at.say("news") == "No new notifications.\n"
    at.say("announce off")
    at.app.news.add(trusted("kept"))
    assert at.app.news.pop_lines() == []
    assert "kept" in at.say("news")


def test_lines_are_wrapped_only_where_that_is_asked(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile")
    assert max(map(len, at.say("help").splitlines())) > 60
    wrapped = Console(None, at.console._out, width=40)
    at.session.console = wrapped
    assert max(map(len, at.say("help").splitlines())) <= 40
    at.store.close()


WORDS = st.sampled_from(
    ["1", "2,4", "3-1", "99", "this", "all", "none", "comp", "noa", "tomorrow", "title x", "id:x", "-noa", "by"]
)
LINES = st.one_of(
    st.text(max_size=30),
    st.builds(
        " ".join,
        st.tuples(
            st.sampled_from(sorted(COMMANDS)), st.lists(WORDS | st.text(max_size=8), max_size=3).map(" ".join)
        ),
    ),
)


@pytest.mark.slow
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(LINES, min_size=1, max_size=6))
def test_no_line_ends_the_run_or_gets_a_control_character_out(at: Desktop, lines: list[str]) -> None:
    at.change(
        lambda db: task_store.put(db, [raw_task(1, title="\x1b]52;c;eA==\x07\u202eevil", body="a\x9bb\r\nc")])
    )
    said = at.say("list", *lines)
    assert "Something went wrong" not in said
    assert not UNHEARD.search(said.replace("\n", ""))


def test_the_settings_say_how_news_begins(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile", settings=Settings(announce="off"))
    assert at.say("announce") == "Notifications are saved. To show them, type news.\n"
    at.store.close()


def test_a_command_without_its_words_says_how_it_is_written(at: Desktop) -> None:
    at.say("list", "1")
    for command in ("find", "search", "status", "assign", "due", "tag", "watch"):
        assert re.search("[Tt]ype:? ", at.say(command)), command


@pytest.mark.parametrize("words", ["workflows", "agents", "campaigns"])
def test_an_empty_list_says_so(at: Desktop, words: str) -> None:
    assert at.say(words).startswith("No ")


def test_what_is_mine_can_not_be_found_while_nobody_knows_who_i_am(at: Desktop) -> None:
    at.services.store.profile = replace(at.services.store.profile, agent_id=None)
    assert at.say("find agent:me") == "This filter needs agent_id in the profile.\n"


def test_a_store_that_is_damaged_while_it_is_written_to_is_opened_anew(at: Desktop) -> None:
    """Not said once a line, and never mended."""
    failed: Future[int] = Future()
    failed.set_exception(apsw.CorruptError("malformed"))
    with pytest.raises(apsw.CorruptError):
        at.session.wait_for(failed)


def test_newer_leaves_none_out_where_the_last_message_was_forgotten_meanwhile(at: Desktop) -> None:
    at.thread(1, 3)
    at.say("jump customer 01")
    (page,) = at.session.pages
    assert page.first is not None
    at.session.pages = [replace(page, last=just_after(page.first))]
    assert at.say("newer").startswith("2 newer messages:")


def just_after(key: MessagePosition) -> MessagePosition:
    """A place behind that message and before the next, where none is stored."""
    return key._replace(created_at=key.created_at + 1)


def test_tasks_that_came_since_the_last_look_are_counted_and_listed(at: Desktop) -> None:
    assert "new since" not in at.say("board")
    at.store.write(lambda db: task_store.put(db, [raw_task(71, createdAt=NOW, title="Lost key")])).result()
    assert "1 task has news since your last look: 1 created. To list them, type board news." in at.say("board")
    assert at.say("board news").splitlines()[0] == "Tasks with news, 1:"
    assert at.say("board news") == "No task has news since your last look.\n"
    assert "new since" not in at.say("board")


def test_campaigns_say_what_is_new_once(at: Desktop) -> None:
    at.say("watch cmp-1", "campaigns")
    alert = Alert("cmp-1 finished", CampaignId("cmp-1"), "Winter", "finished", at.now + 1, ())
    at.store.write(lambda db: alert_store.put(db, alert)).result()
    assert "New since your last look: cmp-1, finished.\n" in at.say("campaigns")
    assert "New since" not in at.say("campaigns")


def test_a_board_that_was_never_read_is_not_said_to_be_empty(tmp_path: Path) -> None:
    empty = Desktop(tmp_path / "empty", customers=0)
    assert empty.say("board") == "Connecting. Rows appear as they load.\n"
    assert "No task" not in empty.say("board open")


def put_second_task(at: Desktop) -> None:
    """Customer 2 has two open tasks, the more urgent one is `Refund`."""
    raw = raw_task(77, title="Refund", dueDate=NOW - 60, participantsIdentifiers="L1#C2")
    at.store.write(lambda db: task_store.put(db, [{**raw, "customer": {"customerName": "Customer 02"}}])).result()


def put_task_of_noa(at: Desktop) -> None:
    """Beside Task 3, which is mine, customer 3 has Noa's `Refund`, which is due first."""
    raw = raw_task(77, title="Refund", dueDate=NOW - 60, participantsIdentifiers="L1#C3", assignedAgentIds=["noa"])
    at.store.write(lambda db: task_store.put(db, [{**raw, "customer": {"customerName": "Customer 03"}}])).result()


def test_a_row_of_mine_names_my_task_and_commands_work_on_it(at: Desktop) -> None:
    at.say("list", "me 3")
    put_task_of_noa(at)
    row = at.say("list mine").splitlines()[1]
    assert row.startswith(
        "1. Customer 03, last active today at 19:13, waiting time unknown, task Task 3, 1 of 2 open tasks,"
    )
    assert "assigned to you" in row
    assert "overdue" not in row, "the other task is"
    assert "Status set to Completed for Task 3 (Customer 03)." in at.say("complete 1")
    assert (status(at, 3), status(at, 77)) == ("completed", "open")
    assert "Nothing to change on Task 3 (Customer 03)." in at.say("complete 1")
    overdue = at.say("list overdue").splitlines()[1]
    assert "task Refund, overdue by 1 minute" in overdue
    assert "assigned to Noa" in overdue


def test_what_is_opened_or_marked_from_a_list_keeps_its_task(at: Desktop) -> None:
    at.say("list", "me 3")
    put_task_of_noa(at)
    at.say("list mine")
    assert "2 open tasks; commands work on Task 3 (Customer 03)." in at.say("1")
    assert "Conversation Customer 03, task Task 3 (Customer 03)." in at.say("mark 1")
    at.say("list overdue", "open L1#C9")
    assert "marked, Customer 03" in at.say("list overdue")
    assert "task Task 3" in at.say("list overdue"), "the mark keeps it in another list, too"
    at.say("complete")
    assert (status(at, 3), status(at, 77)) == ("completed", "open")
    assert "task Refund" in at.say("list overdue"), "without a mark it is about the overdue one"


def test_a_task_that_is_gone_is_not_replaced_by_another(at: Desktop) -> None:
    at.say("list", "me 3")
    put_task_of_noa(at)
    at.say("list mine")
    at.store.write(lambda db: task_store.remove(db, TaskId("t3"))).result()
    assert "That task no longer exists." in at.say("complete 1")
    assert status(at, 77) == "open"


def test_opening_names_the_one_of_several_tasks_that_commands_work_on(at: Desktop) -> None:
    put_second_task(at)
    at.say("jump Customer 02")
    assert "2 open tasks; commands work on Refund (Customer 02)." in at.say("open L1#C2", "jump Customer 02")


def test_at_the_prompt_what_may_be_another_task_than_meant_is_asked_about_by_name(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "typed", "no\nno\nyes\n")
    put_second_task(at)
    at.console.is_typed = True
    at.console.read = lambda *_: at.console._in.readline()  # type: ignore[method-assign]
    at.say("list 15")
    place = next(place for place in range(1, 16) if at.session.at_number(place)[1] == "L1#C2")
    assert "Set the status to Completed for Refund (Customer 02)? Type yes" in at.say(f"complete {place}")
    at.say("mark 1 3", "open 5")
    said = at.say("complete")
    assert "Customer" in said
    assert "Canceled. Nothing was changed." in said
    assert len(at.session.marks) == 2, "marks outlast a question that was answered no"
    at.say("complete")
    assert not at.session.marks
    at.store.close()
