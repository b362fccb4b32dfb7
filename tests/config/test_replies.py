"""Replies of the config: either a workflow or a text, with fields that are filled once."""

from pathlib import Path

import pytest

from frontdesk.config.profile_writer import save_profile
from frontdesk.config.replies import ReplySetting, read_replies
from frontdesk.config.settings import load_config


def written(tmp_path: Path, tables: str) -> Path:
    """A config with one profile."""
    path = tmp_path / "config.toml"
    path.write_text(f'[profiles.a]\nbase_url = "https://a.example"\n{tables}')
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x", "expected a table"),
        ({"text": "Hello"}, "name: expected a name"),
        ({"name": "  ", "text": "Hello"}, "name: expected a name"),
        ({"name": "Both", "text": "Hello", "workflow": "w1"}, "(Both): set either workflow or text"),
        ({"name": "None"}, "(None): set either workflow or text"),
        ({"name": "Folder", "text": "Hello", "folder": "f"}, "folder: goes with workflow"),
        ({"name": "Number", "text": 5}, "text: expected text"),
    ],
)
def test_what_is_no_reply_is_left_out_and_named(row: object, words: str) -> None:
    good, problems = {"name": "Hours", "text": "Nine to five"}, list[str]()
    found = read_replies([row, good], "profiles.a.replies", lambda _: None, problems)
    assert [each.name for each in found] == ["Hours"]
    (problem,) = problems
    assert problem.startswith("profiles.a.replies[0]")
    assert problem.endswith("; this reply is ignored")
    assert words in problem


def test_the_second_of_one_name_is_left_out_and_unknown_keys_are_noted() -> None:
    row, problems, noted = {"name": "Hours", "text": "Nine to five", "txt": ""}, list[str](), list[str]()
    assert len(read_replies([row, row], "replies", noted.append, problems)) == 1
    assert problems == ["replies[1].name: a duplicate of Hours; this reply is ignored"]
    assert noted == ["replies[0].txt", "replies[1].txt"]
    assert read_replies("x", "replies", noted.append, problems) == ()
    assert problems[1:] == ["replies: expected a list of tables, [[replies]]"]


def test_a_saved_profile_keeps_what_was_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[profiles.a.web_url]\ntask = "ftp://x"\n'
        '[[profiles.a.replies]]\nname = "Both"\ntext = "x"\nworkflow = "w"\n',
    )
    loaded = load_config(path)
    assert loaded.profiles["a"].replies == ()
    assert [each.split(":")[0] for each in loaded.settings.extensions.problems] == [
        "profiles.a.web_url.task",
        "profiles.a.replies[0] (Both)",
    ]
    save_profile(loaded.profiles["a"], path=path)
    assert load_config(path).settings.extensions.problems == loaded.settings.extensions.problems


def test_fields_are_filled_once_and_a_value_with_braces_stays_as_it_is() -> None:
    reply = ReplySetting("Visit", text="Hello {customer}, on {date} or {other day}? {date}! {} {1}")
    assert reply.fields == ("customer", "date", "other day")
    filled = reply.fill({"customer": "{date}", "date": "Monday"})
    assert filled == "Hello {date}, on Monday or {other day}? Monday! {} {1}"


def test_a_saved_profile_keeps_its_replies(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[[profiles.a.replies]]\nname = "Hours"\nworkflow = "w1"\nfolder = "f1"\n'
        '[[profiles.a.replies]]\nname = "Visit"\ntext = "On {date}?"\n',
    )
    loaded = load_config(path)
    wanted = (ReplySetting("Hours", workflow="w1", folder="f1"), ReplySetting("Visit", text="On {date}?"))
    assert loaded.profiles["a"].replies == wanted
    save_profile(loaded.profiles["a"], path=path)
    assert load_config(path).profiles["a"].replies == wanted
