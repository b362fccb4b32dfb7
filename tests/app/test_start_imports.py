"""Starting is fast because nothing heavy is loaded: proved on `sys.modules` of a fresh process."""

import subprocess
import sys
from collections.abc import Collection

HEAVY = ("pydantic", "httpx", "typer", "dateparser", "truststore", "tomlkit", "asyncio")


def loaded_after(code: str, heavy: Collection[str] = HEAVY) -> set[str]:
    names = ", ".join(map(repr, heavy))
    script = f"{code}\nimport sys\nprint(*[name for name in ({names},) if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_config_and_secrets_load_nothing_heavy() -> None:
    assert (
        loaded_after("import frontdesk.config.settings, frontdesk.config.credentials, frontdesk.api.client.errors")
        == set()
    )


def test_due_words_load_dateparser_only_for_words_the_tables_lack() -> None:
    code = """
from datetime import datetime, UTC
from frontdesk.text.due_parser import parse_due
parse_due("tomorrow 9am", datetime(2026, 11, 21, tzinfo=UTC))
"""
    assert "dateparser" not in loaded_after(code)


def test_the_way_to_the_inbox_and_the_demo_loads_neither_typer_nor_httpx_nor_pydantic() -> None:
    code = """
import importlib
for name, does in (("run_tui", "run_inbox"), ("run_demo", "run_demo")):
    module = importlib.import_module(f"frontdesk.app.{name}")
    setattr(module, does, lambda *_: 0)
from frontdesk.app.cli_main import run
assert run([]) == 0 and run(["demo", "--fresh"]) == 0
"""
    assert not loaded_after(code) & {"typer", "httpx", "pydantic", "dateparser", "truststore"}


def test_the_demo_announces_itself_before_anything_is_loaded() -> None:
    code = """
import sys
from frontdesk.app import cli_main
cli_main._dispatch = lambda _: 0
sys.stdout.isatty = lambda: True
sys.stdout.write = lambda _: 0
cli_main.run(["demo"])
del sys.stdout.write
"""
    assert loaded_after(code, ("frontdesk.config.settings", "argparse", "socket", "textual")) == set()


def test_the_linear_mode_loads_no_screen_and_nothing_of_the_network() -> None:
    code = "import frontdesk.app.run_linear, frontdesk.app.linear_app, frontdesk.cli.output"
    heavy = {"textual", "rich", "typer", "httpx", "pydantic", "dateparser", "truststore"}
    assert not loaded_after(code, heavy) & heavy


def test_commands_that_only_read_files_and_the_store_load_nothing_of_the_network() -> None:
    code = "import frontdesk.campaigns.cli.reports, frontdesk.workflows.cli.check, frontdesk.workflows.cli.show"
    assert not loaded_after(code) & {"httpx", "truststore"}
