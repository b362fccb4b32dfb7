"""Completion as the shells ask for it: ids with names from the store and the config, never from the network."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from cli.commandline import Frontdesk
from new_store import open_store

CONFIG = """
[profiles.acme]
base_url = "http://127.0.0.1:9"
[[profiles.acme.agents]]
id = "agent-1"
name = "Noa Ben-David"
[[profiles.acme.agents]]
id = "agent-2"
name = "Omer"
[[profiles.acme.tags]]
id = "tag-1"
title = "Refund"
[[profiles.acme.statuses]]
id = "status-1"
name = "Waiting for courier"
"""
HOSTILE = "Evil\\\\$(touch pwned) `touch pwned` ';\\\"[bold]\x1b]0;x\x07\u202e"

Shell = Callable[..., str]


@pytest.fixture
def shell(nowhere: Frontdesk) -> Shell:
    """Ask for the completions of a line as a shell does; it never fails nor writes an error."""

    def ask(*words: str, name: str = "bash") -> str:
        line = " ".join(("frontdesk", *words))
        asking = {
            "_FRONTDESK_COMPLETE": f"complete_{name}",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words)),
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        typed = nowhere(**asking)
        assert (typed.status, typed.err) == (0, "")
        return typed.out

    return ask


@pytest.fixture
def account(tmp_path: Path) -> Path:
    """A profile with a store that holds a workflow, a campaign and hostile names."""
    (tmp_path / "config" / "frontdesk").mkdir(parents=True)
    (tmp_path / "config" / "frontdesk" / "config.toml").write_text(CONFIG)
    folder = tmp_path / "data" / "frontdesk" / "profiles" / "acme"
    with open_store(folder):
        pass
    db = apsw.Connection(str(folder / "store.db"))
    add = "INSERT INTO documents (kind, document_id, name, raw, place) VALUES ('workflow', ?, ?, '{}', 0)"
    db.execute(add, ("returns/v2", "Returns"))
    db.execute(add, ("wf-evil", HOSTILE))
    db.execute(add, ("$(touch pwned)", "Returns"))
    db.execute("INSERT INTO campaigns (campaign_id, raw) VALUES ('cmp-1', '{\"name\": \"Oak shelves\"}')")
    db.execute("INSERT INTO conversations (conversation_id, customer_id, name) VALUES ('1#2', '2', 'Dana')")
    db.close()
    return tmp_path


@pytest.mark.slow
def test_without_a_store_or_profile_there_is_nothing_to_offer(shell: Shell) -> None:
    assert shell("tasks", "show", "t").strip() == ""
    assert shell("--profile", "nope", "workflows", "show", "w").strip() == ""
    assert shell("ta").split() == ["tasks", "tags"] or set(shell("ta").split()) == {"tasks", "tags"}


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("workflows", "show", "ret"), "returns/v2"),
        (("campaigns", "get", "cm"), "cmp-1"),
        (("tags", "assign", "1"), "1#2"),
        (("messages", "list", "1", "2"), "2"),
        (("tags", "assign", "c", "ta"), "tag-1"),
        (("tasks", "update", "t", "--assign", "agent-1"), "agent-1"),
        (("tasks", "update", "t", "--assign", "agent-1,agent-2"), "agent-1,agent-2"),
        (("tasks", "update", "t", "--status", "stat"), "status-1"),
        (("tasks", "update", "t", "--status", "stand"), "standby"),
        (("--profile", "a"), "acme"),
        (("--profile", "acme", "tasks", "list", "--agent", "agent-2"), "agent-2"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else None,
)
def test_the_beginning_of_an_id_gives_the_id(shell: Shell, words: tuple[str, ...], expected: str) -> None:
    assert shell(*words).split() == [expected]


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize(
    ("name", "expected"), [("zsh", '"agent-1":"Noa Ben-David"'), ("fish", "agent-1\tNoa Ben-David")]
)
def test_zsh_and_fish_show_the_name_beside_each_id(shell: Shell, name: str, expected: str) -> None:
    assert expected in shell("tasks", "list", "--agent", "ag", name=name)


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_no_shell_matches_names(shell: Shell, name: str) -> None:
    assert "agent-" not in shell("tasks", "list", "--agent", "noa", name=name)


@pytest.mark.slow
@pytest.mark.usefixtures("account")
def test_hostile_names_reach_no_shell(shell: Shell, tmp_path: Path) -> None:
    assert shell("workflows", "show", "wf").split() == ["wf-evil"]
    assert shell("workflows", "show", "$").strip() == ""
    for name in ("zsh", "fish"):
        told = shell("workflows", "show", "wf", name=name)
        assert "Evil touch pwned" in told
        assert "Evil touch pwned touch pwned bold" in told.replace("\\n", " ")
        assert not set(told) & set("$`;[]\x1b\u202e")
    assert not (tmp_path / "pwned").exists()
