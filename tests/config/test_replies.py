"""Replies of the config: either a workflow or a text, with fields that are filled once."""

from pathlib import Path

import pytest

from frontdesk.config.account_writer import save_profile
from frontdesk.config.config_tables import ReplySetting
from frontdesk.config.settings import Profile, load_config
from frontdesk.config.tables import TableReader, keys_of

REPLIES = keys_of(Profile)["replies"]


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
    good, reader = {"name": "Hours", "text": "Nine to five"}, TableReader()
    found = reader.value(REPLIES, [row, good], "profiles.a.replies")
    assert [each.name for each in found] == ["Hours"]
    (problem,) = reader.problems
    assert problem.startswith("profiles.a.replies[0]")
    assert problem.endswith("; this reply is ignored")
    assert words in problem


def test_the_second_of_one_name_is_left_out_and_unknown_keys_are_noted() -> None:
    row, reader = {"name": "Hours", "text": "Nine to five", "txt": ""}, TableReader()
    assert len(reader.value(REPLIES, [row, row], "replies")) == 1
    assert reader.problems == ["replies[1].name: 'Hours' is already used; this reply is ignored"]
    assert reader.unknown == ["replies[0].txt", "replies[1].txt"]
    assert reader.value(REPLIES, "x", "replies") == ()
    assert reader.problems[1:] == ["replies: expected a list of tables, [[replies]]"]


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
