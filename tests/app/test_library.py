"""docs/library.md: its example as it stands, against the sandbox, and the names that it promises."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import frontdesk as package
from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from docs_checks.pages import DOCS, code_blocks, codes, table
from frontdesk.library import open_client
from frontdesk_api import library
from frontdesk_api.library import PlatformClient, TaskId, TaskUpdate, UnsentWrite

PAGE = DOCS / "library.md"


@pytest.mark.slow
def test_the_example_runs_as_it_stands(frontdesk: Frontdesk, service: SandboxService) -> None:
    made = []
    for status in ("open", "completed"):
        body = {
            "title": "n",
            "phoneNumberId": "442079460018",
            "statusCase": status,
            "assignedAgentIds": ["gone", "x"],
        }
        sent = service.control("tasks", body)
        made.append(sent.get("task", sent)["taskId"])
    (example,) = code_blocks(PAGE.read_text(encoding="utf-8"))
    environ = frontdesk.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
    ran = subprocess.run(
        [sys.executable, "-c", example, "gone", "agent-noa"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line.split()[0] for line in ran.stdout.splitlines()] == made[:1]
    people = [frontdesk("tasks", "show", each, "--json").row["assignedAgentIds"] for each in made]
    assert people == [["x", "agent-noa"], ["gone", "x"]]


def test_a_dry_run_raises_the_request(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in frontdesk.environ.items():
        monkeypatch.setenv(name, value)

    async def update() -> None:
        async with open_client(dry_run=True) as client:
            await client.update_task(TaskId("t#1"), TaskUpdate(title="x"))

    with pytest.raises(UnsentWrite) as found:
        asyncio.run(update())
    assert (found.value.method, found.value.body) == ("PATCH", '{"title":"x"}')
    assert found.value.url.endswith("/tasks/t%231")


def test_the_names_on_the_page_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    errors = [name for row in table(text, "error") for cell in row for name in codes(cell)]
    assert set(errors) <= set(library.__all__)
    methods = {name for row in table(text, "operation") for name in codes(row[1])}
    public = {name for name in vars(PlatformClient) if not name.startswith("_")}
    assert public - methods == {
        *("aclose", "unanswered_seconds", "list_workflow_documents"),
        *("clock_offset", "forget_clock_offsets"),
    }
    assert methods <= public
    assert all(hasattr(library, name) for name in library.__all__)
