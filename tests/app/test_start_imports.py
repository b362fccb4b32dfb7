"""Starting is fast, and the engine small, because nothing heavy is loaded: proved on `sys.modules`."""

import subprocess
import sys

NETWORK = {"httpx", "truststore"}
COMMANDS = NETWORK | {"typer", "pydantic", "dateparser"}
FILES = COMMANDS | {"tomlkit", "asyncio"}
SCREENS = {"textual", "rich"}
OF_COMMANDS = {"textual", "typer", "tomlkit", "dateparser", "frontdesk.text.due_parser"}
"""httpx itself loads rich and click for a command line of its own."""
OF_TEAMS = {"asyncpg", "frontdesk.relay.client", "frontdesk.team.link"}


def loaded_too_early(steps: list[tuple[str, set[str]]]) -> list[tuple[str, list[str]]]:
    """Execute the steps in one process, and return those after which it has loaded what they forbid."""
    script = "import sys\n"
    for code, heavy in steps:
        script += f"{code}\nsys.__stdout__.write(' '.join({heavy} & set(sys.modules)) + '\\n')\n"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = [sorted(line.split()) for line in run.stdout.splitlines()]
    return [(code, names) for (code, _), names in zip(steps, loaded, strict=True) if names]


def test_the_linear_mode_and_commands_on_files_load_no_screen_and_nothing_of_the_network() -> None:
    announce = """
from frontdesk.cli import main as cli_main
cli_main._dispatch = lambda _: 0
sys.stdout.isatty = lambda: True
sys.stdout.write = lambda _: 0
cli_main.run(["demo"])
del sys.stdout.write, sys.stdout.isatty
"""
    due = """
from datetime import datetime, UTC
from frontdesk.text.due_parser import parse_due
parse_due("tomorrow 9am", datetime(2026, 11, 21, tzinfo=UTC))
"""
    steps = [
        (announce, FILES | {"frontdesk.config.settings", "argparse", "socket", "textual"}),
        ("import frontdesk.config.settings, frontdesk.config.credentials, frontdesk_api.client.errors", FILES),
        (due, {"dateparser"}),
        (
            "import frontdesk.linear.run, frontdesk.linear.app, frontdesk.cli.output",
            COMMANDS | SCREENS,
        ),
        (
            "import frontdesk.campaigns.cli.reports, frontdesk.workflows.cli.read, frontdesk.workflows.cli.show",
            NETWORK,
        ),
    ]
    assert loaded_too_early(steps) == []


def test_the_way_to_the_inbox_and_the_demo_loads_nothing_of_other_commands() -> None:
    widgets = "import frontdesk.tui.keymap, frontdesk_lines.widgets.row_list, frontdesk.tui.dialogs.due"
    opens = """
import importlib
for name, does in (("run_tui", "run_inbox"), ("run_demo", "run_demo")):
    module = importlib.import_module(f"frontdesk.app.{name}")
    setattr(module, does, lambda *_: 0)
from frontdesk.cli.main import run
assert run([]) == 0 and run(["demo", "--fresh"]) == 0
"""
    assert loaded_too_early([(widgets, COMMANDS | {"apsw", "frontdesk_api.client"}), (opens, COMMANDS)]) == []


def test_the_engine_loads_nothing_of_screens_commands_and_teams() -> None:
    assert loaded_too_early([("import frontdesk.engine.main, httpx", OF_COMMANDS | OF_TEAMS)]) == []
