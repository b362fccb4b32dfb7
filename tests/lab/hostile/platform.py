"""A platform whose every field holds text that attacks: for an engine in this process, or behind HTTP.

Each text begins with its field's code, so that what is on a screen tells which field it came from. A round gives
each field other sequences than the one before.
"""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from frontdesk_api.contract.ai_agents import AiAgent
from frontdesk_api.contract.base import ErrorBody, MessageOnly
from frontdesk_api.contract.campaigns import Campaign
from frontdesk_api.contract.messages import Message
from frontdesk_api.contract.tasks import Task
from frontdesk_api.contract.workflows import Workflow, WorkflowCreated
from lab.hostile.fields import build, text_fields
from lab.hostile.sequences import SEQUENCES

Json = dict[str, Any]
Answer = tuple[int, dict[str, str], bytes]

LINE = "L1"
NOW = 1_760_000_000
CUSTOMERS = 10
MESSAGES = 16
CAMPAIGNS = ("c0", "c1", "c2")
WORKFLOWS = ("w0", "w1", "w2")
AGENTS = ("a0", "a1", "a2")

_STATUSES = ("open", "standby", "completed", "")
_TYPES = ("text", "image", "informative", "comment", "template", "document", "", "interactive")
_MESSAGE_STATUSES = ("failed", "delivered", "read", "", "sent", "optOut")
_CODE = re.compile(r"zq(\d{3})")


def code_of(path: str) -> str:
    """The letters at the start of a field's texts."""
    return f"zq{text_fields().index(path):03}"


def fields_in(shown: str) -> set[str]:
    """The fields whose text is in this one."""
    known = text_fields()
    return {known[int(number)] for number in _CODE.findall(shown) if int(number) < len(known)}


class HostilePlatform:
    """The answers of one round.

    Attributes:
        written: the pairs of a field and a sequence that were made.
        newer: messages that come later, newest first; they are put before the others of the first thread.
    """

    def __init__(self, round_number: int = 0) -> None:
        self.written: set[tuple[str, int]] = set()
        self.newer: list[Json] = []
        self.writes = 0
        self._next = round_number * 397
        self.tasks = {each["taskId"]: each for each in map(self._task, range(CUSTOMERS))}
        self.messages = {f"C{number}": self._thread(number) for number in range(CUSTOMERS)}
        self.campaigns = {identity: self._campaign(at, identity) for at, identity in enumerate(CAMPAIGNS)}
        self.workflows = {identity: self._workflow(at, identity) for at, identity in enumerate(WORKFLOWS)}
        self.agents = {identity: self._object(AiAgent, id=identity) for identity in AGENTS}
        # Their ids attack too, so that nothing can ask for them.
        self.nameless_workflow = self._object(Workflow, lastModified=NOW, created=NOW)
        self.nameless_agent = self._object(AiAgent)

    def text(self, path: str) -> str:
        """The next text of a field."""
        at = self._next % len(SEQUENCES)
        self._next += 1
        self.written.add((path, at))
        return code_of(path) + SEQUENCES[at]

    def answer(self, method: str, target: str, _headers: object = None, body: bytes = b"") -> Answer:
        """The answer to a request, as `canary.echo_server` has it."""
        path = unquote(urlsplit(target).path)
        asked = json.loads(body) if body else {}
        status, value = self._answer(method, path, asked)
        return status, {"Content-Type": "application/json"}, json.dumps(value).encode()

    def say_more(self) -> None:
        """Let new messages arrive in the first conversation."""
        now = NOW + 1000 * (len(self.newer) + 1)
        for at in range(3):
            fresh = self._message(at * 2, messageDirection="incoming", type="text", createdAt=(now + at) * 1000.0)
            self.newer.insert(0, fresh)
        first = self.tasks["t0"]
        first["updatedAt"], first["customer"]["lastActiveAt"] = now + 9, (now + 9) * 1000
        first["unreadCount"] = first["unreadCount"] + 3

    def _answer(self, method: str, path: str, asked: Json) -> tuple[int, object]:
        if path == "/tasks/list":
            return 200, {
                "dbObject": list(self.tasks.values())[: asked.get("limit", CUSTOMERS)],
                "hasMoreItemsToFetch": False,
            }
        if path.startswith("/tasks/") and method == "GET":
            return self._found(self.tasks, path, lambda task: {"task": task})
        if path == "/getMessages":
            person = asked.get("targetPhoneNumberId")
            page = [*(self.newer if person == "C0" else []), *self.messages.get(str(person), [])]
            return 200, {"dbObject": page, "hasMoreItemsToFetch": False}
        if path.startswith("/campaigns/"):
            return self._found(self.campaigns, path, lambda campaign: campaign)
        if path == "/workflows":
            listed = [*self.workflows.values(), self.nameless_workflow]
            return 200, {"result": listed, "hasMoreItemsToFetch": False}
        if path == "/ai-agents":
            return 200, {"agents": [*self.agents.values(), self.nameless_agent], "hasMoreItemsToFetch": False}
        return self._written(method, path, asked)

    def _written(self, method: str, path: str, asked: Json) -> tuple[int, object]:
        """Every third write is taken, the others are refused."""
        self.writes += 1
        if self.writes % 3:
            return (422, 400, 403)[self.writes % 3], self._object(ErrorBody)
        if path.startswith("/tasks/"):
            task = self.tasks.get(path.removeprefix("/tasks/"), self.tasks["t0"])
            task |= asked
            return 200, {"task": task}
        if path.endswith("/tags"):
            return 200, "success"
        if path == "/campaigns":
            return 201, {"message": f"{self.text('CampaignCreated.message')} {asked.get('id')}"}
        if path.endswith("/analytics/reset"):
            return 403, self._object(MessageOnly)
        if path.startswith("/workflows/") and method == "POST":
            return 200, self._object(WorkflowCreated)
        if path.startswith("/workflows/"):
            return 200, self.workflows.get(path.removeprefix("/workflows/"), self.workflows["w0"])
        return 200, {"message": self.text("MessageOnly.message")}

    def _found(self, among: dict[str, Json], path: str, shape: Callable[[Json], Json]) -> tuple[int, object]:
        one = among.get(path.split("/", 2)[2])
        return (404, self._object(ErrorBody)) if one is None else (200, shape(one))

    def _object(self, model: Any, **own: object) -> Json:
        """An object with hostile text everywhere but in some fields; it has an unknown field too."""
        raw = build(model, self.text)
        unknown = next(iter(text_fields()))
        return {**raw, **own, self.text(unknown): {self.text(unknown): [self.text(unknown)]}}

    def _task(self, number: int) -> Json:
        status = _STATUSES[number % len(_STATUSES)]
        own: Json = {
            "taskId": f"t{number}" if number < CUSTOMERS - 1 else self.text("Task.taskId"),
            "phoneNumberId": LINE if number < CUSTOMERS - 1 else self.text("Task.phoneNumberId"),
            "participantsIdentifiers": f"{LINE}#C{number}",
            "createdAt": NOW - 86_400 - number,
            "updatedAt": NOW - number,
            "dueDate": NOW + 3_600 * number,
            "unreadCount": number,
            "assignedAgentIds": [self.text("Task.assignedAgentIds[]")] if number % 2 else [],
        }
        if status:
            own["statusCase"] = status
        task = self._object(Task, **own)
        identity = f"C{number}" if number < CUSTOMERS - 2 else self.text("Task.customer.phoneNumberId")
        task["customer"] |= {"phoneNumberId": identity, "lastActiveAt": (NOW - number) * 1000}
        return task

    def _thread(self, number: int) -> list[Json]:
        """The messages of one customer, newest first."""
        return [
            self._message(at, participantsIdentifiers=f"{LINE}#C{number}", createdAt=(NOW - 60.0 * at) * 1000)
            for at in range(MESSAGES)
        ]

    def _message(self, at: int, **own: object) -> Json:
        kind, status = _TYPES[at % len(_TYPES)], _MESSAGE_STATUSES[at % len(_MESSAGE_STATUSES)]
        known = {"messageId": f"m-{self._next}", "messageDirection": "outgoing" if at % 2 else "incoming"}
        known = {} if at == 7 else known
        known |= {"type": kind} if kind else {}
        known |= {"status": status} if status else {}
        known |= {"initiator": ("person", "api", "agent")[at % 3]} if at % 4 else {}
        message = self._object(Message, **known, **own)
        for each in ("error", "comment", "richContent", "attachment", "translation"):
            if at % 5 == 4:  # without them the plain text has room
                del message[each]
        return message

    def _campaign(self, at: int, identity: str) -> Json:
        own: Json = {"id": identity, "scheduledAt": (NOW + 600) * 1000, "startedAt": (NOW - 600) * 1000}
        own |= {"totalRecipients": 9, "completedAt": None, "failedAt": None}
        own |= {"status": ("inProgress", "failed")[at]} if at < 2 else {}
        if at < 2:
            own |= {"source": "excel", "customerList": [{"phoneNumberId": f"C{n}"} for n in range(3)]}
        own |= {"associatedToBusinessId": LINE, "workflowId": WORKFLOWS[at]} if at < 2 else {}
        return self._object(Campaign, **own)

    def _workflow(self, at: int, identity: str) -> Json:
        workflow = self._object(Workflow, id=identity, lastModified=NOW + at, created=NOW)
        if at == 0:
            return workflow
        # A graph that holds together, so that its texts are in a tree.
        kinds = ("message", "condition", "question")
        steps = [step | {"id": f"n{n}", "type": kinds[n]} for n, step in enumerate(workflow["parsedData"] * 3)]
        for n, step in enumerate(steps):
            step["connections"] = {"out": [f"n{n + 1}"]} if n < 2 else {}
            step["subNodes"] = [sub | {"id": f"n{n}s", "connections": {"out": ["n2"]}} for sub in step["subNodes"]]
        workflow["trigger"] |= {"id": "n-start", "type": "trigger", "connections": {"out": ["n0"]}}
        workflow |= {"parsedData": steps, "isActive": at == 1}
        workflow |= {"platformType": "whatsapp", "associatedToBusinessId": LINE} if at == 1 else {}
        return workflow


class InProcess(httpx.AsyncBaseTransport):
    """The way to a platform in this process."""

    def __init__(self, platform: HostilePlatform) -> None:
        self._platform = platform

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        target = request.url.raw_path.decode("ascii")
        status, headers, body = self._platform.answer(request.method, target, None, await request.aread())
        headers["Content-Length"] = str(len(body))
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body), request=request)
