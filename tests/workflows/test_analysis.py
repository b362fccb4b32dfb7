"""A workflow made ready to be looked at: keys that stay with their rows, and findings that lead to one."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from flows.checks.any_document import broken_documents
from flows.checks.sample_workflows import Json, chain, node, sub, whole, workflow
from frontdesk.storage.database import Store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis, analyze_workflow, build_analysis, check_stored
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.checks.run import check

W = WorkflowId("w")


def ready(raw: Json) -> WorkflowAnalysis:
    return build_analysis(W, raw, check(raw, known=None))


@pytest.mark.slow
@settings(max_examples=80)
@given(raw=broken_documents())
def test_each_row_of_any_document_has_a_key_and_each_finding_a_place(raw: Json) -> None:
    seen = ready(raw)
    assert len(set(seen.keys)) == len(seen.outline.rows)
    assert all(seen.row(key) is seen.outline.rows[place] for place, key in enumerate(seen.keys))
    placed = [each for found in seen.found_at.values() for each in found]
    assert len(placed) == sum(seen.key_of(each) is not None for each in seen.findings)
    for each in seen.findings:
        key = seen.key_of(each)
        assert key is None or seen.row(key).is_drawn or seen.row(key).path


def test_a_row_keeps_its_key_when_others_come_and_go() -> None:
    before = ready(whole())
    grown = copy.deepcopy(whole())
    grown["parsedData"].append(node("late", messageType="custom", message="Hi"))
    grown["trigger"]["connections"]["out"] = ["first"]
    grown["parsedData"].insert(0, node("first", to="ask", messageType="custom", message="Hi"))
    after = ready(grown)
    assert set(before.keys) < set(after.keys)
    loop = next(key for key in before.keys if key.startswith("loop"))
    assert after.row(loop).target == before.row(loop).target == "ask"


def test_a_finding_is_told_at_the_row_that_it_is_about() -> None:
    seen = ready(workflow(node("ask", "whatsapp", None, sub("gone", "nowhere"))))
    place = seen.outline.row_of["gone"]
    assert "missing-target" in {each.rule_id for each in seen.found_at[place]}


def test_what_a_node_is_in_the_document_is_found_by_its_row() -> None:
    raw = whole()
    seen = ready(raw)
    assert seen.raw_at(seen.keys[seen.outline.row_of["thank"]]) == raw["parsedData"][1]
    assert ready({}).raw_at(ready({}).keys[0]) is None


def test_a_workflow_is_looked_at_and_checked_from_the_store_where_it_is_whole(store: Store) -> None:
    store.write(lambda db: workflow_store.put_whole(db, chain(3), 1.0)).result()
    db = store.reading
    found = analyze_workflow(db, W)
    assert found is not None
    assert list(found.outline.row_of) == ["start", "n0", "n1", "n2"]
    assert check_stored(db, W) == (found.findings, found.loss)
    assert analyze_workflow(db, WorkflowId("other")) is None
    assert check_stored(db, WorkflowId("other")) is None


def test_what_could_not_be_looked_for_is_kept_with_what_was_found(store: Store) -> None:
    def put(db: Any) -> None:
        workflow_store.put_whole(db, whole(), 1.0)
        workflow_store.put_listing(db, [{"id": "w"}], has_more=True, requested_at=1.0, now=1.0)

    store.write(put).result()
    seen = analyze_workflow(store.reading, W)
    assert seen is not None
    assert [each.id for each in seen.skipped_rules] == ["pointer-unknown", "channel-differs"]
