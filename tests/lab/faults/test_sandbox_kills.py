"""A 2xx means that it survives kill -9 at that instant (rule 235).

The service runs as a process of its own; several writers ask it as fast as they can and remember what was
acknowledged. After each kill it is started again on the same data and has to have all of it. What was under
way at the kill may be there or not, but as a whole: one request writes its number into several places.
"""

import http.client
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any, Protocol
from urllib.parse import quote

import pytest

from frontdesk_sandbox import fixtures
from lab.sample import SEED, count
from sandbox.asking import campaign, tags_campaign
from sandbox.counters import check_counters, check_step, in_flight
from sandbox.serving import LINE, Client, Forked

PARTS = count(1, 5)
KILLS_A_PART = 20
KILLS_OF_A_CAMPAIGN = 20

ONE_MESSAGE = ("wf-one-message", "Only once")
"""The id of a workflow made here, and all that it says."""

STILL = 0.0001
"""A speed at which real time, of which a slow machine takes more, moves nothing."""

FOREVER_MS = 4_000_000_000_000
"""A scheduled time that no test comes to."""

pytestmark = pytest.mark.lab


class Writer(Protocol):
    """Writes one kind of thing, and knows what has to be there.

    Attributes:
        acknowledged: how many of its writes were answered with a 2xx.
    """

    acknowledged: int

    def prepare(self, client: Client) -> None:
        """Make what the writes are about."""

    def write(self, client: Client) -> None:
        """The next write; what is acknowledged is remembered once its answer has been read."""

    def check(self, client: Client, *, everything: bool = False) -> None:
        """Look for what was acknowledged, since the last check or ever, and what became of the write cut short."""


class NewCampaigns:
    """Creates campaigns of both sources, which wait for a far time or aren't active."""

    def __init__(self) -> None:
        self.acknowledged = 0
        self._stored: dict[str, dict[str, Any]] = {}
        self._fresh: list[str] = []
        self._under_way: dict[str, Any] | None = None
        self._number = 0

    def prepare(self, client: Client) -> None:
        pass

    def write(self, client: Client) -> None:
        self._number += 1
        self._under_way = body = _campaign_body(self._number)
        client.ask("POST", "/campaigns", body)
        self._keep(body)
        self.acknowledged += 1

    def check(self, client: Client, *, everything: bool = False) -> None:
        if self._under_way is not None:
            found = client.ask("GET", f"/campaigns/{self._under_way['id']}", or_none=True)
            if found is not None:
                self._keep(self._under_way)
        self._under_way = None
        for identity in self._stored if everything else self._fresh:
            found, body = client.ask("GET", f"/campaigns/{identity}"), self._stored[identity]
            assert found | body == found, f"{identity} is not as it was sent"
            assert found["status"] == ("scheduled" if "scheduledAt" in body else "pending")
            assert found["associatedTo"] == fixtures.ACCOUNT
        self._fresh.clear()

    def _keep(self, body: dict[str, Any]) -> None:
        self._stored[body["id"]] = body
        self._fresh.append(body["id"])
        self._under_way = None


class TaskChanges:
    """Changes a few tasks, all fields of a change with its number."""

    def __init__(self, count: int = 6) -> None:
        self.acknowledged = 0
        self._count = count
        self._stored: dict[str, dict[str, Any]] = {}
        self._under_way: tuple[str, dict[str, Any]] | None = None
        self._number = 0

    def prepare(self, client: Client) -> None:
        made = client.ask("POST", "/sandbox/tasks", [{"title": "new"}] * self._count)
        self._stored = {task["taskId"]: task for task in made}

    def write(self, client: Client) -> None:
        self._number += 1
        number = self._number
        identity = list(self._stored)[number % self._count]
        fields = {
            "title": f"title {number}",
            "body": f"body {number} " * (1 + number % 500),
            "dueDate": number,
            "assignedAgentIds": [f"agent {number}"],
            "viewedByAgentIds": [f"viewer {number}"],
        }
        self._under_way = identity, fields
        answer = client.ask("PATCH", f"/tasks/{identity}", fields)["task"]
        self._stored[identity] = answer
        self._under_way = None
        self.acknowledged += 1

    def check(self, client: Client, *, everything: bool = False) -> None:
        changing, fields = self._under_way or ("", {})
        self._under_way = None
        for identity, stored in self._stored.items():
            found = client.ask("GET", f"/tasks/{identity}")["task"]
            if identity == changing and found != stored:
                assert found | fields == found, f"half of a change: {found}"
                assert found["updatedAt"] > stored["updatedAt"]
                self._stored[identity] = found
            else:
                assert found == stored
            # What lists are made from says the same as the task itself.
            for agent in found["assignedAgentIds"]:
                assert client.ask("POST", "/tasks/list", {"agentId": agent})["dbObject"] == [found]


class WorkflowEdits:
    """Creates workflows and replaces their graphs, all parts of a version with its number."""

    def __init__(self, edits: int = 20) -> None:
        self.acknowledged = 0
        self._edits = edits
        self._stored: dict[str, dict[str, Any]] = {}
        self._under_way: tuple[str, dict[str, Any]] | None = None
        self._number = 0

    def prepare(self, client: Client) -> None:
        pass

    def write(self, client: Client) -> None:
        self._number += 1
        number = self._number
        identity = f"killed {number // self._edits}"
        path = f"/workflows/killed%20{number // self._edits}"
        body = _workflow_body(number)
        self._under_way = identity, body
        stored = self._stored.get(identity)
        if stored is None:
            answer = body | client.ask("POST", f"{path}?folderId={fixtures.CAMPAIGN_FOLDER}", body)
            answer.pop("message")
        else:
            answer = client.ask("PUT", path, body | {"lastModified": stored["lastModified"]})
        self._stored[identity] = answer
        self._under_way = None
        self.acknowledged += 1

    def check(self, client: Client, *, everything: bool = False) -> None:
        changing, body = self._under_way or ("", {})
        self._under_way = None
        found = {workflow["id"]: workflow for workflow in client.ask("POST", "/workflows", {})["result"]}
        for identity, stored in self._stored.items():
            if identity != changing or found[identity]["name"] == stored["name"]:
                assert found[identity] | stored == found[identity]
        if changing in found:
            now, stored = found[changing], self._stored.get(changing)
            if stored is None or now["name"] != stored["name"]:
                assert now | body == now, f"half of a version: {now}"
                assert stored is None or now["lastModified"] > stored["lastModified"]
                self._stored[changing] = now


class Arrivals:
    """Lets customers write, three messages in one request; the customer's task counts them."""

    def __init__(self, count: int = 5, each: int = 3) -> None:
        self.acknowledged = 0
        self._each = each
        self._texts: dict[str, list[str]] = {f"97255100{place:04d}": [] for place in range(count)}
        self._tasks: dict[str, str] = {}
        self._under_way: tuple[str, list[str]] | None = None
        self._number = 0

    def prepare(self, client: Client) -> None:
        for customer in self._texts:
            client.ask("POST", "/sandbox/messages", {"sender": customer, "receiver": LINE, "message": "first"})
            task = {"participantsIdentifiers": f"{LINE}#{customer}", "title": "counts"}
            self._tasks[customer] = client.ask("POST", "/sandbox/tasks", task)["taskId"]

    def write(self, client: Client) -> None:
        self._number += 1
        customer = list(self._texts)[self._number % len(self._texts)]
        texts = [f"{self._number}/{part}" for part in range(self._each)]
        self._under_way = customer, texts
        client.ask(
            "POST",
            "/sandbox/messages",
            [{"sender": customer, "receiver": LINE, "message": text} for text in texts],
        )
        self._texts[customer] += texts
        self._under_way = None
        self.acknowledged += 1

    def check(self, client: Client, *, everything: bool = False) -> None:
        writing, texts = self._under_way or ("", [])
        self._under_way = None
        for customer, expected in self._texts.items():
            found = sorted(message["message"] for message in client.thread(customer))
            if customer == writing and len(found) > 1 + len(expected):
                expected += texts
            assert found == sorted(["first", *expected])
            task = client.ask("GET", f"/tasks/{self._tasks[customer]}")["task"]
            assert task["unreadCount"] == len(expected), "messages and the task's count belong together"


class TagsGiven:
    """Gives several tags in one request; who has them is what a campaign to the first and the last finds."""

    TAGS = ("tag-assembly", "tag-vip", "tag-late", "tag-refund", "tag-damaged", "tag-complaint", "tag-invoice")
    ENDS = (TAGS[0], TAGS[-1])

    def __init__(self, count: int = 2_000) -> None:
        self.acknowledged = 0
        self._customers = [f"97255200{place:04d}" for place in range(count)]
        self._given: set[str] = set()
        self._under_way: str | None = None
        self._before: list[int] = []
        self._number = 0
        self._asked = 0

    def prepare(self, client: Client) -> None:
        first = [{"sender": customer, "receiver": LINE, "message": "first"} for customer in self._customers]
        client.ask("POST", "/sandbox/messages", first)
        self._before = [self._audience(client, tag) for tag in self.ENDS]

    def write(self, client: Client) -> None:
        customer = self._customers[self._number % len(self._customers)]
        self._number += 1
        self._under_way = customer
        client.ask("POST", f"/conversations/{LINE}%23{customer}/tags", {"tagIds": list(self.TAGS)})
        self._given.add(customer)
        self._under_way = None
        self.acknowledged += 1

    def check(self, client: Client, *, everything: bool = False) -> None:
        more = [self._audience(client, tag) - base for tag, base in zip(self.ENDS, self._before, strict=True)]
        assert len(set(more)) == 1, f"some of the tags: {more}"
        if self._under_way is not None and more[0] == len(self._given) + 1:
            self._given.add(self._under_way)
        self._under_way = None
        assert more[0] == len(self._given)

    def _audience(self, client: Client, tag: str) -> int:
        self._asked += 1
        path = f"/campaigns/who-{self._asked}"
        shown = {"id": tag, "title": tag, "color": "gold", "associatedTo": fixtures.ACCOUNT}
        body = tags_campaign(id=f"who-{self._asked}", workflowId=ONE_MESSAGE[0], conversationTags=[shown])
        client.ask("POST", "/campaigns", body)
        for _ in range(30):
            client.ask("POST", "/sandbox/advance", {"seconds": 0.25})
            found = client.ask("GET", path)
            if "startedAt" in found:
                client.ask("POST", f"/sandbox{path}/stop", or_none=True)  # a short one may have ended
                return int(found["totalRecipients"])
        raise AssertionError(f"it does not begin: {found}")


@pytest.mark.rules("235")
@pytest.mark.parametrize("part", range(PARTS))
def test_what_was_acknowledged_survives_a_kill_at_any_moment(seeded: Path, tmp_path: Path, part: int) -> None:
    folder = Path(copytree(seeded, tmp_path / "data"))
    chance = Random(SEED + part)
    writers: list[Writer] = [NewCampaigns(), TaskChanges(), WorkflowEdits(), Arrivals(), TagsGiven()]
    for place in range(KILLS_A_PART):
        with _started(folder) as (service, client):
            if place == 0:
                _rest(client)
            for writer in writers:
                writer.prepare(client) if place == 0 else writer.check(client)
            _write_until_killed(service, writers, chance)
    with _started(folder) as (service, client):
        for writer in writers:
            writer.check(client, everything=True)
            assert writer.acknowledged >= KILLS_A_PART, f"{type(writer).__name__} had its turn"
        assert service.end()[0] == 0


@pytest.mark.rules("235")
def test_a_campaign_killed_again_and_again_writes_to_everybody_once(seeded: Path, tmp_path: Path) -> None:
    folder = Path(copytree(seeded, tmp_path / "data"))
    chance = Random(SEED)
    people = [f"97255{place:07d}" for place in range(800)]
    body = campaign(
        workflowId=ONE_MESSAGE[0], customerList=[{"phoneNumberId": f"+{who}"} for who in (*people, *people[:5])]
    )
    before: dict[str, Any] = {}
    for life in range(KILLS_OF_A_CAMPAIGN):
        with _started(folder, STILL) as (service, client):
            if life == 0:
                _rest(client)
                # Ahead of real time from here on: only what is asked for below moves the campaign.
                client.ask("POST", "/sandbox/advance", {"seconds": 3 * 3600})
                client.ask("POST", "/campaigns", body)
                before = client.ask("GET", "/campaigns/c1")
            pending = len(people) * (1 - (life + 1) / (KILLS_OF_A_CAMPAIGN + 1))
            before = _run_until(client, before, pending)
            assert before["status"] == "inProgress"
            client.begin("POST", "/sandbox/advance", {"seconds": 0.3})
            _kill_soon(service, chance, 0.02)
    with _started(folder, STILL) as (service, client):
        client.ask("POST", "/sandbox/advance", {"seconds": 30 * 24 * 3600})
        after = client.ask("GET", "/campaigns/c1")
        check_counters(after)
        check_step(before, after)
        assert (after["status"], after["totalRecipients"], in_flight(after)) == ("completed", 805, 0)
        assert after["duplicateMessageCount"] == 5
        statuses = []
        for who in people:
            sent = [message for message in client.thread(who) if message["message"] == ONE_MESSAGE[1]]
            assert len(sent) == 1, who
            statuses.append(sent[0]["status"])
        assert statuses.count("failed") == after["failedCount"]
        assert statuses.count("tooManyRequests") == after["tooManyRequestsCount"]
        assert statuses.count("read") == after["readCount"]
        assert service.end()[0] == 0


@contextmanager
def _started(folder: Path, speed: float = 1.0) -> Iterator[tuple[Forked, Client]]:
    """The service on this data, in which nothing moves by itself, and a connection to it."""
    service = Forked(folder.with_name("errors.txt"), data=folder, crowd=False, speed=speed)
    try:
        with Client(service.url) as client:
            yield service, client
    finally:
        service.process.kill()
        service.process.join()


def _write_until_killed(service: Forked, writers: Iterable[Writer], chance: Random) -> None:
    """All writers at once; the kill comes a moment after some acknowledgement."""
    acknowledged = threading.Semaphore(0)

    def keep_writing(writer: Writer) -> None:
        try:
            with Client(service.url) as client:
                while True:
                    writer.write(client)
                    acknowledged.release()
        except (OSError, http.client.HTTPException):
            assert killed.is_set(), "the service went away by itself"

    killed = threading.Event()
    with ThreadPoolExecutor() as pool:
        writing = [pool.submit(keep_writing, writer) for writer in writers]
        enough = all(acknowledged.acquire(timeout=20) for _ in range(chance.randint(1, 80)))
        killed.set()
        _kill_soon(service, chance, 0.004)
        for each in writing:
            each.result()
        assert enough, "the writers stand still"


def _kill_soon(service: Forked, chance: Random, seconds: float) -> None:
    """Kill at a moment that nobody can foresee."""
    time.sleep(chance.uniform(0, seconds))
    assert service.end(signal.SIGKILL) == (-signal.SIGKILL, "")


def _run_until(client: Client, seen: dict[str, Any], pending: float) -> dict[str, Any]:
    """Move the campaign on in small steps until so few are pending; the last read of it."""
    while True:
        found: dict[str, Any] = client.ask("GET", "/campaigns/c1")
        check_counters(found)
        check_step(seen, found)
        if "startedAt" in found and found["pendingCount"] <= pending:
            return found
        seen = found
        client.ask("POST", "/sandbox/advance", {"seconds": 0.1})


def _rest(client: Client) -> None:
    """Leave nothing of the seed that moves by itself or answers; one workflow that says one thing."""
    client.ask("POST", f"/sandbox/campaigns/{fixtures.RUNNING_CAMPAIGN}/stop")
    for workflow in client.ask("POST", "/workflows", {"getAllWorkflowsMinimalData": True})["result"]:
        _switch(client, workflow["id"], False, workflow["lastModified"])
    identity, text = ONE_MESSAGE
    body = {
        "name": "One message",
        "associatedToBusinessId": LINE,
        "platformType": "whatsapp",
        "trigger": _node("begin", "workflowTrigger", "Trigger", {"eventType": "Manual Trigger"}, ["say"]),
        "parsedData": [_node("say", "whatsapp", "Action", {"messageType": "custom", "message": text}, [])],
    }
    made = client.ask("POST", f"/workflows/{identity}?folderId={fixtures.CAMPAIGN_FOLDER}", body)
    _switch(client, identity, True, made["lastModified"])


def _switch(client: Client, workflow: str, is_active: bool, last_modified: int) -> None:
    body = {"isActive": is_active, "lastModified": last_modified}
    client.ask("PUT", f"/workflows/{quote(workflow, safe='')}", body)


def _node(identity: str, kind: str, category: str, data: dict[str, Any], out: list[str]) -> dict[str, Any]:
    return {
        "id": identity,
        "type": kind,
        "category": category,
        "title": identity,
        "data": data,
        "connections": {"out": out},
        "subNodes": [],
    }


def _campaign_body(number: int) -> dict[str, Any]:
    """A campaign whose every part carries its number; some are longer than a page of the file."""
    changes: dict[str, Any] = {"id": f"killed-{number}", "name": f"n{number}", "description": f"d{number}"}
    if number % 3:
        changes |= {"whenToSendMessage": "future", "scheduledAt": FOREVER_MS + number}
    else:
        changes["isActive"] = False
    if number % 2:
        tag = {"id": "tag-vip", "title": f"t{number}", "color": f"c{number}", "associatedTo": fixtures.ACCOUNT}
        return tags_campaign(**changes, conversationTags=[tag])
    people = [{"phoneNumberId": f"+{number}", "customerName": f"p{number}"}] * (1 + number % 200)
    return campaign(**changes, customerList=people)


def _workflow_body(number: int) -> dict[str, Any]:
    step = _node(f"step {number}", "whatsapp", "Action", {"message": f"text {number}" * (1 + number % 200)}, [])
    return {
        "name": f"name {number}",
        "notes": f"notes {number}",
        "variables": {"number": number},
        "settings": {"number": number},
        "trigger": _node(f"begin {number}", "workflowTrigger", "Trigger", {}, [step["id"]]),
        "parsedData": [step],
    }
