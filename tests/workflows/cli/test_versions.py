"""Versions on the command line: listed, compared, exported and restored through the update of a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from flows.checks.sample_workflows import Json
from frontdesk.workflows import store as workflow_store
from workflows.cli.test_send import Write, asking, sent, stored, write

__all__ = ["write"]

pytestmark = pytest.mark.usefixtures("frontdesk_store")


@pytest.fixture
def first(frontdesk: Frontdesk, service: SandboxService, write: Write, request: pytest.FixtureRequest) -> Json:
    """The first of two versions of a workflow of this test, both of them loaded."""
    identity = f"versions/{request.node.name}"
    new = ("workflows", "create", identity, "--folder", "folder-service", "--file", write(asking()))
    assert frontdesk(*new).status == 0
    created = stored(service, identity)
    load(frontdesk, created)
    changed = asking(name="Changed")
    changed["parsedData"][0]["data"]["message"] = "Is it there?"
    typed = frontdesk("workflows", "update", identity, "--file", write(changed))
    assert typed.status == 0, typed
    load(frontdesk, stored(service, identity))
    return created


def load(frontdesk: Frontdesk, document: Json) -> None:
    """Store a document as the engine does."""

    def put(db: Any) -> None:
        workflow_store.put_whole(db, document, 1_700_000_000.0)

    with frontdesk.store() as store:
        store.write(put).result()


def test_they_are_listed_with_their_changes_and_what_is_not_known(frontdesk: Frontdesk, first: Json) -> None:
    newest, oldest = frontdesk("workflows", "versions", first["id"], "--json").rows
    assert newest["lastModified"] > oldest["lastModified"] == first["lastModified"]
    assert "1 node changed" in newest["changes"]
    typed = frontdesk("workflows", "versions", first["id"])
    assert "1 node changed" in typed.out
    assert "Unknown: versions from before that, and any that came and went between two loads." in typed.out
    assert "No versions saved yet" in frontdesk("workflows", "versions", "nobodys").out


def test_two_of_them_are_compared_or_one_with_the_current(
    frontdesk: Frontdesk, first: Json, service: SandboxService
) -> None:
    typed = frontdesk("workflows", "diff", first["id"], "--from", "1", "--to", "2")
    assert '"Is it here?" -> "Is it there?"' in typed.out
    back = frontdesk("workflows", "diff", first["id"], "--from", "2", "--to", "1")
    assert '"Is it there?" -> "Is it here?"' in back.out
    assert frontdesk("workflows", "diff", first["id"], "--from", "2").out.startswith("No differences")
    assert "--file, or a version with --from" in frontdesk.fails(2, "workflows", "diff", first["id"])
    assert "isn't kept; the kept ones are" in frontdesk.fails(2, "workflows", "diff", first["id"], "--from", "99")


def test_a_version_is_exported_as_a_file_for_an_update(frontdesk: Frontdesk, first: Json, tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    assert frontdesk("workflows", "export", first["id"], "--version", "1", "--file", str(file)).status == 0
    exported = json.loads(file.read_text())
    assert exported["parsedData"] == first["parsedData"]
    assert exported["lastModified"] == first["lastModified"]


def test_a_version_is_restored_once_its_changes_were_shown(
    frontdesk: Frontdesk, first: Json, service: SandboxService
) -> None:
    before = sent(service, first["id"])
    shown = frontdesk("workflows", "restore", first["id"], "1", "--dry-run")
    assert '"Is it there?" -> "Is it here?"' in shown.out
    assert shown.out.endswith("Nothing was sent.\n")
    assert sent(service, first["id"]) == before
    typed = frontdesk("workflows", "restore", first["id"], "1")
    assert typed.status == 0, typed
    assert f"Restored version 1 of {first['id']}, lastModified " in typed.out
    now = stored(service, first["id"])
    assert (now["parsedData"], now["name"]) == (first["parsedData"], first["name"])
    assert sent(service, first["id"]) == before + 1
    again = frontdesk("workflows", "restore", first["id"], "1")
    assert again.out.endswith("Nothing was sent.\n")
    assert sent(service, first["id"]) == before + 1
    assert "isn't kept" in frontdesk.fails(2, "workflows", "restore", first["id"], "99")
