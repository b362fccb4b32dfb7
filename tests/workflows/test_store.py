"""Whole workflows beside the list: written where they differ; a row never comes by a graph."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.storage import change_feed, record_lookup, schema
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.storage.sql import rows
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowCounters, WorkflowRecord
from frontdesk_api.contract.workflows import Workflow

STATS = {"n1": {"enteredCount": 4}}


def listed(number: int, changed: float = 100, **more: object) -> dict[str, Any]:
    return {"id": f"w{number}", "name": f"Flow {number}", "isActive": True, "lastModified": changed} | more


def whole(number: int, changed: float = 100, started: float = 4, **more: object) -> dict[str, Any]:
    analytics = {"totalStarted": started, "totalCompleted": 2, "nodeStats": STATS}
    graph = {"trigger": {"id": "t"}, "parsedData": [{"id": "n1"}], "data": {"nodes": []}, "variables": {}}
    counts = {"executionCount": 7, "lastExecution": 1_700_000_000_000, "analytics": analytics}
    return listed(number, changed) | graph | counts | more


def schema_fields() -> Iterator[str]:
    """The fields of the interface's workflow."""
    yield from (name for name in Workflow.model_fields if name != "id")


def put_list(store: Store, *raws: dict[str, Any], has_more: bool = False, at: float = 50.0, **more: Any) -> bool:
    def put(db: Any) -> bool:
        return workflow_store.put_listing(db, raws, has_more=has_more, now=at, **({"requested_at": at} | more))

    return store.write(put).result()


def put_whole(store: Store, raw: dict[str, Any], now: float = 60.0) -> bool:
    return store.write(lambda db: workflow_store.put_whole(db, raw, now)).result()


def put_all(store: Store, *raws: dict[str, Any], requested_at: float, now: float) -> bool:
    wholes = [workflow_store.split_document(raw) for raw in raws]
    return store.write(lambda db: workflow_store.put_all_whole(db, wholes, requested_at, now)).result()


def records(store: Store) -> dict[str, WorkflowRecord]:
    return {each.workflow_id: each for each in workflow_store.listing(store.reading).records}


def news(store: Store, since: int) -> frozenset[Event]:
    return change_feed.since(store.reading, since)[1]


def test_a_list_alone_tells_nothing_of_runs_and_says_that_more_exist(store: Store) -> None:
    assert workflow_store.listing(store.reading).read_at is None
    assert put_list(store, listed(1), {"id": "w2"}, has_more=True)
    listing = workflow_store.listing(store.reading)
    assert (listing.read_at, listing.has_more) == (50.0, True)
    assert [each.workflow_id for each in listing.records] == ["w1", "w2"]
    assert {each.analytics for each in listing.records} == {WorkflowCounters.NOT_LOADED}
    assert [each.is_active for each in listing.records] == [True, None]
    assert not put_list(store, listed(1), {"id": "w2"}, has_more=True)
    assert put_list(store, listed(1), {"id": "w2"}), "that no more exist now is news"


def test_a_whole_document_adds_what_it_knows_and_its_row_never_holds_the_graph(store: Store) -> None:
    put_list(store, listed(1), listed(2))
    assert put_whole(store, whole(1))
    first, second = records(store).values()
    assert (first.executions, first.last_execution, first.started, first.dropped) == (7, 1_700_000_000, 4, None)
    assert (first.analytics, first.read_at) == (WorkflowCounters.SHOWN, 60.0)
    assert (second.analytics, second.read_at) == (WorkflowCounters.NOT_LOADED, None)
    assert not set(first.raw) & {"trigger", "parsedData", "data", "variables"}
    assert "nodeStats" not in first.raw["analytics"]
    assert json.loads(workflow_store.text(store.reading, "w1") or "") == whole(1)
    assert workflow_store.text(store.reading, "w2") is None


def test_without_analytics_the_plan_lacks_them_which_is_not_zero(store: Store) -> None:
    raw = whole(1)
    del raw["analytics"]
    put_whole(store, raw)
    assert records(store)["w1"].analytics is WorkflowCounters.NOT_ON_PLAN
    assert records(store)["w1"].started is None


def test_the_newer_of_list_and_document_is_believed(store: Store) -> None:
    put_list(store, listed(1, changed=100, name="before"))
    put_whole(store, whole(1, changed=120, name="after"))
    assert (records(store)["w1"].name, records(store)["w1"].is_stale) == ("after", False)
    put_list(store, listed(1, changed=140, name="later"))
    assert (records(store)["w1"].name, records(store)["w1"].is_stale) == ("later", True)
    assert records(store)["w1"].executions == 7


def test_an_unchanged_document_is_not_written_again_and_one_that_differs_is_told_of(store: Store) -> None:
    put_whole(store, whole(1))
    store.write(lambda db: db.execute("UPDATE workflow_texts SET raw = 'as it was'")).result()
    at = change_feed.position(store.reading)
    assert not put_all(store, whole(1), requested_at=90.0, now=91.0)
    assert rows(store.reading, "SELECT raw FROM workflow_texts") == [("as it was",)]
    assert records(store)["w1"].read_at == 91.0
    assert news(store, at) == frozenset()
    assert put_all(store, whole(1, started=5), requested_at=95.0, now=96.0)
    assert news(store, at) == {Event(change_feed.WORKFLOW, "w1")}
    assert records(store)["w1"].started == 5


def test_an_answer_that_was_asked_for_before_a_document_was_stored_does_not_replace_it(store: Store) -> None:
    put_whole(store, whole(1, changed=200), now=60.0)
    assert not put_all(store, whole(1, changed=100), requested_at=59.0, now=61.0)
    assert records(store)["w1"].last_modified == 200


def test_a_created_workflow_is_listed_at_once_and_stays_while_an_older_list_comes_in(store: Store) -> None:
    put_list(store, listed(1))
    put_whole(store, whole(2), now=60.0)
    assert list(records(store)) == ["w1", "w2"]
    put_list(store, listed(1), at=61.0, requested_at=59.0)
    assert list(records(store)) == ["w1", "w2"]
    put_list(store, listed(1), at=71.0, requested_at=70.0)
    assert list(records(store)) == ["w1"]


def test_what_is_listed_no_more_goes_with_its_document(store: Store) -> None:
    put_list(store, listed(1), listed(2), listed(3))
    for number in (1, 2, 3):
        put_whole(store, whole(number))
    at = change_feed.position(store.reading)
    assert put_list(store, listed(1), at=80.0, broken_ids=["w3"])
    assert Event(change_feed.WORKFLOW, "w2") in news(store, at)
    assert workflow_store.text(store.reading, "w2") is None
    assert workflow_store.text(store.reading, "w3"), "it came, if it couldn't be read"
    assert rows(store.reading, "SELECT workflow_id FROM workflow_texts ORDER BY 1") == [("w1",), ("w3",)]


def test_where_more_exist_what_is_not_listed_may_still_be_there(store: Store) -> None:
    put_list(store, listed(1))
    put_whole(store, whole(2))
    put_list(store, listed(1), has_more=True, at=80.0)
    assert list(records(store)) == ["w1", "w2"]


def test_an_update_shows_in_the_list_and_the_list_that_says_the_same_is_no_news(store: Store) -> None:
    put_list(store, listed(1))
    put_whole(store, whole(1, changed=120, isActive=False))
    assert [each.raw for each in record_lookup.all_of(store.reading, record_lookup.WORKFLOW)] == [
        listed(1, changed=120, isActive=False)
    ]
    assert not put_list(store, listed(1, changed=120, isActive=False), at=80.0)


def test_what_is_missing_or_stale_is_behind(store: Store) -> None:
    put_list(store, listed(1, 100), listed(2, 100), listed(3, 100), {"id": "w4"})
    put_whole(store, whole(1, 100))
    put_whole(store, whole(2, 90))
    put_list(store, listed(1, 100), listed(2, 100), listed(3, 100), {"id": "w4"})
    assert workflow_store.find_outdated(store.reading) == {("w2", 100), ("w3", 100), ("w4", None)}


@pytest.mark.parametrize(
    "odd",
    [
        {"analytics": [1], "executionCount": "many", "lastExecution": True, "isActive": "yes", "name": 5},
        {"analytics": {"totalStarted": 1e400, "nodeStats": 3}, "lastModified": {}, "associatedToBusinessId": []},
        {"trigger": 1, "parsedData": "x", "data": None, "variables": [], "triggerType": {"a": 1}},
    ],
)
def test_odd_shapes_are_rows_too(store: Store, odd: dict[str, Any]) -> None:
    put_list(store, listed(1) | odd)
    put_whole(store, listed(1) | odd)
    assert records(store)["w1"].workflow_id == "w1"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (*schema_fields(), "unknown")


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    raws=st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, ANYTHING)), min_size=1, max_size=3),
    has_more=st.booleans(),
)
def test_whatever_a_document_holds_is_kept_as_it_came(
    store: Store, raws: list[dict[str, Any]], has_more: bool
) -> None:
    named = [raw | {"id": f"w{number}"} for number, raw in enumerate(raws)]
    put_list(store, *named, has_more=has_more)
    for raw in named:
        put_whole(store, raw)
        assert json.loads(workflow_store.text(store.reading, raw["id"]) or "") == raw
    assert set(records(store)) >= {raw["id"] for raw in named}
    workflow_store.find_outdated(store.reading)


def test_a_store_of_version_4_gets_the_new_tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STORE_VERSION", 4)
        with Store(folder) as store:
            store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, [listed(1)])).result()
    with Store(folder) as store:
        assert list(records(store)) == ["w1"]
        assert put_whole(store, whole(1))
