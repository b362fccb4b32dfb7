"""Workflows sent from files: checked and shown first, switched, compared, exported, and zeroed after keeping."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from cli.writing import process
from flows.checks.sample_workflows import Json, draw, exit_of, node, parent, sub, workflow
from frontdesk.campaigns.store import campaigns
from frontdesk.outbox import queue
from frontdesk.storage.records import ChangeState
from frontdesk.workflows import changes, pending_payloads
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.delivery import NOT_ZERO
from frontdesk.workflows.request_body import create_body
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import PlanRequired, ReplyTooLarge
from frontdesk_api.contract.decode import Page
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.workflows import Workflow

pytestmark = pytest.mark.usefixtures("frontdesk_store")

Write = Callable[[Json], str]


def asking(**more: object) -> Json:
    """A small workflow in which nothing is found."""
    made = workflow(
        node(
            "ask",
            "whatsapp",
            None,
            sub("yes", "thank"),
            sub("else", "ask", "noSelectionFallback"),
            sub("silent", None, "awaitResponseTimeout"),
            messageType="custom",
            message="Is it here?",
            waitForUserResponse=True,
        ),
        node("thank", messageType="custom", message="Good"),
    )
    del made["id"], made["isActive"]
    return made | more


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Puts JSON into a file; answers its name."""

    def put(body: Json) -> str:
        path = tmp_path / "workflow.json"
        path.write_text(json.dumps(body))
        return str(path)

    return put


@pytest.fixture
def made(service: SandboxService, request: pytest.FixtureRequest) -> str:
    """The id of a workflow that was stored for this test."""
    identity = f"sending/{request.node.name}"
    service.ask(f"workflows/{identity.replace('/', '%2F')}?folderId=folder-service", create_body(asking()))
    return identity


def stored(service: SandboxService, identity: str) -> Json:
    found: Json = next(each for each in service.ask("workflows", {})["result"] if each["id"] == identity)
    return found


def sent(service: SandboxService, identity: str) -> int:
    """How often the workflow was written."""
    path = f"/workflows/{identity.replace('/', '%2F')}"
    return sum(service.asked(method).count(path) for method in ("POST", "PUT"))


class TestCreate:
    def test_the_layout_is_asked_for_and_what_the_platform_decides_is_left_out(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write
    ) -> None:
        file = write(asking(isActive=True, executionCount=9))
        typed = frontdesk("workflows", "create", "sending-new", "--folder", "folder-service", "--file", file)
        assert typed.status == 0
        assert "Not sent, because the platform sets these itself: isActive, executionCount." in typed.out
        found = stored(service, "sending-new")
        assert found["isActive"] is False
        assert [each["id"] for each in found["parsedData"]] == ["ask", "thank"]
        roots = [each for each in found["data"]["nodes"] if not each.get("parentId")]
        assert [each["position"]["x"] for each in roots] == [0, 380, 760]

    def test_errors_are_listed_and_nothing_is_sent_unless_told_to(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write
    ) -> None:
        broken = asking()
        exit_of(broken, "yes")["connections"]["out"] = ["gone"]
        words = ("workflows", "create", "sending-broken", "--folder", "folder-service", "--file", write(broken))
        typed = frontdesk(*words)
        assert typed.status == 2
        assert "missing-target" in typed.out
        assert typed.err.startswith("frontdesk: 1 error in ")
        assert "--despite-errors (this sets autoLayout to true)" in typed.err
        assert [row["id"] for row in frontdesk(*words, "--json").rows] == ["missing-target", "unreachable"]
        assert sent(service, "sending-broken") == 0
        assert frontdesk(*words, "--despite-errors").status == 0

    def test_another_tools_export_makes_no_empty_workflow(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write
    ) -> None:
        file = write({"name": "Lead", "nodes": [{"id": "1"}], "connections": {"1": {}}, "active": False})
        words = ("workflows", "create", "sending-other", "--folder", "folder-service", "--file", file)
        assert "not a workflow of this platform" in frontdesk.fails(2, *words)
        assert "not a workflow of this platform" in frontdesk.fails(2, *words, "--despite-errors")
        assert sent(service, "sending-other") == 0

    def test_a_file_without_a_graph_makes_no_empty_workflow(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write
    ) -> None:
        file = write({"workflowId": "zzz", "name": "Hi"})
        words = ("workflows", "create", "sending-empty", "--folder", "folder-service", "--file", file)
        assert "1 error in " in frontdesk.fails(2, *words)
        assert sent(service, "sending-empty") == 0
        assert frontdesk(*words, "--despite-errors").status == 0

    def test_a_pointer_to_a_workflow_that_is_not_listed_is_an_error(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write
    ) -> None:
        file = write(workflow(node("on", "workflowPointer", workflowId="nobodys"), id=None))
        typed = frontdesk("workflows", "create", "sending-on", "--folder", "folder-service", "--file", file)
        assert typed.status == 2
        assert "pointer-unknown" in typed.out
        assert sent(service, "sending-on") == 0

    def test_an_id_that_is_taken_and_a_canvas_without_layout_are_refused_in_words(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        before = sent(service, made)
        words = ("workflows", "create", made, "--folder", "folder-service", "--file", write(asking()))
        assert "already exists" in frontdesk.fails(1, *words)
        write(asking(autoLayout=False))
        assert "remove autoLayout from the file" in frontdesk.fails(2, *words)
        assert sent(service, made) == before


class TestUpdate:
    def test_what_it_changes_is_shown_and_a_dry_run_sends_nothing(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        changed = asking(name="Anew")
        parent(changed, "ask")["data"]["message"] = "Has it come?"
        parent(changed, "ask")["subNodes"].pop(2)
        draw(changed)
        words = ("workflows", "update", made, "--file", write(changed))
        before = sent(service, made)
        dry = frontdesk(*words, "--dry-run")
        assert dry.status == 0
        told = dry.out.splitlines()
        assert told[:4] == [
            "1 setting changed, 1 node changed, 1 exit removed; 5 nodes differ only in layout.",
            '  changed name: "W" -> "Anew"',
            '  changed node "The ask" (ask), data.message: "Is it here?" -> "Has it come?"',
            '  removed exit "Take silent" (silent)',
        ]
        assert told[-1] == "Nothing was sent."
        assert "1 warning" in told[-2]
        rows = frontdesk(*words, "--dry-run", "--json").rows
        assert [(row["deed"], row["part"], row["node"]) for row in rows] == [
            ("changed", "workflow", None),
            ("changed", "node", "ask"),
            ("removed", "exit", "silent"),
        ]
        assert sent(service, made) == before
        done = frontdesk(*words)
        assert (done.status, done.out.splitlines()[:4]) == (0, told[:4])
        assert stored(service, made)["name"] == "Anew"
        assert frontdesk("workflows", "diff", made, "--file", words[-1]).out.startswith("No differences")

    def test_a_part_of_a_graph_goes_with_what_is_stored_of_it(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        graph = asking()["parsedData"]
        graph[1]["data"]["message"] = "Fine"
        typed = frontdesk("workflows", "update", made, "--file", write({"parsedData": graph}))
        assert typed.status == 0
        assert "Not in the file, so left unchanged: trigger, data." in typed.out
        found = stored(service, made)
        assert parent(found, "thank")["data"]["message"] == "Fine"
        assert len(found["data"]["nodes"]) == 6

    def test_a_graph_is_checked_and_a_body_without_one_is_not(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        before = sent(service, made)
        words = ("workflows", "update", made, "--file", write({"trigger": {"id": "t"}}))
        typed = frontdesk(*words)
        assert typed.status == 2
        assert "trigger-leads-nowhere" in typed.out
        assert sent(service, made) == before
        assert frontdesk(*words, "--despite-errors").status == 0
        write({"notes": "Ask Yael"})
        assert frontdesk(*words, "--json").row["notes"] == "Ask Yael"

    def test_a_file_that_switches_it_says_so_before_it_is_sent(
        self, frontdesk: Frontdesk, write: Write, made: str
    ) -> None:
        words = ("workflows", "update", made, "--file", write({"isActive": True}))
        said = "The file switches it on: from then on it starts automatically"
        assert frontdesk(*words, "--dry-run").out.startswith(said)
        assert frontdesk(*words).out.startswith(said)
        write({"isActive": False})
        assert frontdesk(*words).out.startswith(
            "The file switches it off: from then on it doesn't start for anyone."
        )

    def test_a_file_that_changes_nothing_is_not_sent_and_leaves_a_colleagues_file_valid(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        file = write(json.loads(frontdesk("workflows", "export", made).out))
        words = ("workflows", "update", made, "--file", file)
        before, writes = stored(service, made), sent(service, made)
        assert frontdesk(*words).out.splitlines()[-2:] == ["No differences.", "Nothing was sent."]
        assert frontdesk(*words, "--json").row == before
        write({"name": before["name"]})
        assert frontdesk(*words, "--json").row == before
        assert (stored(service, made), sent(service, made)) == (before, writes)
        write({"name": before["name"], "lastModified": before["lastModified"] - 1})
        for more in ((), ("--json",)):
            assert f"someone else has changed {made} since then" in frontdesk.fails(1, *words, *more)
            assert "409" in frontdesk.fails(1, *words, *more, "--direct")

    def test_somebody_elses_change_is_shown_with_what_to_do(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        old = stored(service, made)["lastModified"]
        assert frontdesk("workflows", "update", made, "--file", write({"name": "Theirs"})).status == 0
        typed = frontdesk("workflows", "update", made, "--file", write({"name": "Yours", "lastModified": old}))
        assert typed.status == 1
        assert typed.out.startswith("It has changed since the file was created: lastModified is now ")
        assert 'changed name: "Theirs" -> "Yours"' in typed.out
        assert f"workflows export {made}" in typed.err
        assert stored(service, made)["name"] == "Theirs"

    @pytest.mark.usefixtures("quick_read_backs")
    def test_a_lost_answer_is_settled_by_reading_back(
        self, frontdesk: Frontdesk, service: SandboxService, write: Write, made: str
    ) -> None:
        service.faults({"path": "/workflows/sending", "kind": "truncate", "times": 1})
        before = sent(service, made)
        words = ("workflows", "update", made, "--file", write(asking(name="Anew")))
        typed = frontdesk(*words)
        assert (typed.status, sent(service, made)) == (0, before + 1)
        assert f"no clear response from the platform, but {made} is stored as sent" in typed.err
        service.faults({"path": "/workflows/sending", "kind": "status", "status": 503})
        write({"name": "Newer"})
        assert "frontdesk checks it when it runs; see change 2 of" in frontdesk.fails(4, *words)
        service.faults()
        typed = frontdesk(*words)
        assert typed.status == 0, "what became of the one before is found out first"
        assert frontdesk("outbox", "list", "--json").rows == []

    def test_a_colleagues_update_in_between_is_not_overwritten(
        self,
        frontdesk: Frontdesk,
        service: SandboxService,
        write: Write,
        made: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        add = changes.update

        def changed_first(*given: Any, **more: Any) -> Any:
            monkeypatch.setattr(changes, "update", add)
            now = stored(service, made)["lastModified"]
            service.ask(f"workflows/{made.replace('/', '%2F')}", {"name": "Theirs", "lastModified": now}, "PUT")
            return add(*given, **more)

        monkeypatch.setattr(changes, "update", changed_first)
        typed = frontdesk("workflows", "update", made, "--file", write({"name": "Mine"}))
        assert typed.status == 1
        assert "Changes from their version (the current one) to yours:" in typed.out
        assert f"someone else has changed {made} since then; add --merge" in typed.err
        assert stored(service, made)["name"] == "Theirs"
        assert frontdesk("outbox", "list", "--json").rows == []

    def test_a_list_that_is_too_large_stops_only_what_needs_it_whole(
        self, frontdesk: Frontdesk, write: Write, made: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed = PlatformClient.list_workflows

        async def minimal_alone(client: PlatformClient, minimal: bool = True) -> Page[Workflow]:
            if not minimal:
                raise ReplyTooLarge("list workflows: more than the cap")
            return await listed(client, minimal)

        monkeypatch.setattr(PlatformClient, "list_workflows", minimal_alone)
        words = ("workflows", "update", made, "--file", write({"name": "Anew"}))
        typed = frontdesk(*words)
        assert (typed.status, "can't be shown" in typed.err, "add --direct" in typed.err) == (1, True, True)
        assert frontdesk(*words, "--direct").status == 0
        frontdesk.fails(4, *words, "--dry-run")
        write({"parsedData": []})
        frontdesk.fails(4, *words)

    def test_a_file_of_another_workflow_is_not_sent(self, frontdesk: Frontdesk, write: Write, made: str) -> None:
        words = frontdesk.fails(2, "workflows", "update", made, "--file", write({"id": "wf-survey", "name": "x"}))
        assert "wf-survey" in words


class TestSwitch:
    def test_on_and_off_leaves_the_graph(self, frontdesk: Frontdesk, service: SandboxService, made: str) -> None:
        before = stored(service, made)
        title, change = frontdesk("workflows", "activate", made).out.splitlines()
        assert title.startswith(f"{before['name']} ({made}) is active, lastModified")
        assert change.split() == ["isActive", "no", "→", "yes"]
        after = stored(service, made)
        assert after["isActive"] is True
        writes = sent(service, made)
        assert frontdesk("workflows", "activate", made).out == (
            f"{before['name']} ({made}) is already active; nothing was sent.\n"
        )
        assert frontdesk("workflows", "activate", made, "--json").row == after
        assert (stored(service, made), sent(service, made)) == (after, writes)
        assert all(after[name] == before[name] for name in ("trigger", "parsedData", "data"))
        assert frontdesk("workflows", "deactivate", made, "--json").row["isActive"] is False
        frontdesk.fails(1, "workflows", "activate", "no-such-one")

    def test_off_says_first_who_depends_on_it(self, frontdesk: Frontdesk) -> None:
        def follow(db: apsw.Connection) -> None:
            campaign = {"id": "c1", "name": "Spring", "status": "inProgress", "workflowId": "wf-survey"}
            campaigns.watch(db, [CampaignId("c1")], 1.0)
            campaigns.put(db, CampaignId("c1"), campaign, 2.0)

        with frontdesk.store() as store:
            store.write(follow).result()
        campaign, customers, title, _ = frontdesk("workflows", "deactivate", "wf-survey").out.splitlines()
        assert campaign.startswith("▲ 1 running campaign starts it (as of ")
        assert campaign.endswith(': "Spring".')
        assert re.fullmatch(r"▲ \d+ customers are in it now; the platform doesn't say .*", customers)
        assert "wf-survey) is inactive" in title
        assert frontdesk("workflows", "activate", "wf-survey").status == 0

    def test_on_says_what_starts_by_the_same_trigger(self, frontdesk: Frontdesk) -> None:
        twin = {"id": "twin", "name": "Twin", "isActive": True, "associatedToBusinessId": "17841400008123401"}
        trigger = {"id": "t", "data": {"eventType": "Messages Created", "keywords": ["Price"]}}
        twin["trigger"] = trigger | {"connections": {"out": ["a"]}}
        with frontdesk.store() as store:
            store.write(lambda db: workflow_store.put_whole(db, twin, 1.0)).result()
        said = frontdesk("workflows", "activate", "wf-comments").out.splitlines()[0]
        assert said.startswith(
            '▲ "price" also starts "Twin", on the same line. Change the keywords of one of them'
        )
        assert frontdesk("workflows", "deactivate", "wf-comments").status == 0

    def test_a_graph_that_the_platform_loses_is_kept_and_can_be_sent_back(
        self, frontdesk: Frontdesk, made: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        graph = json.loads(frontdesk("workflows", "export", made).out)["parsedData"]
        monkeypatch.setattr("frontdesk.workflows.delivery.keeps_graph", lambda *_: False)
        words = frontdesk.fails(1, "workflows", "activate", made)
        (waiting,) = frontdesk("outbox", "list", "--json").rows
        again = ("outbox", "retry", str(waiting["change_id"]))
        assert (
            f"dropped parts of {made} when it saved this update; to restore it, run `frontdesk {' '.join(again)}`"
            in words
        )
        assert frontdesk(*again).status == 0
        with frontdesk.store() as store:
            change = queue.recent(store.reading)[0]
            body = json.loads(pending_payloads.payload(store.reading, change.change_id).body)
        assert (change.state, body["parsedData"], body["isActive"]) == (ChangeState.CONFIRMED, graph, True)

    def test_an_answer_that_does_nothing_is_no_switch(
        self, frontdesk: Frontdesk, service: SandboxService, made: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def answer(*_: Any) -> Any:
            return SimpleNamespace(raw={"message": "updated"})

        monkeypatch.setattr(PlatformClient, "update_workflow", answer)
        typed = frontdesk("workflows", "activate", made)
        assert (typed.status, typed.out, stored(service, made)["isActive"]) == (1, "", False)
        assert f"the platform responded, but {made} is not active" in typed.err


class TestExport:
    def test_it_round_trips_and_never_overwrites_without_being_told(
        self, frontdesk: Frontdesk, tmp_path: Path
    ) -> None:
        file = tmp_path / "kept.json"
        assert frontdesk("workflows", "export", "wf-survey", "--file", str(file)).status == 0
        kept = json.loads(file.read_text())
        assert kept.keys() >= {"id", "name", "trigger", "parsedData", "data", "lastModified"}
        assert kept.keys() & {"analytics", "associatedTo", "created", "executionCount", "lastExecution"} == set()
        assert frontdesk("workflows", "diff", "wf-survey", "--file", str(file), "--json").rows == []
        assert "--force" in frontdesk.fails(2, "workflows", "export", "wf-after-hours", "--file", str(file))
        assert json.loads(file.read_text()) == kept
        assert frontdesk("workflows", "export", "wf-after-hours", "--file", str(file), "--force").status == 0
        assert json.loads(frontdesk("workflows", "export", "wf-after-hours").out) == json.loads(file.read_text())
        frontdesk.fails(1, "workflows", "export", "no-such-one")
        frontdesk.fails(2, "workflows", "export", "wf-survey", "--file", str(tmp_path / "no" / "w.json"))


class TestAnalytics:
    def test_the_counters_are_kept_before_they_are_zeroed(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        before = stored(service, "returns/v2")["analytics"]
        typed = frontdesk("workflows", "reset-analytics", "returns/v2", "--yes")
        assert "frontdesk workflows snapshots returns/v2" in typed.out
        assert stored(service, "returns/v2")["analytics"]["totalStarted"] == 0
        kept = frontdesk("workflows", "snapshots", "returns/v2", "--json").row
        assert kept["document"]["analytics"] == before
        assert "data" not in kept["document"]
        table = frontdesk("workflows", "snapshots", "returns/v2").out.splitlines()
        assert table[1].split()[3] == str(before["totalStarted"])
        assert (
            frontdesk("workflows", "snapshots", "wf-survey").out == "No snapshots of wf-survey on this machine.\n"
        )

    def test_where_they_cannot_be_read_they_are_zeroed_only_when_told_to(
        self, frontdesk: Frontdesk, service: SandboxService, made: str
    ) -> None:
        service.faults({"path": "/workflows$", "kind": "garbage"})
        words = ("workflows", "reset-analytics", made, "--yes")
        assert "--without-snapshot" in frontdesk.fails(4, *words)
        assert not any(path.endswith("/analytics/reset") and "sending" in path for path in service.asked("POST"))
        assert frontdesk(*words, "--without-snapshot", "--json").row["id"] == made

    def test_counters_that_stay_are_said(
        self, frontdesk: Frontdesk, made: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("is_zeroed", "was_zeroed"):
            monkeypatch.setattr(f"frontdesk.workflows.delivery.{name}", lambda *_: False)
        typed = frontdesk("workflows", "reset-analytics", made, "--yes")
        assert (typed.status, typed.err) == (0, f"frontdesk: {NOT_ZERO}\n")

    def test_the_plans_limit_is_said_in_words(self, frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
        async def refuse(*_: object) -> None:
            raise PlanRequired("no", status=403, message="Workflow analytics require the Expert AI plan.")

        monkeypatch.setattr(PlatformClient, "reset_workflow_analytics", refuse)
        words = frontdesk.fails(1, "workflows", "reset-analytics", "wf-survey", "--yes")
        assert "this account's plan doesn't include resetting analytics" in words
        assert "require the Expert AI plan" in words

    def test_what_another_command_sends_meanwhile_is_no_colleagues(
        self, frontdesk: Frontdesk, service: SandboxService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed, others = PlatformClient.list_workflows, ["deactivate"]

        async def overtaken(client: PlatformClient, minimal: bool = True) -> Page[Workflow]:
            found = await listed(client, minimal)
            if others:
                other = process(frontdesk, "workflows", others.pop(), "wf-survey")
                assert other.communicate(timeout=30)[1] == ""
            return found

        monkeypatch.setattr(PlatformClient, "list_workflows", overtaken)
        service.faults({"path": "/analytics/reset", "kind": "status", "status": 429})
        frontdesk.fails(4, "workflows", "reset-analytics", "wf-survey", "--yes")
        assert frontdesk("undo", "--json").row["problems"] == []
        assert stored(service, "wf-survey")["isActive"] is True
        others.append("deactivate")
        assert frontdesk("workflows", "activate", "wf-survey").status == 0
        assert stored(service, "wf-survey")["isActive"] is True

    def test_a_lost_answer_is_settled_by_the_counters(self, frontdesk: Frontdesk, service: SandboxService) -> None:
        service.faults({"path": "/analytics/reset", "kind": "truncate", "times": 1})
        typed = frontdesk("workflows", "reset-analytics", "wf-after-hours", "--yes", "--json")
        assert typed.status == 0
        assert typed.row["analytics"]["totalStarted"] == 0
        assert "the counters of wf-after-hours were reset" in typed.err


def exported(frontdesk: Frontdesk, made: str, path: Path) -> Json:
    assert frontdesk("workflows", "export", made, "--file", str(path)).status == 0
    found: Json = json.loads(path.read_text())
    return found


def changed_by_them(frontdesk: Frontdesk, made: str, tmp_path: Path, words: str) -> None:
    theirs = exported(frontdesk, made, tmp_path / f"theirs-{words}.json")
    parent(theirs, "thank")["data"]["message"] = words
    (tmp_path / "theirs.json").write_text(json.dumps(theirs))
    assert frontdesk("workflows", "update", made, "--file", str(tmp_path / "theirs.json")).status == 0


def test_both_sides_are_shown_against_the_version_that_was_exported_and_merged_if_they_do_not_touch(
    frontdesk: Frontdesk, made: str, tmp_path: Path
) -> None:
    mine = exported(frontdesk, made, tmp_path / "mine.json")
    parent(mine, "ask")["data"]["message"] = "Is it there?"
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    file = moved / "renamed.json"
    file.write_text(json.dumps(mine))
    changed_by_them(frontdesk, made, tmp_path, "Great")
    words = ("workflows", "update", made, "--file", str(file))
    typed = frontdesk(*words)
    assert typed.status == 1
    assert "What they have changed:" in typed.out
    assert "What you have changed:" in typed.out
    assert "add --merge" in typed.err
    dry = frontdesk(*words, "--merge", "--dry-run")
    assert dry.status == 0
    assert "Nothing was sent." in dry.out
    typed = frontdesk(*words, "--merge")
    assert typed.status == 0, typed
    after = exported(frontdesk, made, tmp_path / "after.json")
    assert parent(after, "ask")["data"]["message"] == "Is it there?"
    assert parent(after, "thank")["data"]["message"] == "Great"


def test_a_file_is_edited_and_sent_again_after_an_own_update_of_it(
    frontdesk: Frontdesk, made: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    mine = exported(frontdesk, made, file)
    words = ("workflows", "update", made, "--file", str(file))
    for text in ("Once", "Twice", "Thrice"):
        parent(mine, "ask")["data"]["message"] = text
        file.write_text(json.dumps(mine))
        assert "What they have changed" not in frontdesk("workflows", "diff", made, "--file", str(file)).out
        typed = frontdesk(*words)
        assert typed.status == 0, typed
        assert "It has changed since" not in typed.out
    changed_by_them(frontdesk, made, tmp_path, "Theirs")
    parent(mine, "ask")["data"]["message"] = "Once more"
    file.write_text(json.dumps(mine))
    typed = frontdesk(*words)
    assert typed.status == 1
    assert '"Good" -> "Theirs"' in typed.out
    assert '"Thrice" -> "Once more"' in typed.out, "against what was sent last"
    assert frontdesk(*words, "--merge").status == 0
    parent(mine, "ask")["data"]["message"] = "After the merge"
    file.write_text(json.dumps(mine))
    assert frontdesk(*words).status == 1, "the file lacks what they changed"
    assert frontdesk(*words, "--merge").status == 0
    after = exported(frontdesk, made, tmp_path / "after.json")
    assert parent(after, "ask")["data"]["message"] == "After the merge"
    assert parent(after, "thank")["data"]["message"] == "Theirs"


def test_another_export_of_the_version_before_an_own_update_still_conflicts(
    frontdesk: Frontdesk, made: str, tmp_path: Path
) -> None:
    """It lacks that update, so it would take it back unseen."""
    other = exported(frontdesk, made, tmp_path / "other.json")
    changed_by_them(frontdesk, made, tmp_path, "Mine, from another file")
    other["name"] = "Other"
    (tmp_path / "other.json").write_text(json.dumps(other))
    frontdesk.fails(1, "workflows", "update", made, "--file", str(tmp_path / "other.json"))


def test_what_both_changed_is_listed_and_nothing_is_sent(frontdesk: Frontdesk, made: str, tmp_path: Path) -> None:
    mine = exported(frontdesk, made, tmp_path / "mine.json")
    parent(mine, "thank")["data"]["message"] = "Mine"
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    changed_by_them(frontdesk, made, tmp_path, "Theirs")
    typed = frontdesk("workflows", "update", made, "--file", str(tmp_path / "mine.json"), "--merge")
    assert typed.status == 1
    assert 'before "Good", yours "Mine", theirs "Theirs"' in typed.out
    assert "1 place was changed differently by both" in typed.err
    after = exported(frontdesk, made, tmp_path / "after.json")
    assert parent(after, "thank")["data"]["message"] == "Theirs"


def test_a_file_whose_version_is_not_kept_here_can_not_be_merged(
    frontdesk: Frontdesk, made: str, write: Write
) -> None:
    file = write(asking(lastModified=1, name="Mine"))
    words = ("workflows", "update", made, "--merge", "--file")
    assert "can't be merged: the version it was made from" in frontdesk.fails(1, *words, file)
    assert "has no lastModified" in frontdesk.fails(2, *words, write(asking(name="Mine")))


def test_a_store_that_can_not_be_used_stops_no_export_and_no_direct_update(
    frontdesk: Frontdesk, made: str, tmp_path: Path
) -> None:
    with frontdesk.store() as store:
        outbox = store.folder / "outbox.db"
    db = apsw.Connection(str(outbox))
    db.pragma("user_version", 99)
    db.close()
    mine = exported(frontdesk, made, tmp_path / "mine.json")
    parent(mine, "ask")["data"]["message"] = "Is it there?"
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    words = (made, "--file", str(tmp_path / "mine.json"))
    assert "Is it there?" in frontdesk("workflows", "diff", *words).out
    typed = frontdesk("workflows", "update", *words, "--direct")
    assert typed.status == 0, typed
