"""The edit dialog: what was touched is saved, what was typed is kept, what strangers wrote stays words."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input, TextArea

from examples import few
from frontdesk.tasks.tui.dialogs import MAX_LENGTHS, EditDialog, Edited, MergeDialog, split_title
from frontdesk.tui import editor
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.editor import NotEdited
from frontdesk_lines.display_text import trusted
from tui.dialogs.test_dialogs import opened
from tui.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio

TITLE, BODY = "Late delivery", "Call the depot.\nThen the customer."


def edit(title: str = TITLE, body: str = BODY, draft: str = "") -> EditDialog:
    return EditDialog(trusted("Edit · Late delivery"), {"title": title, "body": body}, draft=draft)


async def test_enter_in_the_title_saves_it_alone() -> None:
    async with opened(edit()) as (_, pilot, answers):
        await pilot.press("!", "enter")
        await until(lambda: answers == [Answered(Edited({"title": f"{TITLE}!"}, {"title": TITLE}))])


async def test_enter_in_the_body_begins_a_line_and_the_words_at_the_end_save() -> None:
    async with opened(edit()) as (_, pilot, answers):
        await pilot.press("tab", "N", "o", "w", "enter", "tab", "enter")
        await until(lambda: answers == [Answered(Edited({"body": f"Now\n{BODY}"}, {"body": BODY}))])


async def test_what_was_not_touched_is_not_saved() -> None:
    async with opened(edit()) as (_, pilot, answers):
        await pilot.press("!", "backspace", "enter")
        await until(lambda: answers == [Closed("")])


async def test_line_ends_and_controls_of_strangers_are_no_touch_and_never_reach_the_terminal(
    wire: list[str],
) -> None:
    dialog = edit("\x1b]52;c;eA==\x07 a\r\nb\u202e", "one\r\ntwo\rthree\x9b31m\ttab")
    async with opened(dialog) as (app, pilot, answers):
        await pilot.press("tab", "down", "down", "x", "backspace")
        await quiet(app)
        assert "]52;c;eA== a b" in "\n".join(text_of(app))
        shown = "".join(wire)
        assert "]52;c;eA==\x07" not in shown
        assert not {"\x9b", "\u202e"} & set(shown)
        await pilot.press("escape")
        await until(lambda: answers == [Closed("")])


@few
@given(st.text(st.one_of(st.characters(), st.sampled_from("\r\n\t\x0b\x0c\x1c\x85\u2028 ")), max_size=60))
def test_a_body_that_is_only_looked_at_is_no_touch_whatever_is_in_it(body: str) -> None:
    dialog = edit(body=body)
    assert dialog._body.text == dialog._clean["body"]


async def test_what_was_typed_comes_back_with_what_it_was_typed_over() -> None:
    async with opened(edit()) as (_, pilot, answers):
        await pilot.press("?", "tab", "N", "o", "w", "escape")
        await until(lambda: len(answers) == 1)
    draft = answers[0].draft
    assert json.loads(draft)["before"] == {"title": TITLE, "body": BODY}
    async with opened(edit("Theirs", draft=draft)) as (app, pilot, answers):
        assert app.screen.query_one(Input).value == f"{TITLE}?"
        assert app.screen.query_one(TextArea).text == f"Now{BODY}"
        assert "Someone else changed this" in "\n".join(text_of(app))
        await pilot.press("enter")
        texts = {"title": f"{TITLE}?", "body": f"Now{BODY}"}
        await until(lambda: answers == [Answered(Edited(texts, {"title": TITLE, "body": BODY}))])


async def test_a_text_too_long_for_a_field_is_left_alone() -> None:
    async with opened(edit(body="long " * MAX_LENGTHS["body"])) as (app, pilot, answers):
        assert "Too long to edit here: text." in "\n".join(text_of(app))
        assert app.screen.query_one(TextArea).disabled
        await pilot.press("!", "enter")
        await until(lambda: answers == [Answered(Edited({"title": f"{TITLE}!"}, {"title": TITLE}))])


PICTURE = """\
╭─ Edit · Late delivery ───────────────────────────────────────────────────────╮
│   Title                                                                      │
│   Late delivery                                                              │
│   Text                                                                       │
│   Call the depot.                                                            │
│   Then the customer.                                                         │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│     Save      Cancel                                                         │
│                                                                              │
│   tab next  enter save (in the title)  ctrl+g own editor  esc cancel         │
╰──────────────────────────────────────────────────────────────────────────────╯"""


async def test_it_looks_like_this() -> None:
    async with opened(edit()) as (app, _, _):
        assert "\n".join(text_of(app)).strip() == PICTURE


async def test_save_is_on_the_screen_at_the_smallest_size_for_lists() -> None:
    async with opened(edit(), (60, 15)) as (app, _, _):
        shown = "\n".join(text_of(app))
        assert "Save" in shown
        assert "esc cancel" in shown


def use_editor(monkeypatch: pytest.MonkeyPatch, *answers: str | NotEdited) -> list[str]:
    """Let an editor answer with these texts; returns what it was given."""
    texts: list[str] = []

    def change(_: object, __: object, text: str, *, check: Callable[[str], str]) -> str:
        answer = answers[len(texts)]
        texts.append(text)
        if isinstance(answer, NotEdited):
            raise answer
        if why := check(answer):
            raise NotEdited(why)
        return answer

    monkeypatch.setattr(editor, "edit_text", change)
    return texts


REFUSALS = {
    "No editor is set.": NotEdited("No editor is set."),
    "title has more than 1,000 characters.": "x" * 1_001,
    "text has more than 20,000 characters.": f"x\n\n{'y' * 20_001}",
}


async def test_the_own_editor_changes_title_and_text_and_says_when_it_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = use_editor(monkeypatch, "Early\x1b\n\nCall first.\n\nThen write.", *REFUSALS.values(), "Soon")
    edited = {"title": "Early", "body": "Call first.\n\nThen write."}
    async with opened(edit("Late", "Call.")) as (app, pilot, answers):
        await pilot.press("ctrl+g")
        await quiet(app)
        assert isinstance(app.screen, EditDialog)
        assert app.screen.edited.texts == edited
        for words in REFUSALS:
            await pilot.press("ctrl+g")
            await quiet(app)
            assert words in " ".join(" ".join(text_of(app)).split())
        assert app.screen.edited.texts == edited
        assert texts == ["Late\n\nCall.", *["Early\n\nCall first.\n\nThen write."] * 3]
        await pilot.press("ctrl+g")
        await quiet(app)
        assert app.screen.edited.texts == {"title": "Soon", "body": ""}
        assert "✗" not in " ".join(text_of(app)), "what failed before is no longer said"
        assert not answers


async def test_of_a_title_that_is_too_long_the_own_editor_gets_the_text_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = use_editor(monkeypatch, "First.\n\nSecond.")
    async with opened(edit("x" * 1_001, "Call.")) as (app, pilot, _):
        await pilot.press("ctrl+g")
        await quiet(app)
        assert texts == ["Call."]
        assert isinstance(app.screen, EditDialog)
        assert app.screen.edited.texts == {"body": "First.\n\nSecond."}


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("T\n\nB", ("T", "B"), ("T", "B")),
        ("T", ("T", "B"), ("T", "")),
        ("T\nB\nC", ("T", "B"), ("T", "B\nC")),
        ("\n\nT\n\nB\n", ("T", "B"), ("T", "B")),
        ("\n\nB", ("", "B"), ("", "B")),
        ("T\n\n\n  B\n", ("T", "B\n"), ("T", "\n  B\n")),
    ],
)
def test_the_first_line_is_the_title(text: str, before: tuple[str, str], expected: tuple[str, str]) -> None:
    found = split_title(text, dict(zip(("title", "body"), before, strict=True)))
    assert (found["title"], found["body"]) == expected


@few
@given(st.text("ab ", max_size=8), st.text("ab \n", max_size=12))
def test_what_is_not_edited_stays(title: str, body: str) -> None:
    assert split_title(f"{title}\n\n{body}", {"title": title, "body": body}) == {"title": title, "body": body}


THEIRS, YOURS = {"body": "Call the depot.\nThey said Tuesday."}, {"body": "Call the depot.\nAsk for Dan."}


def merge(theirs: dict[str, str], yours: dict[str, str], draft: str = "") -> MergeDialog:
    return MergeDialog(trusted("Edit both · Late delivery"), theirs, yours, draft=draft)


async def test_theirs_stands_above_yours_and_the_answer_is_what_differs_from_theirs() -> None:
    async with opened(merge(THEIRS, YOURS)) as (app, pilot, answers):
        shown = "\n".join(text_of(app))
        assert shown.index("They said Tuesday.") < shown.index("Ask for Dan.")
        assert "Title" not in shown
        assert app.focused is app.screen.query(TextArea).last()
        await pilot.press("O", "h", " ", "tab", "enter")
        await until(lambda: answers == [Answered(Edited({"body": f"Oh {YOURS['body']}"}, THEIRS))])


async def test_theirs_can_be_taken_and_what_was_typed_comes_back() -> None:
    both = ({"title": "Theirs", **THEIRS}, {"title": "Yours", **YOURS})
    async with opened(merge(*both)) as (_, pilot, answers):
        await pilot.press("end", "!", "escape")
        await until(lambda: len(answers) == 1)
    async with opened(merge(*both, draft=answers[0].draft)) as (app, pilot, answers):
        assert app.screen.query_one(Input).value == "Yours!"
        await pilot.press("ctrl+r", "enter")
        await until(lambda: answers == [Answered(Edited())])


async def test_the_own_editor_gets_both_versions_and_gives_one_back(monkeypatch: pytest.MonkeyPatch) -> None:
    given, faults = list[str](), list[str]()

    def edit_text(_app: object, _environ: object, text: str, *, check: Callable[[str], str]) -> str:
        given.append(text)
        faults.extend([check(text), check(text.replace("<<<<<<< theirs\n", "")), check("Title\n\n=======\nBody")])
        return "One\n\nCall Dan at the depot.\n=======\n"

    monkeypatch.setattr(editor, "edit_text", edit_text)
    theirs, yours = {"title": "Theirs", "body": "Depot\n=======\n"}, {"title": "Yours", "body": "Dan"}
    async with opened(merge(theirs, yours)) as (_, pilot, answers):
        await pilot.press("ctrl+g", "enter")
        await until(lambda: len(answers) == 1)
    assert given == ["<<<<<<< theirs\nTheirs\n\nDepot\n=======\n\n=======\nYours\n\nDan\n>>>>>>> yours"]
    assert [each.partition(" from the")[0] for each in faults] == [
        "Remove the line <<<<<<< theirs",
        "Remove the line >>>>>>> yours",
        "",
    ]
    assert answers == [Answered(Edited({"title": "One", "body": "Call Dan at the depot.\n======="}, theirs))]
