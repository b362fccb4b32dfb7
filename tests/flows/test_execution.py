"""A customer's way through a workflow (docs/interface.md, Workflow runtime; rules 231, 232)."""

from collections import Counter
from typing import Any

import pytest

from flows.graphs import Json, message, node, sub, workflow
from frontdesk_flows.execution import Execution, ExecutionStep, Runner
from frontdesk_flows.execution_limits import DEPTH_LIMIT, STEP_BUDGET, limit_reason
from frontdesk_flows.graph import read_graph

MENU = workflow(
    "menu",
    message(
        "ask",
        "Hi {{customer.name}}, which?",
        sub("red", "Red", "said-red"),
        sub("blue", "Blue", None),
        sub("else", "Anything else", "helped", "noSelectionFallback", afterTries=2),
        sub("silent", "No answer", None, "awaitResponseTimeout", minutes=60),
    ),
    message("said-red", "Red it is", to="tagged"),
    node("tagged", "assignTags", None, tagIds=["tag-red"]),
    message("helped", "Somebody will help"),
)


def runner(*workflows: Json, **variables: Any) -> Runner:
    graphs = {each["id"]: read_graph(each) for each in workflows}
    return Runner(graphs.get, variables={"customer.name": "Dana"} | variables)


def begin(it: Runner, identity: str = "menu") -> ExecutionStep:
    move = it.start(identity)
    assert move is not None
    return move


def said(move: ExecutionStep) -> list[str]:
    return [effect.text for effect in move.effects if effect.kind == "message"]


def counted(*moves: ExecutionStep) -> dict[tuple[str, str, str], int]:
    return Counter((each.kind, each.about, each.target) for move in moves for each in move.counts)


@pytest.mark.rules("231")
def test_it_starts_at_the_first_of_the_triggers_out_and_waits_for_an_answer() -> None:
    move = begin(runner(MENU))
    assert said(move) == ["Hi Dana, which?"]
    assert move.effects[0].choices == ("Red", "Blue")
    assert move.execution.waits_for == "answer"
    assert move.execution.wait_seconds == 3600
    assert counted(move) == {("started", "", ""): 1, ("entered", "ask", ""): 1}


@pytest.mark.rules("232")
@pytest.mark.parametrize("words", ["Red", " red ", "RED", "payload-red", "PAYLOAD-RED"])
def test_an_answer_is_matched_by_title_then_by_payload_and_leaves_by_that_sub_node(words: str) -> None:
    it = runner(MENU)
    move = it.answer(begin(it).execution, words)
    assert said(move) == ["Red it is"]
    assert [effect.kind for effect in move.effects] == ["message", "assignTags"]
    assert move.execution.outcome == "completed"
    counts = counted(move)
    assert counts["clicked", "red", ""] == 1
    assert counts["traversed", "red", "said-red"] == 1
    assert counts["completed", "", ""] == 1


def test_a_title_counts_before_another_answers_payload() -> None:
    crossed = workflow(
        "menu",
        message("ask", "?", sub("a", "b", None, payload="x"), sub("b", "x", "on", payload="b")),
        message("on", "on"),
    )
    it = runner(crossed)
    assert said(it.answer(begin(it).execution, "x")) == ["on"]


def test_an_answer_that_fits_nothing_is_asked_for_again_and_then_the_fallback_is_taken() -> None:
    it = runner(MENU)
    first = begin(it)
    second = it.answer(first.execution, "green")
    assert said(second) == ["Hi Dana, which?"]
    assert second.execution.waits_for == "answer"
    third = it.answer(second.execution, "green")
    assert said(third) == ["Somebody will help"]
    assert counted(first, second, third)["entered", "ask", ""] == 1


def test_without_a_fallback_an_answer_that_fits_nothing_drops_it() -> None:
    it = runner(workflow("menu", message("ask", "?", sub("yes", "Yes"))))
    move = it.answer(begin(it).execution, "no")
    assert move.execution.outcome == "dropped"
    assert counted(move) == {("exited", "ask", ""): 1, ("dropped", "", ""): 1}


def test_silence_takes_the_timeout_or_drops_it() -> None:
    it = runner(MENU)
    assert it.end_wait(begin(it).execution).execution.outcome == "completed"
    it = runner(workflow("menu", message("ask", "?", sub("yes", "Yes")), settings={"timeoutMinutes": 5}))
    first = begin(it)
    assert first.execution.wait_seconds == 300
    assert it.end_wait(first.execution).execution.outcome == "dropped"


def test_any_answer_goes_on_where_no_choices_are_given() -> None:
    it = runner(
        workflow("menu", message("ask", "Your name?", to="thanks", waits=True), message("thanks", "Thanks"))
    )
    assert said(it.answer(begin(it).execution, "Dana")) == ["Thanks"]


def test_a_wait_is_a_timer() -> None:
    it = runner(workflow("menu", node("rest", "wait", "on", minutes=15), message("on", "on")))
    first = begin(it)
    assert (first.execution.waits_for, first.execution.wait_seconds) == ("time", 900)
    assert said(it.end_wait(first.execution)) == ["on"]


@pytest.mark.parametrize(("status", "way"), [("200", "yes"), ("404", "no")])
def test_an_if_is_decided_by_what_is_known(status: str, way: str) -> None:
    found = node(
        "found",
        "if",
        None,
        sub("no-way", "No", "no", "conditionEvaluation", result=False),
        sub("yes-way", "Yes", "yes", "conditionEvaluation", result=True),
        left="{{lookup.status}}",
        operator="equals",
        right="200",
    )
    it = runner(workflow("menu", found, message("yes", "yes"), message("no", "no")), **{"lookup.status": status})
    assert said(begin(it)) == [way]


@pytest.mark.parametrize(("hour", "way"), [(23, "night"), (7, "night"), (8, "day"), (21, "evening")])
def test_a_switch_takes_the_case_that_holds_round_midnight_too(hour: int, way: str) -> None:
    hours = node(
        "hours",
        "switch",
        None,
        *(
            sub(f"to-{name}", name, name, "switchCaseEvaluation", **{"from": low, "to": high})
            for name, low, high in (("night", 22, 8), ("evening", 18, 22), ("day", 8, 18))
        ),
        value="{{now.hour}}",
    )
    ways = (message(name, name) for name in ("night", "evening", "day"))
    it = runner(workflow("menu", hours, *ways), **{"now.hour": hour})
    assert said(begin(it)) == [way]


def test_a_switch_without_a_case_that_holds_takes_the_fallback_or_drops() -> None:
    case = sub("one", "1", None, "switchCaseEvaluation", value=1)
    other = sub("other", "other", "on", "noSelectionFallback")
    it = runner(workflow("menu", node("s", "switch", None, case, other, value="2"), message("on", "on")))
    assert said(begin(it)) == ["on"]
    it = runner(workflow("menu", node("s", "switch", None, value="2")))
    assert begin(it).execution.outcome == "dropped"


def test_what_nothing_decides_is_left_to_chance() -> None:
    coin = node(
        "coin",
        "if",
        None,
        sub("a", "A", "on-a"),
        sub("b", "B", "on-b"),
        left="{{x}}",
        operator="equals",
        right="1",
    )
    it = runner(workflow("menu", coin, message("on-a", "a"), message("on-b", "b")))
    assert said(begin(it)) == ["a"]
    it.chance = lambda _node, ways: ways - 1
    assert said(begin(it)) == ["b"]


def test_a_pointer_runs_another_workflow_and_goes_on_when_it_completes() -> None:
    outer = workflow("menu", node("go", "workflowPointer", "after", workflowId="inner"), message("after", "after"))
    inner = workflow("inner", message("ask", "?", sub("ok", "Ok", None)))
    it = runner(outer, inner)
    first = begin(it)
    assert said(first) == ["?"]
    stored = Execution.from_json(first.execution.as_json())
    second = it.answer(stored, "ok")
    assert said(second) == ["after"]
    done = Counter((each.kind, each.workflow_id) for each in (*first.counts, *second.counts) if not each.about)
    assert done == {(kind, name): 1 for kind in ("started", "completed") for name in ("menu", "inner")}


@pytest.mark.parametrize("target", ["asleep", "nowhere", 7, None])
def test_a_pointer_to_what_does_not_run_drops(target: object) -> None:
    asleep = workflow("asleep", message("m", "m"), active=False)
    it = runner(
        workflow("menu", node("go", "workflowPointer", "on", workflowId=target), message("on", "on")), asleep
    )
    move = begin(it)
    assert move.execution.outcome == "dropped"
    assert counted(move)["exited", "go", ""] == 1


def test_workflows_that_point_to_each_other_end_at_the_depth_limit() -> None:
    it = runner(workflow("menu", node("go", "workflowPointer", None, workflowId="menu")))
    move = begin(it)
    assert move.execution.outcome == "dropped"
    assert counted(move)["started", "", ""] == DEPTH_LIMIT
    assert counted(move)["dropped", "", ""] == DEPTH_LIMIT
    assert counted(move)["exited", "go", ""] == DEPTH_LIMIT


def test_a_loop_without_a_wait_ends_at_the_step_budget() -> None:
    it = runner(workflow("menu", message("a", "a", to="b"), message("b", "b", to="a")))
    move = begin(it)
    assert move.execution.outcome == "dropped"
    assert "loop" in move.execution.reason
    counts = counted(move)
    assert counts["entered", "a", ""] + counts["entered", "b", ""] == STEP_BUDGET
    assert counts["traversed", "b", "a"] <= counts["entered", "b", ""]


def test_a_target_that_does_not_exist_drops_and_counts_no_edge() -> None:
    it = runner(workflow("menu", message("a", "a", to="gone")))
    move = begin(it)
    assert move.execution.outcome == "dropped"
    assert counted(move) == {
        ("started", "", ""): 1,
        ("entered", "a", ""): 1,
        ("left", "a", ""): 1,
        ("dropped", "", ""): 1,
    }


@pytest.mark.parametrize(
    "broken",
    [
        workflow("menu", message("a", "a"), active=False),
        workflow("menu", message("a", "a"), start="gone"),
        workflow("menu"),
        {"id": "menu", "isActive": True},
        {"id": "menu", "isActive": True, "trigger": 5, "parsedData": {}},
    ],
)
def test_what_is_inactive_or_has_no_graph_does_not_run(broken: Json) -> None:
    assert runner(broken).start("menu") is None
    assert runner(broken).start("nowhere") is None


def test_a_node_that_was_taken_out_of_the_graph_drops_whoever_stood_there() -> None:
    it = runner(MENU)
    waiting = begin(it).execution
    it.graph_of = {"menu": read_graph(workflow("menu", message("other", "other")))}.get
    for move in (it.answer(waiting, "red"), it.end_wait(waiting)):
        assert move.execution.outcome == "dropped"


def test_what_branches_without_waiting_does_its_own_first() -> None:
    asks = node("ask", "httpRequest", None, sub("ok", "Ok", "done"), sub("bad", "Bad"), url="https://x.example")
    move = begin(runner(workflow("menu", asks, message("done", "Done"))))
    assert [(effect.kind, effect.node_id) for effect in move.effects] == [
        ("httpRequest", "ask"),
        ("message", "done"),
    ]


def test_a_fallback_is_among_the_ways_where_nothing_decides_and_the_last_of_them() -> None:
    parts = node("s", "switch", None, sub("else", "Else", "on", "noSelectionFallback"), sub("a", "A"), value="{x}")
    it = runner(workflow("menu", parts, message("on", "on")))
    it.chance = lambda _node, ways: ways - 1
    assert said(begin(it)) == ["on"]


def test_a_long_chain_is_not_called_a_loop_and_a_higher_budget_lets_it_go_on() -> None:
    nodes = [message(f"n{at}", "hi", to=f"n{at + 1}" if at < 249 else None) for at in range(250)]
    it = runner(workflow("menu", *nodes))
    assert begin(it).execution.reason == limit_reason(STEP_BUDGET) == "more than 200 nodes in one run"
    it.step_budget = 250
    assert begin(it).execution.outcome == "completed"


def test_a_workflow_that_is_run_twice_is_no_loop() -> None:
    twice = [
        node(f"go{at}", "workflowPointer", f"go{at + 1}" if at < 5 else None, workflowId="sub") for at in range(6)
    ]
    part = workflow("sub", *(message(f"s{at}", "hi", to=f"s{at + 1}" if at < 49 else None) for at in range(50)))
    assert begin(runner(workflow("menu", *twice), part)).execution.reason == limit_reason(STEP_BUDGET)


def test_a_loop_is_named_by_its_nodes_without_what_leads_into_it() -> None:
    nodes = [
        message("in", "x", to="a"),
        *(message(f"{at}", "x", to=to) for at, to in zip("abc", "bca", strict=True)),
    ]
    reason = begin(runner(workflow("menu", *nodes))).execution.reason
    assert reason.startswith("a loop without a wait: ")
    assert sorted(reason.removeprefix("a loop without a wait: ").replace(",", "").split('"')[1:6:2]) == [
        "A",
        "B",
        "C",
    ]
    many = [message(f"m{at}", "x", to=f"m{(at + 1) % 30}") for at in range(30)]
    assert ' and 25 more, and back to "M' in begin(runner(workflow("menu", *many))).execution.reason
