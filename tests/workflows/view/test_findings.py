"""What the check found, in words: nothing, not loaded, too large and findings look different."""

from flows.checks.sample_workflows import chain, whole
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.workflows.view.row import finding_row, listed_facts, row_height
from frontdesk_flows.checks.models import References
from frontdesk_flows.checks.run import MAX_PARTS, ListedChecks, check
from sample_records import VIEW, drawn, words


def facts(raw: Json, width: int = 60) -> str:
    record = DocumentRecord("w", "W", raw)
    return drawn(listed_facts(record, VIEW, ListedChecks(lambda _raw: References()).of("w", raw)), width)


def test_each_stand_is_said_in_words() -> None:
    assert "check      no findings" in facts(whole())
    assert "check      not checked: graph not loaded" in facts({"id": "w", "name": "W"})
    assert "frontdesk workflows check FILE" in " ".join(facts(chain(MAX_PARTS), 100).split())


def test_findings_stand_below_with_rule_place_problem_and_what_to_do() -> None:
    raw = whole() | {"associatedToBusinessId": None}
    raw["parsedData"][1]["title"] = ""
    lines = [line.rstrip() for line in facts(raw, 90).splitlines()]
    assert "check      1 error, 1 warning" in lines
    at = lines.index("error no-line  $.associatedToBusinessId")
    assert lines[at + 1] == '"ask" sends on WhatsApp, but the workflow has no line'
    assert lines[at + 2] == "Set `associatedToBusinessId` to the id of the line it sends from."
    assert "warning no-title  $.parsedData[1].title" in lines


def test_a_row_has_the_whole_advice() -> None:
    findings = check(whole() | {"associatedToBusinessId": None}, known=References())
    assert findings
    for width in (20, 50, 90):
        height = row_height(findings, width)
        for each in findings:
            row = finding_row(each, width)
            assert len(row) < height
            assert "".join(each.what_to_do.split()) in "".join(words(*row).split())
    assert row_height(findings, 20) > row_height(findings, 200) == 5
