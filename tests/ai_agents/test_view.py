"""What is told of AI agents: what is not loaded or of another shape."""

from typing import Any

import pytest

from frontdesk.ai_agents import view as agent_view
from frontdesk.ai_agents.view import AI_AGENTS
from frontdesk.config.facts import lines
from frontdesk.storage.records import AiAgentListing, DocumentRecord
from frontdesk_sandbox.seeding.seed import make_ai_agents
from sample_records import NOW, VIEW, words

SEEDED = make_ai_agents(int(NOW * 1000))


def record(raw: dict[str, Any]) -> DocumentRecord:
    return DocumentRecord(str(raw.get("id", "a")), str(raw.get("name", "")), raw)


def detail(raw: dict[str, Any], *, lacks: str = "", width: int = 60) -> str:
    one = record(raw)
    told = agent_view.about(one, AiAgentListing((one,), NOW, lacks))
    return "\n".join(words(line).rstrip() for line in lines(told, width, VIEW, agent_view.LABEL_CELLS))


def test_everything_that_the_seed_knows_is_told() -> None:
    told = detail(SEEDED[1])
    for each in (
        "Returns assistant (English)",
        "An AI agent is not a person: tasks can't be assigned to it.",
        "tokens used  56,129",
        "created",
        "Role 1: answer",
        "Answer in English, in two sentences at most.",
        "tool         open_return",
        "orderNumber",
        "https://hooks.acme-home.example/handover",
        "all required yes",
        "vs-ai-02",
        "manual-1.pdf",
        "file-1-1, status completed, 18,977 bytes",
    ):
        assert each in told, told


def test_files_that_did_not_come_say_why_and_their_names_stand_all_the_same() -> None:
    raw = SEEDED[1] | {
        "vectorStore": {name: part for name, part in SEEDED[1]["vectorStore"].items() if name != "files"}
    }
    told = detail(raw, lacks="the platform refused", width=100)
    assert "not loaded: the platform refused" in told
    assert "manual-1.pdf" in told
    assert agent_view.files_words({}, "") == "no vector store"


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"roles": "many"}, "unexpected format"),
        ({"roles": [5, {"tool": [1]}]}, "unexpected format"),
        ({"vectorStore": 7}, "unexpected format"),
        ({"vectorStore": {"files": {"a": 1}}}, "unreadable: the files aren't a list"),
        ({"vectorStore": {"files": [None, {"id": {"x": 1}}]}}, "(no name)"),
        ({"isActive": "yes", "tokensUsed": "many", "created": "then"}, "unknown"),
        ({"roles": [{"instructions": ["a", "b"], "webhook": 5}]}, '["a", "b"]'),
    ],
)
def test_what_is_not_of_the_usual_shape_is_shown_as_it_came(odd: dict[str, Any], said: str) -> None:
    assert said in detail({"id": "a", "name": "A"} | odd)


def test_a_tool_nested_beyond_sense_is_no_crash() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"more": deep}
    told = detail({"id": "a", "roles": [{"tool": {"name": "t", "parameters": deep}}, {"webhook": deep}]})
    assert "… more, not shown here" in told
    assert 'webhook      {"more": {"more"' in told


def test_thousands_of_files_and_roles_are_counted_not_listed() -> None:
    files = [{"id": f"f{number}"} for number in range(5_000)]
    told = detail({"id": "a", "roles": [{"name": "r"}] * 500, "vectorStore": {"files": files}})
    assert "… and 4,800 more files" in told
    assert "… and 400 more roles" in told


def test_sorted_and_filtered() -> None:
    records = [record(raw) for raw in SEEDED[:7]]
    records.append(records[0]._replace(document_id="odd", name="", raw={"tokensUsed": None}))
    assert [each.document_id for each in AI_AGENTS.in_order(records, "tokens used")][:2] == ["ai-07", "ai-06"]
    assert AI_AGENTS.in_order(records, "tokens used")[-1].document_id == "odd"
    assert AI_AGENTS.in_order(records, "last changed")[0].document_id == "ai-07"
    assert AI_AGENTS.in_order(records, "name")[0].name == "Assembly guide (English)"
    assert [each.raw.get("isActive") for each in AI_AGENTS.in_order(records, "active first")][-2:] != [
        True,
        True,
    ]
    assert [each.document_id for each in AI_AGENTS.matching(records, "TRACK english")] == ["ai-01"]
    assert [each.document_id for each in AI_AGENTS.matching(records, "manual-3.pdf")] == ["ai-04"]
    assert [each.document_id for each in AI_AGENTS.matching(records, "off")] == ["ai-06"]
    assert AI_AGENTS.matching(records, "off track_order") == []
    assert "ai-06" not in {each.document_id for each in AI_AGENTS.matching(records, "active")}
    assert len(AI_AGENTS.matching(records, "")) == 8
