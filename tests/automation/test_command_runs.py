"""A command of one's own runs at its key on what is selected, and whatever it does, the screens go on."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from app.tui_story import At, story
from frontdesk.automation import command_runs
from frontdesk.automation.command_keys import add_commands
from frontdesk.automation.custom_commands import missing_programs, start_warnings
from frontdesk.config.actions import Group
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import record_lookup
from frontdesk.tui.dialogs import review
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.help import CommandsDialog, HelpDialog
from frontdesk.tui.dialogs.prompt import RunningDialog
from frontdesk.tui.dialogs.review import RecordDialog
from sync.running_engine import Start
from terminal.terminal import is_alive
from tui.hosts import until
from tui.screen_text import screen_text, shown_toasts

pytestmark = pytest.mark.slow

ECHO = "import sys; sys.stdout.write(sys.stdin.read()); sys.stdout.flush()"


def writes(path: Path) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import sys; open({str(path)!r}, 'w').write(sys.stdin.read())")


def toast(at: At) -> str:
    return shown_toasts(at.app)[-1] if shown_toasts(at.app) else ""


def test_it_gets_the_conversation_with_its_thread_and_the_output_is_text(works: Start, tmp_path: Path) -> None:
    hostile = "import sys; sys.stdout.buffer.write(b'\\x1b]0;owned\\x07 \\xff\\n\\x1b[2J done')"
    commands = [
        CommandSetting("Keep", "f4", writes(tmp_path / "kept"), input="json", output="none"),
        CommandSetting("Hostile", "f5", (sys.executable, "-c", hostile), output="pane"),
        CommandSetting("Ids", "f9", ("echo", "{kind} {id} {number}")),
    ]

    async def tell(at: At) -> None:
        await at.until(lambda: at.thread.conversation_id and at.thread.rows.keys)
        here = at.thread.conversation_id
        assert here is not None
        await at.press("f4")
        await at.until(lambda: toast(at) == "Keep is done.")
        found = json.loads((tmp_path / "kept").read_text())
        assert (found["kind"], found["id"]) == ("conversation", here)
        assert found["messages"]
        assert all(each["messageId"] for each in found["messages"])
        assert isinstance(found["has_all_messages"], bool)
        assert found["conversation"]["other_lines"] == []
        record = record_lookup.conversation(at.it.services.store.reading, here)
        assert record is not None
        assert found["conversation"]["customer"]["name"] == record.name
        await at.press("f9")
        await at.until(lambda: toast(at) == f"conversation {here} {record.number}")
        await at.press("f5")
        await at.until(lambda: isinstance(at.app.screen, RecordDialog))
        await at.until(lambda: "␛]0;owned␇" in screen_text(at.app))
        assert "␛[2J done" in screen_text(at.app)

    story(works, tell, commands=commands)


def test_marked_records_are_lines_and_one_at_a_time_is_refused(works: Start, tmp_path: Path) -> None:
    commands = [
        CommandSetting("Lines", "f4", writes(tmp_path / "lines"), input="jsonl", output="none"),
        CommandSetting("One", "f5", writes(tmp_path / "one"), input="json", output="none"),
    ]

    async def tell(at: At) -> None:
        await at.press("space", "space", "f4")
        await at.until(lambda: toast(at) == "Lines is done.")
        rows = [json.loads(each) for each in (tmp_path / "lines").read_text().splitlines()]
        assert len({each["id"] for each in rows}) == 2
        await at.press("f5")
        assert "it takes one record at a time" in toast(at)
        assert not (tmp_path / "one").exists()

    story(works, tell, commands=commands)


def test_text_of_the_thread_and_only_in_the_thread(works: Start, tmp_path: Path) -> None:
    command = CommandSetting("Sum up", "f4", writes(tmp_path / "text"), ("thread",), "text", "none")

    async def tell(at: At) -> None:
        await at.until(lambda: at.thread.conversation_id and at.thread.rows.keys)
        await at.press("f4")
        assert toast(at) == "Sum up works in a thread. Press l to go there."
        await at.press("enter")
        await at.until(lambda: at.inbox.panes.is_at(at.thread))
        await at.press("f4")
        await at.until(lambda: toast(at) == "Sum up is done.")
        text = (tmp_path / "text").read_text()
        assert text.startswith("Customer: ")
        assert at.thread.conversation_id is not None

    story(works, tell, commands=[command])


def test_failures_are_shown_and_stop_nothing(works: Start) -> None:
    commands = [
        CommandSetting("Gone", "f4", ("no-such-program",)),
        CommandSetting("Fails", "f5", ("sh", "-c", "echo why >&2; exit 3")),
        CommandSetting("Hangs", "f7", ("sleep", "600"), timeout=0.2),
        CommandSetting("Floods", "f8", ("yes",)),
        CommandSetting("Nothing", "f9", ("true",)),
    ]
    expected = {
        "f4": "Gone couldn't be started: No such file or directory",
        "f5": "Fails exited with status 3: why",
        "f7": "Hangs took longer than 0.2 s and was killed",
        "f8": "Floods printed more than 2 MB and was killed",
        "f9": "Nothing is done; it printed nothing.",
    }

    async def tell(at: At) -> None:
        for key, words in expected.items():
            await at.press(key)
            await at.until(lambda words=words: words in shown_toasts(at.app))
        before = at.inbox.list.cursor
        await at.press("j")
        assert at.inbox.list.cursor != before

    story(works, tell, commands=commands)


def test_it_asks_first_and_waits_with_late_output(works: Start) -> None:
    late = ("sh", "-c", "sleep 2.2; echo finished")
    commands = [
        CommandSetting("Careful", "f4", ("echo", "ran"), confirm=True),
        CommandSetting("Late", "f5", late, output="pane"),
    ]

    async def tell(at: At) -> None:
        await at.press("f4")
        assert isinstance(at.app.screen, ConfirmDialog)
        await at.press("enter")
        assert "ran" not in shown_toasts(at.app)
        await at.press("f4", "y")
        await at.until(lambda: toast(at) == "ran")
        await at.press("f5")
        await at.until(lambda: toast(at) == "Late is running… Press f5 to see how long, or to stop it.")
        await at.until(lambda: toast(at) == "Late has finished. Press f5 to see its output.")
        assert at.app.screen is at.app.current_screen
        await at.press("f5")
        assert isinstance(at.app.screen, RecordDialog)

    story(works, tell, commands=commands)


def test_it_is_shown_how_long_a_program_runs_and_it_can_be_stopped(works: Start, tmp_path: Path) -> None:
    waits = f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; echo ready"
    commands = [
        CommandSetting("Endless", "f4", ("sleep", "600"), output="pane", timeout=500),
        CommandSetting("Waits", "f5", ("sh", "-c", waits), output="pane"),
        CommandSetting("Fails", "f9", ("sh", "-c", f"{waits}; exit 3")),
    ]

    async def tell(at: At) -> None:
        await at.press("f4")
        await at.until(lambda: "Endless running" in screen_text(at.app))
        await at.press("f4")
        assert isinstance(at.app.screen, RunningDialog)
        assert "It will be killed after 500 s." in screen_text(at.app)
        await at.press("escape", "f4", "x")
        await at.until(lambda: toast(at) == "Endless was stopped.")
        await at.until(lambda: not at.app.command_runs.running)
        assert "Endless running" not in screen_text(at.app)
        await at.press("f9", "f9")
        await at.press("escape", "f5", "f5")
        assert isinstance(at.app.screen, RunningDialog)
        (tmp_path / "go").touch()
        await at.until(lambda: isinstance(at.app.screen, RecordDialog))
        await at.until(lambda: "ready" in screen_text(at.app))
        await at.until(lambda: "Fails exited with status 3" in shown_toasts(at.app))

    story(works, tell, commands=commands)


def test_long_output_fits_a_toast_and_all_of_it_is_copied(works: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(review, "copy", lambda _, text, __: copied.append(text))
    monkeypatch.setattr(command_runs, "copy", lambda _, text, __: copied.append(text))
    long = "print('x' * 1_900_000)"
    lines = "print('\\n'.join(map(str, range(200_000))))"
    commands = [
        CommandSetting("Toast", "f4", (sys.executable, "-c", long)),
        CommandSetting("Line", "f5", (sys.executable, "-c", long), output="pane"),
        CommandSetting("Lines", "f8", (sys.executable, "-c", lines), output="pane"),
        CommandSetting("Copy", "f9", (sys.executable, "-c", lines), output="copy"),
    ]

    async def tell(at: At) -> None:
        await at.press("f4")
        await at.until(lambda: "xxx" in toast(at))
        assert len(toast(at)) <= command_runs.MAX_TOAST_CELLS
        for key in ("f5", "f8"):
            await at.press(key)
            await at.until(lambda: isinstance(at.app.screen, RecordDialog))
            await at.press("G", "y", "escape")
        await at.press("f9")
        await at.until(lambda: len(copied) == 3)
        assert [len(each) for each in copied] == [1_900_000, 1_288_889, 1_288_889]

    monkeypatch.setattr(command_runs, "AT_ONCE_SECONDS", 60.0)
    story(works, tell, commands=commands)


def test_with_privacy_on_nothing_selected_is_given(works: Start, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    commands = [
        CommandSetting("Keep", "f4", writes(kept), input="json"),
        CommandSetting("Number", "f5", ("sh", "-c", f"echo $0 > {kept}", "{number}")),
        CommandSetting("Free", "f9", ("echo", "free")),
    ]

    async def tell(at: At) -> None:
        await at.press("H", "f4", "f5")
        assert not kept.exists()
        assert "Number didn't run: it needs the selected row, which privacy mode hides" in toast(at)
        await at.press("f9")
        await at.until(lambda: toast(at) == "••••")
        await at.press("H")

    story(works, tell, commands=commands)


def test_it_works_on_every_screen_and_is_in_palette_and_help(works: Start) -> None:
    commands = [CommandSetting("Ids of this", "f4", ("echo", "{kind}"))]

    async def tell(at: At) -> None:
        kinds = {"2": "task", "3": "campaign", "4": "workflow", "5": "ai_agent"}
        for key, kind in kinds.items():
            await at.press(key)
            await at.until(lambda: at.app.current_screen is not None and at.app.current_screen.is_painted)
            await at.press("f4")
            await at.until(lambda kind=kind: toast(at) == kind or "nothing is selected" in toast(at))
        await at.press("1", ":", *"ids of")
        assert isinstance(at.app.screen, CommandsDialog)
        assert "Ids of this" in screen_text(at.app)
        await at.press("escape", "?", *"your comm")
        assert isinstance(at.app.screen, HelpDialog)
        assert "Ids of this" in screen_text(at.app)

    story(works, tell, commands=commands)


def test_a_key_that_is_taken_is_said_and_the_others_stay() -> None:
    commands = (
        CommandSetting("Down", "j", ("true",)),
        CommandSetting("First", "f4", ("true",), ("inbox",)),
        CommandSetting("Second", "f4", ("true",), ("thread",)),
        CommandSetting("Elsewhere", "f4", ("true",), ("board",)),
        CommandSetting("Reserved", "ctrl+a", ("true",)),
        CommandSetting("Odd", "hyper+x", ("true",)),
    )
    keymap, problems = add_commands(KEYMAP, Extensions(commands))
    assert [each.label for each in keymap if each.group is Group.CUSTOM] == ["First", "Elsewhere"]
    assert problems == [
        'commands (Down).key: j is already the key of "Next row or message" (move.down); this command is ignored',
        "commands (Second).key: f4 is already the key of the command First; this command is ignored",
        "commands (Reserved).key: ctrl+a is reserved for the terminal, screen or tmux; this command is ignored",
        "commands (Odd).key: unknown key 'hyper+x'; valid keys look like B, f5, ctrl+g or pagedown;"
        " this command is ignored",
    ]
    assert any(each.key.startswith("f4") for each in keymap.bindings_for("inbox"))


def test_a_program_that_is_not_there_is_said() -> None:
    commands = (CommandSetting("A", "f4", ("no-such-program",)), CommandSetting("C", "f5", ("sh",)))
    assert missing_programs(Extensions(commands)) == [
        "commands (A).run: can't run no-such-program; check its name or path"
    ]


def test_many_problems_are_summed_up_at_the_start() -> None:
    extensions = Extensions(problems=tuple(f"commands[{each}].name: a duplicate" for each in range(5)))
    words = [each.text for each in start_warnings(extensions)]
    assert words[0] == "config.toml: commands[0].name: a duplicate."
    assert words[3:] == ["config.toml: 2 more problems; run `frontdesk doctor`."]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_quitting_kills_what_still_runs(works: Start, tmp_path: Path) -> None:
    number = tmp_path / "number"
    commands = [CommandSetting("Slow", "f4", ("sh", "-c", f"echo $$ > {number}; exec sleep 600"))]

    async def tell(at: At) -> None:
        await at.press("f4")
        await at.until(lambda: number.exists() and number.read_text().endswith("\n"))
        assert is_alive(int(number.read_text()))

    story(works, tell, commands=commands)
    asyncio.run(until(lambda: not is_alive(int(number.read_text()))))
