"""What a builder reads before a workflow is sent, made of a file and of what is stored; and how it reads."""

import json
import os
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk.outbox.changes import NotPossible
from frontdesk.workflows import request_body, update_plan
from frontdesk.workflows.analysis import find_dependents
from frontdesk.workflows.reviews import conflict_facts, creation_facts, update_facts
from frontdesk.workflows.workflow_files import read_workflow, write_workflow
from frontdesk_api.hosts import Hosts
from frontdesk_flows.checks.models import References
from frontdesk_lines.glyphs import glyphs
from sample_records import drawn

KNOWN = References()
VIEW = RenderContext(Catalogue(Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))), glyphs(False), 0.0, UTC)

ODD = [None, 7, "x", True, [], [7, None, "x"], {}, {"a": {"b": [1]}}, 1e300, "\ud800", "\x1b]52;c;eA==\x07"]
FIELDS = ("id", "name", "trigger", "parsedData", "data", "analytics", "lastModified", "isActive", "triggerType")


def references_for(_: object) -> References:
    return KNOWN


def document(**more: Any) -> dict[str, Any]:
    step = {"id": "a", "type": "wait", "title": "Wait", "data": {"seconds": 5}, "connections": {}, "subNodes": []}
    trigger = {"id": "t", "type": "whatsapp", "connections": {"out": ["a"]}}
    return {
        **{"id": "w1", "name": "One", "lastModified": 10, "isActive": True, "trigger": trigger},
        **{"parsedData": [step], "data": {"nodes": [], "edges": []}},
        **more,
    }


@pytest.mark.parametrize("field", FIELDS)
def test_any_shape_is_prepared_and_told_or_refused_in_words(field: str) -> None:
    for odd in ODD:
        file = document(**{field: odd})
        made = update_plan.plan_creation("new", file, references_for)
        assert "\x1b" not in drawn(creation_facts("new", "f", made, VIEW))
        for stored, wanted in ((document(), file), (file, document())):
            try:
                update = update_plan.plan_update(wanted, stored, references_for)
            except (request_body.Unsendable, update_plan.NotReadYet):
                continue
            assert "\x1b" not in drawn(update_facts("One", update, VIEW))
        find_dependents(file, None)
        update_plan.count_before(file)


def test_what_leaves_the_graph_is_not_missed_in_its_counters() -> None:
    """The platform takes those out with it, so a check that names them would be wrong."""
    gone = {"id": "b", "type": "wait", "title": "B", "data": {}, "connections": {}, "subNodes": []}
    stored = document(analytics={"nodeStats": {"a": {}, "b": {}}})
    stored["parsedData"] = [*stored["parsedData"], gone]
    update = update_plan.plan_update(document(), stored, references_for)
    assert not [each for each in update.findings if "stats" in each.rule_id]


def test_an_update_echoes_the_version_that_the_difference_is_told_to() -> None:
    update = update_plan.plan_update(document(name="Two", lastModified=9), document(), references_for)
    assert (update.body["lastModified"], update.is_older) == (10, True)
    with pytest.raises(update_plan.NotReadYet):
        update_plan.plan_update(document(name="Two", lastModified=11), document(), references_for)


def test_a_file_that_switches_a_workflow_says_at_the_head_what_that_means_for_customers() -> None:
    counted = {"totalStarted": 9, "totalCompleted": 5, "totalDropped": 1}

    def head(file: bool | None, stored: bool) -> str:
        document_ = document(isActive=stored, analytics=counted)
        update = update_plan.plan_update(document(name="Two", isActive=file), document_, references_for)
        dependents = replace(find_dependents(document_, None), scheduled=("Spring",), followed=1)
        if update.switches is False:
            update = replace(update, dependents=dependents)
        return drawn(update_facts("One", update, VIEW), 200).partition("What would change")[0]

    assert "▲ The file switches it on: from then on it starts automatically" in head(True, False)
    off = head(False, True)
    assert "▲ The file switches it off: from then on it doesn't start for anyone." in off
    assert "3 customers are in it now; the platform doesn't say" in off
    assert 'The campaign "Spring" is scheduled' in off
    for same in (head(True, True), head(False, False), head(None, True)):
        assert "switches" not in same


def test_a_conflict_tells_theirs_only_where_what_was_before_is_known() -> None:
    body, theirs = (
        request_body.update_body(document(name="Mine"), document()),
        document(name="Theirs", lastModified=12),
    )
    both = drawn(conflict_facts("One", update_plan.compare_conflict(body, document(), theirs), VIEW))
    assert '"Theirs"' in both
    assert '"Mine"' in both
    blind = drawn(conflict_facts("One", update_plan.compare_conflict(body, None, theirs), VIEW))
    assert "isn't stored" in blind
    assert "What they changed" not in blind


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('{"a":\n oops}', "line 2, column 2"),
        ("[]", "has no workflow"),
        ("7", "has no workflow"),
        ('[{"id": "a"}, {"id": "b"}]', "no workflow with the id w1"),
        ('[{"id": "w1"}, {"id": "w1"}]', "has 2 workflows"),
        ("\udcff", "valid UTF-8"),
    ],
)
def test_a_file_that_holds_no_workflow_says_why(tmp_path: Path, written: str, says: str) -> None:
    path = tmp_path / "w.json"
    path.write_bytes(written.encode(errors="surrogateescape"))
    with pytest.raises(NotPossible, match=says):
        read_workflow(str(path), "w1")


def test_the_wanted_one_is_taken_out_of_a_listing(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"result": [{"id": "w0"}, document()]}))
    assert read_workflow(str(path), "w1") == document()
    with pytest.raises(NotPossible, match="couldn't read"):
        read_workflow(str(tmp_path / "none.json"))


def test_a_pipe_that_nobody_writes_into_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.json")
    with pytest.raises(NotPossible, match="isn't a regular file"):
        read_workflow(str(tmp_path / "w.json"))


def test_half_a_character_is_exported_as_it_came(tmp_path: Path) -> None:
    path, halved = tmp_path / "w.json", document() | {"notes": "\ud83d"}
    assert write_workflow(halved, path) == path.stat().st_size
    assert read_workflow(str(path))["notes"] == "\ud83d"


def test_what_is_exported_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    assert write_workflow(document(), path) == path.stat().st_size
    assert not request_body.changes_of(document(), request_body.update_body(read_workflow(str(path)), document()))
    with pytest.raises(FileExistsError):
        write_workflow(document(), path)
