"""What the check found, in words."""

from flows.checks.sample_workflows import whole
from frontdesk.workflows.view.row import finding_facts, finding_row, row_height
from frontdesk_flows.checks.models import References
from frontdesk_flows.checks.run import check
from sample_records import drawn, words


def test_findings_stand_with_rule_place_problem_and_what_to_do() -> None:
    raw = whole() | {"associatedToBusinessId": None}
    raw["parsedData"][1]["title"] = ""
    facts = drawn(finding_facts(check(raw, known=References())), 90)
    lines = [line.rstrip() for line in facts.splitlines()]
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
