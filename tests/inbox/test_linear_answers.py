"""`noanswer` in the linear mode, and how it says since when a customer waits."""

from linear.running_session import Desktop


def test_who_waits_and_wrote_again_is_said_with_both_times(at: Desktop) -> None:
    at.thread(1, 3)
    assert "Customer 01, 3 unread, waiting for 12 minutes, last wrote 10 minutes ago" in at.say("list by name")
    assert "Waiting: 12 minutes, last wrote 10 minutes ago." in at.say("customer 1")
    at.thread(2, 1)
    assert "Customer 02, 1 unread, waiting for 10 minutes, 1 open task" in at.say("list by name")


def test_no_answer_is_needed_and_is_needed_again(at: Desktop) -> None:
    at.thread(1, 3)
    at.say("list by name")
    said = at.say("noanswer 1")
    assert "No answer needed, in frontdesk only: Customer 01." in said
    assert "To undo, type undo." in said
    assert "waiting for" not in at.say("list by name")
    assert "Waiting: no answer needed." in at.say("customer 1")
    at.say("list by name")
    assert "Waiting for an answer, in frontdesk only: Customer 01." in at.say("noanswer 1")
    at.say("undo")
    assert "Waiting: no answer needed." in at.say("customer 1")
    at.say("list by name")
    assert "No one is waiting for an answer there." in at.say("noanswer 2")


def test_several_are_marked_by_one_rule_read_where_any_is_unread(at: Desktop) -> None:
    at.thread(1, 3)
    at.thread(2, 0)
    at.say("list by name")
    assert "Marked read, in frontdesk only: Customer 01, Customer 02." in at.say("toggle 1,2")
    assert "unread" not in at.say("list by name")
    assert "Marked unread, in frontdesk only: Customer 01, Customer 02." in at.say("m 1,2")


def test_many_are_marked_without_a_question(at: Desktop) -> None:
    at.say("list")
    assert "Canceled" not in at.say("noanswer 1-12")
