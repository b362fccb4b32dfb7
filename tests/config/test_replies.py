"""Replies of the config: either a workflow or a text, with fields that are filled once."""

from pathlib import Path

import pytest

from frontdesk.config.profile_writer import save_profile
from frontdesk.config.replies import ReplySetting, read_replies
from frontdesk.config.settings import ConfigError, load_config


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x", "expected a table"),
        ({"text": "Hello"}, "name: empty or a duplicate"),
        ({"name": "  ", "text": "Hello"}, "name: empty or a duplicate"),
        ({"name": "Both", "text": "Hello", "workflow": "w1"}, "(Both): expected either workflow or text"),
        ({"name": "None"}, "(None): expected either workflow or text"),
        ({"name": "Folder", "text": "Hello", "folder": "f"}, "folder: goes with workflow"),
        ({"name": "Number", "text": 5}, "text: expected text"),
    ],
)
def test_what_is_no_reply_is_refused_with_its_key(row: object, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_replies([row], "profiles.a.replies", lambda _: None)
    assert str(refusal.value).startswith("profiles.a.replies[0]")
    assert words in str(refusal.value)


def test_two_of_one_name_are_refused_and_unknown_keys_are_noted() -> None:
    row = {"name": "Hours", "text": "Nine to five", "txt": ""}
    with pytest.raises(ConfigError, match=r"replies\[1\].name: empty or a duplicate"):
        read_replies([row, row], "replies", lambda _: None)
    noted: list[str] = []
    read_replies([row], "replies", noted.append)
    assert noted == ["replies[0].txt"]


def test_fields_are_filled_once_and_a_value_with_braces_stays_as_it_is() -> None:
    reply = ReplySetting("Visit", text="Hello {customer}, on {date} or {other day}? {date}! {} {1}")
    assert reply.fields == ("customer", "date", "other day")
    filled = reply.fill({"customer": "{date}", "date": "Monday"})
    assert filled == "Hello {date}, on Monday or {other day}? Monday! {} {1}"


def test_a_saved_profile_keeps_its_replies(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        '[profiles.a]\nbase_url = "https://a.example"\n[[profiles.a.replies]]\nname = "Hours"\nworkflow = "w1"\n'
        'folder = "f1"\n[[profiles.a.replies]]\nname = "Visit"\ntext = "On {date}?"\n'
    )
    path.chmod(0o600)
    loaded = load_config(path)
    wanted = (ReplySetting("Hours", workflow="w1", folder="f1"), ReplySetting("Visit", text="On {date}?"))
    assert loaded.profiles["a"].replies == wanted
    save_profile(loaded.profiles["a"], path=path)
    assert load_config(path).profiles["a"].replies == wanted
