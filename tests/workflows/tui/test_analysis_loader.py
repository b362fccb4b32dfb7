"""Workflows made ready beside the screen: what changed while one was read is checked once more."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from flows.checks.sample_workflows import whole
from frontdesk.workflows.analysis import WorkflowCheck, build_analysis
from frontdesk.workflows.tui.analysis_loader import AnalysisLoader
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.checks.run import check
from frontdesk_flows.traffic import Loss, TrafficPeriod

W = WorkflowId("w")


class BackgroundReader:
    """A store whose background reads are answered by the test."""

    def __init__(self) -> None:
        self.asked: list[Future[Any]] = []

    def read_in_background(self, _job: object) -> "Future[Any]":
        self.asked.append(Future())
        return self.asked[-1]

    def call_later(self, then: Callable[..., object], *arguments: object) -> None:
        then(*arguments)


def listed(last_modified: float, **more: Any) -> Any:
    fields = {"last_modified": last_modified, "is_active": False, "started": 9, "dropped": 1} | more
    return SimpleNamespace(workflow_id=W, read_at=1.0, **fields)


def begun() -> tuple[BackgroundReader, AnalysisLoader]:
    """With one workflow, which was checked."""
    beside = BackgroundReader()
    room: Any = SimpleNamespace(clock=lambda: 0.0, store=beside)
    app: Any = beside
    looks = AnalysisLoader(lambda: app, room, lambda *_: None, lambda _: None)
    looks.check_listed([listed(1)])
    beside.asked[-1].set_result(WorkflowCheck((), None))
    return beside, looks


def test_what_was_changed_while_it_was_read_is_checked_again() -> None:
    beside, looks = begun()
    looks.request(W)
    looks.check_listed([listed(2)])
    raw = whole()
    beside.asked[-1].set_result(build_analysis(W, raw, check(raw, known=None)))
    assert len(beside.asked) == 3
    raw["trigger"]["connections"]["out"] = ["nowhere"]
    beside.asked[-1].set_result(WorkflowCheck(check(raw, known=None), Loss(3)))
    assert looks.problems[W].errors
    assert looks.problems[W].loss == Loss(3)
    assert looks.is_idle


def test_one_is_checked_again_where_its_counters_another_trigger_or_the_period_changed() -> None:
    beside, looks = begun()
    looks.check_listed([listed(1)])
    assert len(beside.asked) == 1
    other = listed(1, is_active=True)
    other.workflow_id = WorkflowId("other")
    other.read_at = None
    for at, records in enumerate(([listed(1, dropped=2)], [listed(1, dropped=2), other]), start=2):
        looks.check_listed(records)
        assert len(beside.asked) == at
        beside.asked[-1].set_result(WorkflowCheck((), None))
    looks.period = TrafficPeriod.YESTERDAY
    looks.check_listed([listed(1, dropped=2), other])
    assert len(beside.asked) == 4
