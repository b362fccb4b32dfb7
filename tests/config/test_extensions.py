"""`[[commands]]` and `[[hooks]]`: a wrong entry is left out with a sentence and stops nothing else."""

from pathlib import Path

import pytest

from frontdesk.config.extensions import EVENTS, WHERE, CommandSetting, Extensions, HookSetting
from frontdesk.config.settings import load_config


def read(tmp_path: Path, text: str) -> Extensions:
    path = tmp_path / "config.toml"
    path.write_text(f'[settings]\ntheme = "light"\n{text}')
    loaded = load_config(path, {})
    assert loaded.settings.theme == "light", "the rest of the file counts"
    assert not loaded.unknown
    return loaded.settings.extensions


def test_without_any_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path, "") == Extensions()


def test_a_command_and_a_hook_with_everything(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        """
        [[commands]]
        name = "Look up"
        key = "B, f5"
        where = ["thread", "board"]
        run = ["crm", "{number}"]
        input = "text"
        output = "pane"
        confirm = true
        timeout = 5
        [[hooks]]
        on = "message"
        run = ["push", "{words}"]
        input = "none"
        text = true
        attention = "all"
        timeout = 2.5
        """,
    )
    command = CommandSetting(
        "Look up", "B, f5", ("crm", "{number}"), ("thread", "board"), "text", "pane", True, 5.0
    )
    hook = HookSetting("message", ("push", "{words}"), "none", True, "all", 2.5, "hooks[0] (message)")
    assert found == Extensions((command,), (hook,))


def test_defaults_give_a_command_nothing_and_a_hook_no_text(tmp_path: Path) -> None:
    found = read(
        tmp_path, '[[commands]]\nname = "A"\nkey = "B"\nrun = ["a"]\n[[hooks]]\non = "task"\nrun = ["b"]\n'
    )
    (command,), (hook,) = found.commands, found.hooks
    assert not command.needs_selection
    assert command.where == tuple(each for each in WHERE if each != "thread")
    assert (hook.input, hook.text, hook.attention) == ("json", False, None)


GOOD = {"name": '"A"', "key": '"B"', "run": '["a"]'}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"name": '""'}, "commands[0].name: expected text of at most 40 characters"),
        ({"name": '"a\\u001b"'}, "commands[0].name: expected text"),
        ({"key": "3"}, "commands[0] (A).key: expected a key"),
        ({"run": '"a b"'}, "commands[0] (A).run: expected a list of strings"),
        ({"run": "[]"}, "commands[0] (A).run: expected a list of strings"),
        ({"run": '["a", "{text}"]'}, "unknown placeholder {text}"),
        ({"run": '["{id}"]'}, "the program's name can't contain a placeholder"),
        ({"where": '["lists"]'}, "commands[0] (A).where: expected a list with any of inbox, thread"),
        ({"where": "[]"}, "commands[0] (A).where: expected a list"),
        ({"input": '"xml"'}, "commands[0] (A).input: expected one of none, json, jsonl, text"),
        ({"input": '"text"'}, '"text" needs where to be any of inbox, thread, board'),
        ({"output": '"screen"'}, "commands[0] (A).output: expected one of toast, pane, copy, none"),
        ({"confirm": '"yes"'}, "commands[0] (A).confirm: expected true or false"),
        ({"timeout": "0"}, "commands[0] (A).timeout: expected a number of seconds above 0, at most 600"),
        ({"confrim": "true"}, "commands[0] (A).confrim: unknown key"),
    ],
)
def test_a_command_that_cannot_be_used_is_left_out(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    bad = "\n".join(f"{key} = {value}" for key, value in (GOOD | changed).items())
    found = read(tmp_path, f'[[commands]]\n{bad}\n[[commands]]\nname = "Other"\nkey = "Z"\nrun = ["z"]\n')
    assert [each.name for each in found.commands] == ["Other"]
    (problem,) = found.problems
    assert words in problem
    assert problem.endswith("this command is ignored")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('on = "mail"\nrun = ["a"]', f"hooks[0].on: expected one of {', '.join(EVENTS)}"),
        ('on = "task"\nrun = []', "hooks[0] (task).run: expected a list of strings"),
        ('on = "task"\nrun = ["a"]\ninput = "text"', "hooks[0] (task).input: expected one of json, none"),
        ('on = "task"\nrun = ["a"]\nattention = "me"', "hooks[0] (task).attention: expected one of mine, all"),
        ('on = "task"\nrun = ["a"]\nonce = true', "hooks[0] (task).once: unknown key"),
    ],
)
def test_a_hook_that_cannot_be_used_is_left_out(tmp_path: Path, text: str, words: str) -> None:
    found = read(tmp_path, f"[[hooks]]\n{text}\n")
    assert not found.hooks
    assert words in found.problems[0]


def test_two_commands_of_one_name_leave_the_first(tmp_path: Path) -> None:
    one = '[[commands]]\nname = "Open"\nkey = "B"\nrun = ["a"]\n'
    found = read(tmp_path, one + one.replace("Open", "open").replace('"B"', '"Z"'))
    assert [each.key for each in found.commands] == ["B"]
    assert found.problems == ("commands[1].name: 'open' is already used; this command is ignored",)


def test_what_is_no_list_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("commands = 3\n")
    assert load_config(path, {}).settings.extensions.problems == (
        "commands: expected a list of tables, [[commands]]",
    )
