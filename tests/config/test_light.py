"""Starting is fast because nothing heavy is loaded: proved on `sys.modules` of a fresh process."""

import subprocess
import sys
from collections.abc import Collection

HEAVY = ("pydantic", "httpx", "typer", "dateparser", "truststore", "tomli_w", "platformdirs", "asyncio")


def loaded_after(code: str, heavy: Collection[str] = HEAVY) -> set[str]:
    names = ", ".join(map(repr, heavy))
    script = f"{code}\nimport sys\nprint(*[name for name in ({names},) if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_config_and_secrets_load_nothing_heavy() -> None:
    assert loaded_after("import frontdesk.config, frontdesk.secrets, frontdesk.client.errors") == set()


def test_due_words_load_dateparser_only_for_words_the_tables_lack() -> None:
    code = """
from datetime import datetime, UTC
from frontdesk.desk.due import parse_due
parse_due("tomorrow 9am", datetime(2026, 11, 21, tzinfo=UTC))
"""
    assert "dateparser" not in loaded_after(code)


def test_the_way_to_the_inbox_and_the_demo_loads_neither_typer_nor_httpx_nor_pydantic() -> None:
    code = """
import sys, types
for name, does in (("inbox", "run_inbox"), ("demo", "run_demo")):
    module = types.ModuleType(f"frontdesk.cli.{name}")
    setattr(module, does, lambda *_: 0)
    sys.modules[module.__name__] = module
from frontdesk.cli.main import run
assert run([]) == 0 and run(["demo", "--fresh"]) == 0
"""
    assert not loaded_after(code) & {"typer", "httpx", "pydantic", "dateparser", "truststore"}


def test_the_inbox_itself_loads_them_no_sooner() -> None:
    code = "import frontdesk.cli.inbox, frontdesk.cli.demo, frontdesk.cli.main"
    assert not loaded_after(code) & {"typer", "httpx", "pydantic", "dateparser", "truststore"}


def test_the_linear_mode_loads_no_screen_and_nothing_of_the_network() -> None:
    code = "import frontdesk.cli.linear, frontdesk.linear.app, frontdesk.cli.zone, frontdesk.desk.desk"
    heavy = {"textual", "rich", "typer", "httpx", "pydantic", "dateparser", "truststore"}
    assert not loaded_after(code, heavy) & heavy
