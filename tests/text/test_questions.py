"""Answers to a table of questions: what is missing or wrong, in their order, and what of them is kept."""

from frontdesk.text.questions import Answers, Question, fault_of, table

FORM = table(
    Question("name", "Name", is_required=True),
    Question("age", "Age", fault=fault_of(int)),
    Question("key", "Key", is_secret=True),
)


def test_the_first_question_that_is_missing_or_wrong_is_named_in_their_order() -> None:
    answers = Answers(FORM, {"age": "x"})
    assert answers.first_fault() == "name"
    answers.typed["name"] = " Noa "
    assert (answers.value("name"), answers.first_fault()) == ("Noa", "age")
    answers.typed["age"] = "7"
    assert answers.first_fault() is None


def test_nothing_is_wrong_with_what_was_not_typed() -> None:
    answers = Answers(FORM, {"age": "  "})
    assert answers.fault("age") == ""
    assert not answers.is_missing("age")


def test_a_draft_leaves_secrets_out_and_is_read_over_what_was_typed() -> None:
    draft = Answers(FORM, {"name": "Noa", "key": "canary"}).draft()
    assert "canary" not in draft
    again = Answers(FORM, {"name": "Dan", "age": "7"})
    again.read_draft(draft)
    again.read_draft("")
    assert again.typed == {"name": "Noa", "age": "7"}


def test_secrets_are_not_shown_with_the_answers() -> None:
    assert "canary" not in repr(Answers(FORM, {"key": "canary"}))
