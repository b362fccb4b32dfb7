"""Whole workflows and AI agents with files: what they cost, and what is done where they are refused."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from api.client.fake_server import CREDENTIALS, HOSTS
from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.sync import FILES_AGAIN_SECONDS, NOT_REQUESTED, AiAgentPuller
from frontdesk.storage import invalid_items as invalid_item_store
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.sync import DocumentPuller, missing_reason
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import RateLimited, Refused
from frontdesk_api.client.transport import ONCE


class Platform(httpx.AsyncBaseTransport):
    """Workflows and AI agents; files may be refused."""

    def __init__(self) -> None:
        self.workflows: list[Any] = [workflow(1), workflow(2)]
        self.whole: list[Any] | None = None
        self.more = False
        self.agents: list[Any] = [agent(1, 100), agent(2, 200)]
        self.refuse_files = 0
        self.refuse_whole = 0
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/workflows"):
            minimal = json.loads(await request.aread())["getAllWorkflowsMinimalData"]
            self.asked.append("list" if minimal else "whole")
            if self.refuse_whole and not minimal:
                return answer({"error": "no", "message": "ask for less"}, self.refuse_whole)
            whole = self.workflows if self.whole is None else self.whole
            items = [listed(raw) for raw in self.workflows] if minimal else whole
            return answer({"result": items, "hasMoreItemsToFetch": self.more})
        with_files = "getFiles" in request.url.params
        self.asked.append("files" if with_files else "agents")
        if with_files and self.refuse_files:
            return answer({"error": "no", "message": "files are not for you"}, self.refuse_files)
        agents = self.agents if with_files else [without_files(each) for each in self.agents]
        return answer({"agents": agents, "hasMoreItemsToFetch": False})


def answer(body: object, status: int = 200) -> httpx.Response:
    async def stream() -> Any:
        yield json.dumps(body).encode()

    return httpx.Response(status, content=stream())


def workflow(number: int, changed: float = 10, **more: object) -> dict[str, Any]:
    graph = {"trigger": {"id": "t"}, "parsedData": [{"id": "n"}], "data": {"nodes": []}}
    return {"id": f"w{number}", "name": f"Flow {number}", "lastModified": changed} | graph | more


def listed(raw: object) -> object:
    if not isinstance(raw, dict):
        return raw
    return {name: raw[name] for name in ("id", "name", "lastModified") if name in raw}


def agent(number: int, tokens: float) -> dict[str, Any]:
    store = {"id": f"vs{number}", "files": [{"id": "f1"}], "fileNamesMapping": {"f1": "manual.pdf"}}
    return {"id": f"a{number}", "name": f"Agent {number}", "tokensUsed": tokens, "vectorStore": store}


def without_files(raw: dict[str, Any]) -> dict[str, Any]:
    return raw | {"vectorStore": {name: part for name, part in raw["vectorStore"].items() if name != "files"}}


class Pulls:
    """A puller of documents that lives through a test."""

    def __init__(self, store: Store):
        self.store, self.db, self.platform, self.now = store, store.reading, Platform(), 1000.0
        self._puller: DocumentPuller | None = None
        self.agent_puller: AiAgentPuller | None = None

    def of(self, work: Callable[[DocumentPuller], Awaitable[bool]]) -> bool:
        async def run() -> bool:
            async with PlatformClient(
                HOSTS, CREDENTIALS, transport=self.platform, retry=ONCE, close_grace_seconds=0
            ) as client:
                puller = self._puller = self._puller or DocumentPuller(client, self.store, lambda: self.now)
                puller._client = client
                return await work(puller)

        return asyncio.run(run())

    def lists(self) -> bool:
        return self.of(lambda puller: puller.workflows())

    def whole(self) -> bool:
        return self.of(lambda puller: puller.whole_workflows())

    def missing_reason(self, workflow_id: str) -> str:
        """Read all documents now; answers why this one isn't among them."""
        found: list[str] = []

        async def read(puller: DocumentPuller) -> bool:
            found.append(missing_reason(await puller.workflow_documents(), workflow_id))
            return True

        self.of(read)
        return found[0]

    def agents(self, *, with_files: bool = True) -> bool:
        async def run() -> bool:
            async with PlatformClient(
                HOSTS, CREDENTIALS, transport=self.platform, retry=ONCE, close_grace_seconds=0
            ) as client:
                puller = self.agent_puller = self.agent_puller or AiAgentPuller(
                    client, self.store, lambda: self.now
                )
                puller._client = client
                return await puller.ai_agents(with_files=with_files)

        return asyncio.run(run())

    @property
    def behind(self) -> bool:
        assert self._puller is not None
        return self._puller.workflows_behind

    def files(self) -> list[object]:
        return [each.raw["vectorStore"].get("files") for each in agent_store.listing(self.db).records]


@pytest.fixture
def pulls(store: Store) -> Pulls:
    return Pulls(store)


def test_a_list_shows_what_is_behind_until_the_whole_documents_came(pulls: Pulls) -> None:
    assert pulls.lists()
    assert pulls.behind
    assert pulls.whole()
    assert not pulls.behind
    pulls.platform.workflows[1] = workflow(2, changed=20)
    pulls.lists()
    assert pulls.behind
    assert json.loads(workflow_store.text(pulls.db, "w2") or "")["lastModified"] == 10
    pulls.whole()
    assert not pulls.behind
    assert json.loads(workflow_store.text(pulls.db, "w2") or "")["lastModified"] == 20


def test_what_a_whole_answer_leaves_behind_is_not_asked_for_without_end(pulls: Pulls) -> None:
    pulls.platform.whole = [workflow(1)]
    pulls.lists()
    pulls.whole()
    pulls.lists()
    assert {each.workflow_id for each in workflow_store.find_outdated(pulls.store.reading)} == {"w2"}
    assert not pulls.behind
    pulls.platform.workflows[0] = workflow(1, changed=20)
    pulls.lists()
    assert pulls.behind, "that is another one"


def test_an_answer_that_differs_in_nothing_begins_no_transaction(
    pulls: Pulls, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulls.lists(), pulls.whole(), pulls.agents()

    async def refused(_: object) -> None:
        raise AssertionError("nothing differs")

    monkeypatch.setattr(pulls.store, "run", refused)
    assert (pulls.lists(), pulls.whole(), pulls.agents()) == (False, False, False)


def test_a_workflow_that_can_not_be_read_is_set_aside_and_the_others_come(pulls: Pulls) -> None:
    pulls.lists(), pulls.whole()
    pulls.platform.workflows[0] = {"id": 7, "name": ["no"]}
    pulls.now += 100
    pulls.lists(), pulls.whole()
    assert [each.workflow_id for each in workflow_store.listing(pulls.db).records] == ["w2"]
    assert [each.kind for each in invalid_item_store.all_invalid_items(pulls.db)] == ["workflow"]


def test_where_an_unreadable_item_has_no_id_nothing_that_is_known_goes_away(pulls: Pulls) -> None:
    """A list of values of other types emptied the screens."""
    pulls.lists(), pulls.whole(), pulls.agents()
    agents = agent_store.listing(pulls.db).records
    pulls.platform.workflows = [{"id": [2], "name": [6]}, workflow(3)]
    pulls.platform.agents = [{"id": [2], "name": [7]}]
    pulls.now += 100
    assert pulls.lists()
    pulls.agents()
    assert [each.workflow_id for each in workflow_store.listing(pulls.db).records] == ["w3", "w1", "w2"]
    assert workflow_store.text(pulls.db, "w1") is not None
    assert agent_store.listing(pulls.db).records == agents
    assert {each.kind for each in invalid_item_store.all_invalid_items(pulls.db)} == {"workflow", "ai_agent"}
    assert (pulls.lists(), pulls.agents()) == (False, False)
    pulls.platform.workflows, pulls.platform.agents = [workflow(2)], []
    assert pulls.lists()
    assert pulls.agents()
    assert [each.workflow_id for each in workflow_store.listing(pulls.db).records] == ["w2"]
    assert not agent_store.listing(pulls.db).records


def test_of_two_documents_with_one_id_the_first_stays(pulls: Pulls) -> None:
    pulls.platform.workflows = [workflow(1, name="first"), workflow(1, name="second")]
    pulls.lists(), pulls.whole()
    assert json.loads(workflow_store.text(pulls.db, "w1") or "")["name"] == "first"
    assert not pulls.whole()


def test_a_list_that_brings_graphs_keeps_none_of_them_in_its_rows(pulls: Pulls) -> None:
    def put(db: Any) -> bool:
        return workflow_store.put_listing(db, [workflow(1)], has_more=False, requested_at=1.0, now=1.0)

    pulls.store.write(put).result()
    assert "parsedData" not in record_lookup.all_of(pulls.db, record_lookup.WORKFLOW)[0].raw


def test_that_more_exist_is_kept(pulls: Pulls) -> None:
    pulls.platform.more = True
    pulls.lists()
    assert workflow_store.listing(pulls.db).has_more
    assert workflow_store.has_more(pulls.db)


def test_where_whole_documents_are_refused_it_says_so_and_they_are_not_asked_for_at_once(pulls: Pulls) -> None:
    pulls.platform.refuse_whole = 400
    pulls.lists()
    assert pulls.behind
    assert not pulls.whole()
    assert not pulls.behind
    assert "ask for less" in workflow_store.read_problem(pulls.db)
    pulls.lists()
    assert not pulls.behind
    pulls.platform.refuse_whole = 0
    assert pulls.whole()
    assert workflow_store.read_problem(pulls.db) == ""
    pulls.platform.refuse_whole = 429
    with pytest.raises(RateLimited):
        pulls.whole()


def test_one_workflow_that_is_waited_for_is_read_with_its_list(pulls: Pulls) -> None:
    assert pulls.missing_reason("w1") == ""
    assert pulls.platform.asked == ["list", "whole"]
    pulls.platform.workflows[0] = workflow(1, changed=20)
    assert pulls.missing_reason("w1") == ""
    assert json.loads(workflow_store.text(pulls.db, "w1") or "")["lastModified"] == 20
    assert {each.workflow_id for each in workflow_store.listing(pulls.db).records} == {"w1", "w2"}


@pytest.mark.parametrize(("more", "whole", "words"), [
    (False, [workflow(2)], "isn't in the platform's list (1 workflow)"),
    (True, [workflow(2)], "the platform has more workflows than it lists"),
    (False, [{"id": ["w1"]}, "x"], "2 workflows from the platform couldn't be parsed, perhaps including this one"),
])  # fmt: skip
def test_a_workflow_that_the_answer_lacks_was_not_read(
    pulls: Pulls, more: bool, whole: list[Any], words: str
) -> None:
    pulls.platform.more, pulls.platform.whole = more, whole
    assert words in pulls.missing_reason("w1")
    assert pulls.missing_reason("") == ""


def test_a_workflow_whose_whole_answer_is_refused_was_not_read_and_the_screens_are_told(pulls: Pulls) -> None:
    pulls.platform.refuse_whole = 400
    with pytest.raises(Refused):
        pulls.missing_reason("w1")
    assert "ask for less" in workflow_store.read_problem(pulls.db)


def test_files_come_while_they_are_looked_at_and_stay_known(pulls: Pulls) -> None:
    pulls.agents(with_files=False)
    assert (pulls.files(), agent_store.listing(pulls.db).lacks) == ([None, None], NOT_REQUESTED)
    pulls.agents()
    assert (pulls.files(), agent_store.listing(pulls.db).lacks) == ([[{"id": "f1"}]] * 2, "")
    pulls.platform.agents[1]["vectorStore"]["id"] = "another"
    pulls.agents(with_files=False)
    assert pulls.files() == [[{"id": "f1"}], None]


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_where_files_are_refused_the_ai_agents_come_without_and_it_says_so(pulls: Pulls, status: int) -> None:
    pulls.platform.refuse_files = status
    assert pulls.agents()
    assert pulls.files() == [None, None]
    assert "files are not for you" in agent_store.listing(pulls.db).lacks
    pulls.agents()
    assert pulls.platform.asked == ["files", "agents", "agents"], "a refusal isn't asked for again and again"
    pulls.now += FILES_AGAIN_SECONDS + 1
    pulls.platform.refuse_files = 0
    pulls.agents()
    assert (pulls.files(), agent_store.listing(pulls.db).lacks) == ([[{"id": "f1"}]] * 2, "")


def test_what_a_person_asks_for_is_tried_again(pulls: Pulls) -> None:
    pulls.platform.refuse_files = 400
    pulls.agents()
    assert pulls.agent_puller is not None
    pulls.agent_puller.retry_refused()
    pulls.platform.refuse_files = 0
    pulls.agents()
    assert pulls.files() == [[{"id": "f1"}]] * 2


def test_too_many_requests_is_no_refusal_of_files(pulls: Pulls) -> None:
    pulls.platform.refuse_files = 429
    with pytest.raises(RateLimited):
        pulls.agents()
    assert pulls.platform.asked == ["files"]
