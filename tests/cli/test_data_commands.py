"""Each data command against the sandbox: what it asks, prints and answers."""

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.config.settings import data_dir, load_config, resolve_profile
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.client import transport
from frontdesk_sandbox import fixtures
from sample_json import campaign_body


@pytest.fixture
def task(service: SandboxService) -> str:
    """A new task's id."""
    made = service.control("tasks", {"title": "Fresh", "statusCase": "open", "phoneNumberId": "442079460018"})
    return str(made.get("taskId") or made["task"]["taskId"])


@pytest.fixture
def named(frontdesk: Frontdesk, service: SandboxService) -> None:
    """A profile that knows an agent and a line by name."""
    folder = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    agent = '[[profiles.acme.agents]]\nid = "agent-noa"\nname = "Noa Ben-David"\n'
    line = '[[profiles.acme.lines]]\nid = "442079460018"\nlabel = "Service"\n'
    (folder / "config.toml").write_text(f'[profiles.acme]\nbase_url = "{service.url}"\n{agent}{line}')
    frontdesk.environ["FRONTDESK_PROFILE"] = "acme"


class TestTasks:
    def test_all_pages_are_listed_once_as_json_lines(self, frontdesk: Frontdesk, service: SandboxService) -> None:
        rows = frontdesk("tasks", "list", "--json").rows
        assert len(rows) == len({row["taskId"] for row in rows}) > 100
        assert service.asked("POST")[:3].count("/tasks/list") >= 2

    def test_the_first_n_are_listed(self, frontdesk: Frontdesk) -> None:
        assert len(frontdesk("tasks", "list", "--limit", "3", "--json").rows) == 3
        assert len(frontdesk("tasks", "list", "--limit", "101", "--json").rows) == 101

    def test_filters_are_those_of_the_platform(self, frontdesk: Frontdesk) -> None:
        rows = frontdesk("tasks", "list", "--agent", "agent-noa", "--phone", "442079460018", "--json").rows
        assert rows
        assert all("agent-noa" in row["assignedAgentIds"] for row in rows)
        assert {row["phoneNumberId"] for row in rows} == {"442079460018"}
        mine = rows[0]["participantsIdentifiers"]
        found = frontdesk("tasks", "list", "--conversation", mine, "--json").rows
        assert {row["participantsIdentifiers"] for row in found} == {mine}

    def test_people_get_an_aligned_table(self, frontdesk: Frontdesk) -> None:
        lines = frontdesk("tasks", "list", "--limit", "4").out.splitlines()
        assert lines[0].split()[:3] == ["TASK", "STATUS", "TITLE"]
        assert len(lines) == 5

    def test_an_empty_list_says_so_to_people_and_nothing_to_programs(self, frontdesk: Frontdesk) -> None:
        assert frontdesk("tasks", "list", "--agent", "nobody").out == "No tasks.\n"
        assert frontdesk("tasks", "list", "--agent", "nobody", "--json").out == ""

    def test_one_task_is_shown(self, frontdesk: Frontdesk, task: str) -> None:
        assert frontdesk("tasks", "show", task, "--json").row["taskId"] == task
        assert "Fresh" in frontdesk("tasks", "show", task).out

    def test_only_named_fields_are_sent(self, frontdesk: Frontdesk, task: str) -> None:
        changed = frontdesk("tasks", "update", task, "--status", "standby", "--assign", "a, b,a", "--json").row
        assert (changed["statusCase"], changed["assignedAgentIds"], changed["title"]) == (
            "standby",
            ["a", "b"],
            "Fresh",
        )
        assert frontdesk("tasks", "update", task, "--assign", "", "--json").row["assignedAgentIds"] == []
        assert frontdesk("tasks", "update", task, "--title", "", "--json").row["title"] == ""

    @pytest.mark.usefixtures("named")
    def test_an_update_prints_each_changed_field_before_and_after(self, frontdesk: Frontdesk, task: str) -> None:
        words = ("tasks", "update", task, "--status", "standby", "--assign", "agent-noa,agent-x")
        lines = [" ".join(line.split()) for line in frontdesk(*words).out.splitlines()]
        assert lines[0] == f"Updated Fresh ({task}):"
        assert set(lines[1:]) == {
            "statusCase open → In progress (standby)",
            "assignedAgentIds none → Noa Ben-David (agent-noa), agent-x",
        }
        assert frontdesk(*words).out == f"Nothing changed: Fresh ({task}) already had these values.\n"

    @pytest.mark.usefixtures("named")
    def test_names_stand_beside_ids_for_people(self, frontdesk: Frontdesk, task: str) -> None:
        frontdesk("tasks", "update", task, "--assign", "agent-noa,agent-x")
        shown = frontdesk("tasks", "show", task)
        assert "Noa Ben-David (agent-noa), agent-x" in shown.out
        assert "Service (442079460018)" in shown.out
        assert frontdesk("tasks", "show", task, "--json").row["assignedAgentIds"] == ["agent-noa", "agent-x"]
        table = frontdesk("tasks", "list", "--agent", "agent-noa", "--limit", "3").out
        assert "Noa Ben-David (agent-noa)" in table

    @pytest.mark.usefixtures("named")
    def test_a_whole_name_is_its_id_and_an_unknown_name_is_refused(self, frontdesk: Frontdesk, task: str) -> None:
        refused = frontdesk.fails(2, "tasks", "update", task, "--assign", "Yeal")
        assert "agent:Yeal: no agent has that name; " in refused
        frontdesk("tasks", "update", task, "--assign", "Agent-Noa")
        assert frontdesk("tasks", "show", task, "--json").row["assignedAgentIds"] == ["Agent-Noa"], "another id"
        frontdesk("tasks", "update", task, "--assign", "noa ben-david")
        assert frontdesk("tasks", "show", task, "--json").row["assignedAgentIds"] == ["agent-noa"]
        frontdesk("tasks", "update", task, "--assign", "+agent-x,-Noa Ben-David", "--status", "in progress")
        changed = frontdesk("tasks", "show", task, "--json").row
        assert (changed["assignedAgentIds"], changed["statusCase"]) == (["agent-x"], "standby")
        assert "no name in ','" in frontdesk.fails(2, "tasks", "update", task, "--assign", ",")

    def test_a_dry_run_says_which_time_the_words_are(self, frontdesk: Frontdesk, task: str) -> None:
        typed = frontdesk("tasks", "update", task, "--due", "3 weeks ago", "--dry-run")
        assert typed.err.startswith("frontdesk: --due: 20")
        assert typed.err.endswith("(past)\n")

    @pytest.mark.parametrize(
        ("words", "seconds"), [("1795190400", 1795190400), ("2026-11-20T18:00", 1795190400), ("0", 0), ("none", 0)]
    )
    def test_due_is_sent_as_unix_seconds(self, frontdesk: Frontdesk, task: str, words: str, seconds: int) -> None:
        assert frontdesk("tasks", "update", task, "--due", words, "--json").row["dueDate"] == seconds

    @pytest.mark.parametrize(
        ("zone", "hours_west"), [("EST5", 5), ("EST5EDT,M3.2.0,M11.1.0", 4), ("<+0530>-5:30", -5.5), (":UTC", 0)]
    )
    def test_due_is_read_in_a_zone_given_as_a_rule(
        self, frontdesk: Frontdesk, task: str, zone: str, hours_west: float
    ) -> None:
        sent = frontdesk("tasks", "update", task, "--due", "2027-07-01T09:00", "--json", TZ=zone).row
        assert sent["dueDate"] == 1_814_432_400 + hours_west * 3_600

    def test_due_words_are_shown_back_resolved(self, frontdesk: Frontdesk, task: str) -> None:
        assert " 09:00\n" in frontdesk("tasks", "update", task, "--due", "tomorrow 9am").out
        assert "(past)" in frontdesk("tasks", "update", task, "--due", "2020-01-01").out

    @pytest.mark.slow
    @pytest.mark.parametrize("more", [[], ["--dry-run"], ["--json"]])
    def test_due_words_that_count_from_a_clock_that_is_off_are_refused(
        self,
        frontdesk: Frontdesk,
        service: SandboxService,
        task: str,
        more: list[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """`+2h` sent a due date that had passed; the first response tells the platform's time."""
        now, sent = time.time, service.asked("PATCH")
        monkeypatch.setattr(transport, "time", SimpleNamespace(time=lambda: now() - 7_200))
        for words in ("+2h", "tomorrow"):
            typed = frontdesk.fails(2, "tasks", "update", task, "--due", words, *more)
            assert "--due: your clock is 2 h behind: set it or type a full date; for example 2026" in typed
        assert service.asked("PATCH") == sent
        assert frontdesk("tasks", "update", task, "--due", "2030-12-24 09:00", *more).status == 0

    @pytest.mark.parametrize("words", [["--status", ""], [], ["--due", "1795190400000"]])
    def test_wrong_input_sends_nothing(
        self, frontdesk: Frontdesk, service: SandboxService, task: str, words: list[str]
    ) -> None:
        before = service.asked("PATCH")
        frontdesk.fails(2, "tasks", "update", task, *words)
        assert service.asked("PATCH") == before

    def test_what_the_platform_refuses_is_said_in_its_words(self, frontdesk: Frontdesk, task: str) -> None:
        assert "no-such-task" in frontdesk.fails(1, "tasks", "show", "no-such-task")
        frontdesk.fails(1, "tasks", "update", task, "--status", "no-such-status")

    @pytest.mark.usefixtures("quick_read_backs")
    def test_a_write_that_broke_off_is_read_back_and_not_sent_again(
        self, frontdesk: Frontdesk, service: SandboxService, task: str
    ) -> None:
        service.faults({"path": f"/tasks/{task}", "method": "PATCH", "kind": "truncate"})
        before = len(service.asked("PATCH"))
        typed = frontdesk("tasks", "update", task, "--title", "x")
        assert (typed.status, "no clear response from the platform, but it went through" in typed.err) == (0, True)
        assert "Fresh → x" in typed.out
        assert len(service.asked("PATCH")) == before + 1
        assert "check before" in frontdesk.fails(4, "tasks", "update", task, "--title", "y", "--direct")
        assert len(service.asked("PATCH")) == before + 2


class TestMessagesTagsAgentsWebhooks:
    @pytest.fixture
    def known(self, frontdesk: Frontdesk) -> dict[str, Any]:
        """A seeded task, which names a line, a customer and their conversation."""
        rows = frontdesk("tasks", "list", "--limit", "50", "--json").rows
        return next(row for row in rows if row.get("participantsIdentifiers") and row.get("customer"))

    def test_messages_are_newest_first(self, frontdesk: Frontdesk, known: dict[str, Any]) -> None:
        pair = (known["phoneNumberId"], known["customer"]["phoneNumberId"])
        rows = frontdesk("messages", "list", *pair, "--json").rows
        assert rows
        assert [row["createdAt"] for row in rows] == sorted((row["createdAt"] for row in rows), reverse=True)
        assert frontdesk("messages", "list", *pair, "--json", "--limit", "1").rows == rows[:1]
        assert frontdesk("messages", "list", *pair).out.startswith("WHEN")
        frontdesk.fails(2, "messages", "list", "", "x")

    def test_tags_are_assigned_with_the_conversation_encoded(
        self, frontdesk: Frontdesk, service: SandboxService, known: dict[str, Any]
    ) -> None:
        conversation, tag = known["participantsIdentifiers"], fixtures.TAGS[0].id
        typed = frontdesk("tags", "assign", conversation, tag, tag, "--json")
        assert typed.row["tagIds"] == [tag]
        assert service.asked("POST")[0] == f"/conversations/{conversation.replace('#', '%23')}/tags"
        assert tag in frontdesk("tags", "assign", conversation, tag).out
        assert "no-such-tag" in frontdesk.fails(1, "tags", "assign", conversation, "no-such-tag")
        frontdesk.fails(2, "tags", "assign", conversation)
        frontdesk.fails(2, "tags", "assign", conversation, "")
        frontdesk.fails(2, "tags", "assign", "..", tag)

    @pytest.mark.usefixtures("named")
    def test_a_tagged_customer_is_named_once_the_store_knows_them(
        self, frontdesk: Frontdesk, known: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = ("tags", "assign", known["participantsIdentifiers"], fixtures.TAGS[0].id, "--direct")
        assert frontdesk(*words).out.startswith(f"Tagged {known['participantsIdentifiers']}: ")
        for name, value in frontdesk.environ.items():
            monkeypatch.setenv(name, value)
        folder = data_dir(resolve_profile(load_config(), frontdesk.environ))
        assert not (folder / "store.db").exists(), "naming a customer creates no store"
        with Store(folder) as store:
            store.write(lambda db: task_store.put(db, [known | {"customer": {"customerName": "Dana"}}])).result()
        assert frontdesk(*words).out.startswith(f"Tagged Dana ({known['participantsIdentifiers']}): ")

    def test_ai_agents_come_with_files_when_asked(self, frontdesk: Frontdesk) -> None:
        plain = frontdesk("agents", "list", "--json").rows
        full = frontdesk("agents", "list", "--files", "--json").rows
        assert [row["id"] for row in plain] == [row["id"] for row in full]
        assert len(plain) > 25
        assert not any((row.get("vectorStore") or {}).get("files") for row in plain)
        assert any((row.get("vectorStore") or {}).get("files") for row in full)
        assert len(frontdesk("agents", "list", "--json", "--limit", "2").rows) == 2

    def test_one_ai_agent_is_shown_with_what_it_may_call_and_its_files(self, frontdesk: Frontdesk) -> None:
        told = frontdesk("agents", "show", "ai-02").out
        for each in ("Returns assistant (English)", "not a person", "open_return", "manual-1.pdf", "18,977"):
            assert each.replace(",", "") in told.replace(",", "")
        assert frontdesk("agents", "show", "returns assistant (english)", "--json").row["id"] == "ai-02"
        assert frontdesk("agents", "show", "ai-02", "--json").row["vectorStore"]["files"]
        assert "agents list" in frontdesk.fails(1, "agents", "show", "nobody")

    def test_where_files_are_refused_an_ai_agent_is_shown_without(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        service.faults({"method": "GET", "path": "/ai-agents*", "kind": "status", "status": 400, "times": 1})
        typed = frontdesk("agents", "show", "ai-02")
        assert "not loaded" in typed.out
        assert "loaded without files" in typed.err

    def test_a_webhook_is_deleted_only_with_yes(self, frontdesk: Frontdesk, service: SandboxService) -> None:
        webhook = service.control("webhooks", {})["webhookId"]
        assert "--yes" in frontdesk.fails(2, "webhooks", "delete", webhook)
        assert frontdesk("webhooks", "delete", webhook, "--yes", "--json").row["deleted"] is True
        assert frontdesk.fails(1, "webhooks", "delete", webhook, "--yes")


class TestCampaigns:
    def test_one_is_created_from_a_file_or_standard_input_and_read(
        self, frontdesk: Frontdesk, tmp_path: Path
    ) -> None:
        file = tmp_path / "campaign.json"
        file.write_text(json.dumps(campaign_body("cli/1 #")))
        assert "cli/1 #" in frontdesk("campaigns", "create", "--file", str(file), "--json").row["message"]
        assert (
            "cli-2"
            in frontdesk("campaigns", "create", "--file", "-", stdin=json.dumps(campaign_body("cli-2"))).out
        )
        assert frontdesk("campaigns", "get", "cli/1 #", "--json").row["name"] == "Hello"
        assert "1 recipient" in frontdesk("campaigns", "get", "cli/1 #").out

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (json.dumps(campaign_body("x", name="")), "$.name"),
            (
                json.dumps(campaign_body("x", customerList=[{"phoneNumberId": "1"}, {"phoneNumberId": 1}])),
                "$.customerList[1].phoneNumberId",
            ),
            (json.dumps(campaign_body("x", status="pending")), "$.status"),
            (json.dumps(campaign_body("x", whenToSendMessage="future")), "scheduledAt is required"),
            (
                json.dumps(campaign_body("x", whenToSendMessage="future", scheduledAt=1893456000)),
                "looks like seconds",
            ),
            (json.dumps(campaign_body("x", whenToSendMessage="future", scheduledAt=1600000000000)), "in the past"),
            (json.dumps(campaign_body("x", source="csv")), "source"),
            ("[]", "a JSON object"),
            ('{"id": NaN}', "isn't valid JSON"),
            ('{"id": "a", "id": "b"}', "has a duplicate key (line 1, column 13"),
            ('{"id": ', "line 1"),
            ("", "isn't valid JSON"),
        ],
    )
    def test_bad_input_is_named_by_its_path_and_not_sent(
        self, frontdesk: Frontdesk, service: SandboxService, text: str, words: str
    ) -> None:
        before = service.asked("POST")
        assert words in frontdesk.fails(2, "campaigns", "create", "--file", "-", stdin=text)
        assert service.asked("POST") == before

    @pytest.mark.usefixtures("quick_read_backs")
    def test_a_lost_answer_is_settled_by_reading_back_once(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        service.faults({"path": "/campaigns$", "kind": "truncate", "times": 1})
        typed = frontdesk("campaigns", "create", "--file", "-", stdin=json.dumps(campaign_body("lost-1")))
        assert typed.status == 0
        assert "the platform has the campaign lost-1" in typed.out

    @pytest.mark.usefixtures("quick_read_backs")
    @pytest.mark.parametrize("fault", [{"kind": "drop"}, {"kind": "status", "status": 503}])
    def test_a_failure_that_stored_nothing_says_how_to_check(
        self, frontdesk: Frontdesk, service: SandboxService, fault: dict[str, Any]
    ) -> None:
        service.faults({"path": "/campaigns$", "times": 1, **fault})
        before = service.asked("POST").count("/campaigns")
        words = frontdesk.fails(4, "campaigns", "create", "--file", "-", stdin=json.dumps(campaign_body("lost-2")))
        assert "frontdesk campaigns get lost-2" in words
        assert service.asked("POST").count("/campaigns") <= before + 1

    def test_an_id_that_is_taken_is_refused(self, frontdesk: Frontdesk) -> None:
        text = json.dumps(campaign_body("taken"))
        assert frontdesk("campaigns", "create", "--file", "-", stdin=text).status == 0
        other = json.dumps(campaign_body("taken", name="Another"))
        assert "choose another id" in frontdesk.fails(1, "campaigns", "create", "--file", "-", stdin=other)

    def test_what_is_stored_under_its_id_was_sent(self, frontdesk: Frontdesk) -> None:
        text = json.dumps(campaign_body("twice"))
        assert frontdesk("campaigns", "create", "--file", "-", stdin=text).status == 0
        again = frontdesk("campaigns", "create", "--file", "-", stdin=text)
        assert (again.status, "the platform has the campaign twice (" in again.out) == (0, True)

    def test_an_ended_one_is_watched_for_one_line(self, frontdesk: Frontdesk, service: SandboxService) -> None:
        known = [frontdesk("campaigns", "get", each, "--json").row for each in fixtures.CAMPAIGN_IDS]
        name, ended = next((row["name"], row["id"]) for row in known if row["status"] == "completed")
        typed = frontdesk("campaigns", "watch", ended, ended, "--every", "0.1")
        assert typed.status == 0
        assert typed.out.count("\n") == 1
        assert f"{name} ({ended})  completed" in typed.out
        assert frontdesk("campaigns", "watch", ended, "--json").row["id"] == ended


class TestWorkflows:
    def test_they_are_listed_minimal_or_full(self, frontdesk: Frontdesk) -> None:
        minimal, full = (
            frontdesk("workflows", "list", "--json").rows,
            frontdesk("workflows", "list", "--full", "--json").rows,
        )
        assert [row["id"] for row in minimal] == [row["id"] for row in full]
        assert not any("parsedData" in row for row in minimal)
        assert any("parsedData" in row for row in full)
        assert frontdesk("workflows", "list").out.startswith("WORKFLOW")

    def test_one_is_created_then_updated_with_the_last_modified_of_the_list(self, frontdesk: Frontdesk) -> None:
        made = frontdesk(
            "workflows",
            "create",
            "cli/w",
            "--folder",
            "folder-service",
            "--file",
            "-",
            "--json",
            "--despite-errors",
            stdin='{"name":"n"}',
        )
        assert isinstance(made.row["lastModified"], int)
        assert frontdesk("workflows", "update", "cli/w", "--file", "-", stdin='{"isActive":true}').status == 0
        stored = {row["id"]: row for row in frontdesk("workflows", "list", "--json").rows}["cli/w"]
        assert stored["isActive"] is True

    def test_a_stale_last_modified_says_what_to_do(self, frontdesk: Frontdesk) -> None:
        words = frontdesk.fails(1, "workflows", "update", "wf-welcome", "--file", "-", stdin='{"lastModified":5}')
        assert "workflows export" in words

    def test_bad_input_is_not_sent(self, frontdesk: Frontdesk) -> None:
        nodes = '{"name":"n","data":{"nodes":[]}}'
        assert "autoLayout" in frontdesk.fails(
            2, "workflows", "create", "w", "--folder", "f", "--file", "-", stdin=nodes
        )
        frontdesk.fails(2, "workflows", "create", "w", "--folder", "", "--file", "-", stdin='{"name":"n"}')
        frontdesk.fails(1, "workflows", "update", "no-such-one", "--file", "-", stdin="{}")

    @pytest.mark.usefixtures("quick_read_backs")
    def test_a_lost_create_is_looked_up_and_never_repeated(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        service.faults({"path": "/workflows/lost", "kind": "truncate"})
        words = ("--folder", "folder-service", "--file", "-", "--despite-errors")
        typed = frontdesk("workflows", "create", "lost", *words, stdin='{"name":"n"}')
        assert (typed.status, "but lost is stored as sent" in typed.err) == (0, True)
        assert typed.out.splitlines()[-1].startswith("Created lost, lastModified ")
        assert service.asked("POST")[:9].count("/workflows/lost") == 1
        frontdesk.fails(4, "workflows", "create", "lost2", *words, "--direct", stdin='{"name":"n"}')

    def test_analytics_are_reset_only_with_yes(self, frontdesk: Frontdesk) -> None:
        assert "--yes" in frontdesk.fails(2, "workflows", "reset-analytics", "wf-welcome")
        answer = frontdesk("workflows", "reset-analytics", "wf-welcome", "--yes", "--json").row
        assert answer["analytics"]["totalStarted"] == 0

    def test_the_update_is_marked_as_not_described_by_the_interface(self, frontdesk: Frontdesk) -> None:
        words = " ".join(frontdesk("workflows", "update", "--help").out.split())
        assert "lists this request but doesn't describe it" in words


def test_a_write_whose_answer_cannot_be_read_may_have_been_done_and_says_so(
    frontdesk: Frontdesk, service: SandboxService, task: str
) -> None:
    service.faults({"path": "/tasks/", "kind": "garbage"})
    typed = frontdesk("tasks", "update", task, "--title", "Anew")
    assert (typed.status, "get task: the platform's response isn't UTF-8 text" in typed.err) == (4, True)
    service.faults({"path": "/tasks/", "method": "PATCH", "kind": "garbage"})
    typed = frontdesk("tasks", "update", task, "--title", "Anew", "--direct")
    service.faults()
    assert typed.status == 4
    assert "it may have gone through; check before you resend it" in typed.err
