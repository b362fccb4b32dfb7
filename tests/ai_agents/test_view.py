"""What is told of AI agents: how tokens grew, what is not loaded or of another shape."""

from typing import Any

import pytest

from frontdesk.ai_agents import view as agent_view
from frontdesk.ai_agents.view import AI_AGENTS, Growth, growth, growth_words
from frontdesk.config.facts import lines
from frontdesk.storage.records import AiAgentListing, DocumentRecord, TokenSample
from frontdesk_sandbox.seeding.seed import make_ai_agents
from sample_records import NOW, VIEW, words

HOUR, DAY = 3_600.0, 86_400.0
SEEDED = make_ai_agents(int(NOW * 1000))


def record(raw: dict[str, Any]) -> DocumentRecord:
    return DocumentRecord(str(raw.get("id", "a")), str(raw.get("name", "")), raw)


def detail(raw: dict[str, Any], *samples: TokenSample, lacks: str = "", width: int = 60) -> str:
    one = record(raw)
    grew = growth_words(samples, NOW, VIEW)
    told = agent_view.about(one, AiAgentListing((one,), NOW, lacks), grew)
    return "\n".join(words(line).rstrip() for line in lines(told, width, VIEW, agent_view.LABEL_CELLS))


@pytest.mark.parametrize(
    ("samples", "seconds", "expected"),
    [
        ([], DAY, None),
        ([(0, 100)], DAY, None),
        ([(-600, 100)], DAY, Growth(0, NOW - 600)),
        ([(-600, 100), (0, 150)], DAY, Growth(50, NOW - 600)),
        ([(-2 * DAY, 100), (-DAY - 60, 130), (0, 150)], DAY, Growth(20, NOW - DAY)),
        ([(-2 * DAY, 100), (-HOUR, 100), (0, 150)], DAY, Growth(50, NOW - DAY)),
        ([(-7 * DAY, 100), (0, 150)], DAY, Growth(50, NOW - 7 * DAY)),
        ([(-2 * DAY, 100)], DAY, Growth(0, NOW - DAY)),
        ([(-2 * DAY, 100), (-60, 40)], DAY, Growth(-60, NOW - 2 * DAY)),
    ],
    ids=["never", "once", "still", "since it is known", "day", "flat, then grown", "a hole", "long still", "fell"],
)
def test_growth_is_told_since_it_is_known_for_certain(
    samples: list[tuple[float, float]], seconds: float, expected: Growth | None
) -> None:
    assert growth([TokenSample(NOW + at, tokens) for at, tokens in samples], seconds, NOW) == expected


def test_growth_in_words() -> None:
    def said(*samples: tuple[float, float]) -> str:
        return growth_words([TokenSample(NOW + at, tokens) for at, tokens in samples], NOW, VIEW)

    assert said((-2 * DAY, 1_000), (-DAY - 10, 2_000), (-HOUR - 10, 13_960), (-10, 14_300)) == (
        "+12,300 since yesterday 14:30, 340/hour recently"
    )
    assert said((-60, 100), (0, 150)) == "+50 since 14:29"
    assert said((-DAY * 2, 100), (-DAY * 2 + 10, 100)) == "unchanged since yesterday 14:30, 0/hour recently"
    assert said((-HOUR * 2, 100), (0, 40)) == "corrected by −60 since 12:30"
    assert growth_words([], NOW, VIEW) == ""
    assert growth_words([TokenSample(NOW, 1)], None, VIEW) == ""


def test_everything_that_the_seed_knows_is_told() -> None:
    told = detail(SEEDED[1], TokenSample(NOW - HOUR, 56_000), TokenSample(NOW, 56_129))
    for each in (
        "Returns assistant (English)",
        "An AI agent is not a person: tasks can't be assigned to it.",
        "+129 since 13:30, 129/hour recently",
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
