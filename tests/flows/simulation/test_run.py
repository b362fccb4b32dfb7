"""What a dry run tells: which nodes run, what would be sent, where it waits, and what has to be chosen."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.graphs import Json, message, node, sub, workflow
from flows.test_any_graph import workflows
from frontdesk_flows.execution import DEPTH_LIMIT
from frontdesk_flows.graph import read_graph
from frontdesk_flows.pointers import reachable_graphs
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import (
    MAX_LETTERS,
    Let,
    NotATime,
    Script,
    ScriptAction,
    ScriptStep,
    interpret,
    seconds_of,
    shorten_data,
)
from frontdesk_flows.simulation.trace import DryRun, EventKind, Reason, SimulationEvent, SimulationState
from frontdesk_sandbox.seeding.workflows import make_workflows

SEEDED = {each["id"]: read_graph(each) for each in make_workflows(1_790_000_000)}
NIGHT = datetime(2026, 11, 20, 23, 5, tzinfo=UTC)
BRANCH = workflow(
    "w",
    node(
        "found",
        "if",
        None,
        sub("yes", "Yes", "good", result=True),
        sub("no", "No", None, result=False),
        left="{{n}}",
        operator="greaterThan",
        right=3,
    ),
    message("good", "It is {{n}}, {{ name }}"),
)


def tried(
    *steps: ScriptStep,
    of: str = "w",
    among: tuple[Json, ...] = (),
    assumes: bool = False,
    knows_all: bool = False,
    **variables: Any,
) -> DryRun:
    graphs = {each["id"]: read_graph(each) for each in among} or SEEDED
    return dry_run(graphs, of, steps, Circumstances(NIGHT, variables, assumes, knows_all))


def say(words: str) -> ScriptStep:
    return ScriptStep(ScriptAction.SAY, words)


def press(words: str) -> ScriptStep:
    return ScriptStep(ScriptAction.PRESS, words)


def choose(words: str) -> ScriptStep:
    return ScriptStep(ScriptAction.CHOOSE, words)


def wait(seconds: float) -> ScriptStep:
    return ScriptStep(ScriptAction.WAIT, seconds=seconds)


BEGIN, SILENCE = ScriptStep(ScriptAction.BEGIN), ScriptStep(ScriptAction.SILENCE)


def nodes(run: DryRun) -> list[str]:
    return [each.node.id for each in run.events if each.event is EventKind.ENTERED and each.node is not None]


def sent(run: DryRun) -> list[str]:
    return [each.text for each in run.events if each.event is EventKind.SENT]


def all_of(run: DryRun, what: EventKind) -> list[SimulationEvent]:
    return [each for each in run.events if each.event is what]


def took(run: DryRun) -> list[tuple[str, Reason | None]]:
    return [(each.exit.id, each.reason) for each in all_of(run, EventKind.TOOK) if each.exit is not None]


def test_a_customer_writes_presses_and_lets_time_go_by() -> None:
    run = tried(say("hi"), press("Return something"), press("2"), wait(600), SILENCE, of="wf-welcome")
    assert nodes(run) == ["welcome-menu", "welcome-returns", "ret-reason", "ret-photo", "ret-wait", "ret-task"]
    assert sent(run)[-1] == "Could you send a photo of the damage?"
    assert took(run) == [("welcome-return", Reason.TITLE), ("ret-broken", Reason.TITLE)]
    assert [each.seconds for each in all_of(run, EventKind.PASSED)] == [600, 300]
    assert [(each.workflow_id, each.depth) for each in all_of(run, EventKind.RUNS)] == [("returns/v2", 1)]
    assert (run.state, run.elapsed, run.not_known) == (SimulationState.COMPLETED, 900, ("customer.name",))


def test_it_says_where_it_waits_for_what_how_long_and_what_is_offered() -> None:
    run = tried(say("hi"), of="wf-welcome")
    assert run.state is SimulationState.ANSWER
    assert (run.at and run.at.id, run.seconds_left) == ("welcome-menu", 3600)
    assert [each.title for each in run.ways] == ["Where is my order?", "Return something", "Talk to a person"]
    assert all_of(run, EventKind.WAITS)[0].kind == "answer"
    assert tried(say("hi"), wait(100), of="wf-welcome").seconds_left == 3500


@pytest.mark.parametrize(
    ("words", "why"), [("damaged", Reason.TITLE), ("ret-broken", Reason.PAYLOAD), ("what?", Reason.NOTHING_FITS)]
)
def test_an_answer_says_by_what_its_way_was_taken(words: str, why: Reason) -> None:
    steps = [say("a refund please"), say(words)] + [say(words)] * (why is Reason.NOTHING_FITS)
    run = tried(*steps, of="returns/v2")
    assert took(run)[-1][1] is why
    assert [each.text for each in all_of(run, EventKind.BEGAN)] == ["refund"]
    assert bool(all_of(run, EventKind.AGAIN)) is (why is Reason.NOTHING_FITS)


def test_silence_takes_the_timeout_and_a_long_wait_ends_several_waits() -> None:
    assert took(tried(say("return"), SILENCE, of="returns/v2")) == [("ret-silent", Reason.SILENCE)]
    two = workflow("w", node("a", "wait", "b", minutes=1), node("b", "wait", "c", minutes=2), message("c", "hi"))
    run = tried(BEGIN, wait(180), among=(two,))
    assert (run.state, run.elapsed, sent(run)) == (SimulationState.COMPLETED, 180, ["hi"])
    assert tried(BEGIN, wait(170), among=(two,)).seconds_left == 10


def test_words_that_hold_no_keyword_do_not_begin_it_and_others_may() -> None:
    run = tried(say("hello"), of="returns/v2")
    assert (run.state, run.keywords[:2], nodes(run)) == (SimulationState.TO_BEGIN, ("return", "refund"), [])
    assert run.events[-1].event is EventKind.NOT_BEGUN
    assert tried(say("hello"), press("1"), of="returns/v2").misfit is not None
    assert tried(say("hello"), say("RETURN it"), of="returns/v2").state is SimulationState.ANSWER


def test_what_begins_it_is_assumed_and_told_where_the_script_does_not_say() -> None:
    run = tried(press("Damaged"), of="returns/v2")
    assert all_of(run, EventKind.ASSUMED)[0].text == 'the customer writes "return" to start it'
    assert nodes(run)[:2] == ["ret-reason", "ret-photo"]
    by_campaign = tried(say("😀 Great"), of="wf-survey")
    assert not all_of(by_campaign, EventKind.ASSUMED)
    assert (by_campaign.state, nodes(by_campaign)) == (SimulationState.COMPLETED, ["sur-ask", "sur-thanks"])


def test_what_is_not_active_is_tried_as_if_it_were_and_that_is_told() -> None:
    run = tried(BEGIN, of="wf-draft-chairs")
    assert all_of(run, EventKind.ASSUMED)[0].text == "it is active, though not marked active"
    assert run.state is SimulationState.ANSWER


def test_what_nothing_decides_is_asked_and_never_guessed() -> None:
    run = tried(BEGIN, among=(BRANCH,))
    assert run.state is SimulationState.CHOICE
    assert (run.condition, [each.id for each in run.ways]) == ("{{n}} greaterThan 3", ["yes", "no"])
    assert not all_of(run, EventKind.TOOK)
    assert sent(run) == []
    chosen = tried(BEGIN, choose("yes"), among=(BRANCH,))
    assert (took(chosen), chosen.state) == ([("yes", Reason.CHOSEN)], SimulationState.COMPLETED)
    assert chosen.not_known == ("n", "name")
    assert [each.step for each in all_of(chosen, EventKind.ENTERED)] == [0, 1]
    assert took(tried(BEGIN, among=(BRANCH,), assumes=True)) == [("yes", Reason.ASSUMED)]


@pytest.mark.parametrize(("number", "way"), [(5, "yes"), (2, "no")])
def test_a_condition_over_what_is_known_decides_and_says_over_what(number: int, way: str) -> None:
    run = tried(BEGIN, among=(BRANCH,), n=number)
    assert took(run) == [(way, Reason.CONDITION)]
    assert all_of(run, EventKind.TOOK)[0].text == f"{number} greaterThan 3"


def test_the_hour_is_that_of_the_run_and_moves_with_it() -> None:
    run = tried(BEGIN, of="wf-after-hours")
    assert took(run) == [("ah-night", Reason.CONDITION)]
    assert all_of(run, EventKind.TOOK)[0].text == "{{now.hour}} is 23"
    later = workflow(
        "w",
        node("w1", "wait", "s", hours=10),
        node("s", "switch", None, sub("n", "Night", value=23), sub("d", "Day", value=9), value="{{now.hour}}"),
    )
    assert took(tried(BEGIN, SILENCE, among=(later,))) == [("d", Reason.CONDITION)]


def test_several_choices_in_one_move_are_asked_one_after_the_other() -> None:
    def switch(name: str, to: str | None) -> Json:
        return node(name, "switch", None, sub(f"{name}1", "One", to), sub(f"{name}2", "Two", to), value="{{x}}")

    twice = workflow("w", switch("a", "b"), switch("b", "c"), node("c", "wait", "d", hours=1), message("d", "end"))
    assert (tried(BEGIN, choose("2"), among=(twice,)).at or BRANCH).id == "b"  # type: ignore[attr-defined]
    run = tried(BEGIN, choose("2"), choose("b1"), among=(twice,))
    assert took(run) == [("a2", Reason.CHOSEN), ("b1", Reason.CHOSEN)]
    assert run.state is SimulationState.TIME


def test_time_that_is_over_at_a_choice_goes_on_after_it() -> None:
    waits = workflow(
        "w",
        node("a", "wait", "q", hours=1),
        node("q", "switch", None, sub("x", "X", "b"), value="{{x}}"),
        node("b", "wait", None, hours=1),
    )
    asked = tried(BEGIN, wait(2 * 3600), among=(waits,))
    assert asked.state is SimulationState.CHOICE
    run = tried(BEGIN, wait(2 * 3600), choose("x"), among=(waits,))
    assert (run.state, run.elapsed) == (SimulationState.COMPLETED, 7200)


def test_an_undecided_switch_may_go_by_its_fallback() -> None:
    it = workflow(
        "w", node("s", "switch", None, sub("a", "A"), sub("e", "Else", None, "noSelectionFallback"), value="{x}")
    )
    assert took(tried(BEGIN, choose("Else"), among=(it,))) == [("e", Reason.CHOSEN)]


def test_effects_are_told_with_their_data_filled_and_a_request_is_none() -> None:
    it = workflow("w", node("h", "httpRequest", None, url="https://x.example/{id}", body={"who": ["{{name}}", 3]}))
    run = tried(BEGIN, among=(it,), id=7, name="Dana")
    (did,) = all_of(run, EventKind.DID)
    assert (did.kind, did.data["url"], did.data["body"]) == (
        "httpRequest",
        "https://x.example/7",
        {"who": ["Dana", 3]},
    )
    assert run.not_known == ()


@pytest.mark.parametrize(
    ("other", "knows_all", "state", "words"),
    [
        (None, False, SimulationState.UNKNOWN, "which isn't loaded here"),
        (None, True, SimulationState.DROPPED, "which doesn't exist"),
        (workflow("x", message("m", "hi"), active=False), True, SimulationState.DROPPED, "isn't active"),
        (workflow("x"), True, SimulationState.DROPPED, "nothing to run"),
    ],
)
def test_a_pointer_that_leads_nowhere_says_why(
    other: Json | None, knows_all: bool, state: SimulationState, words: str
) -> None:
    own = workflow("w", node("p", "workflowPointer", None, workflowId="x"))
    run = tried(BEGIN, among=(own, *([other] if other else [])), knows_all=knows_all)
    assert run.state is state
    assert words in run.reason


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (workflow("w"), "has no node"),
        (workflow("w", message("a", "hi"), start="gone"), '"gone", which isn\'t a node'),
    ],
)
def test_what_cannot_run_says_why(broken: Json, words: str) -> None:
    run = tried(among=(broken,))
    assert run.state is SimulationState.CANNOT_RUN
    assert words in run.reason
    assert tried(BEGIN, among=(broken,)).misfit is not None


def test_a_missing_target_and_a_loop_drop_it() -> None:
    lost = tried(BEGIN, among=(workflow("w", message("a", "hi", to="gone")),))
    assert (lost.state, lost.reason, sent(lost)) == (SimulationState.DROPPED, 'there\'s no node "gone"', ["hi"])
    loop = tried(BEGIN, among=(workflow("w", message("a", "hi", to="a")),))
    assert loop.state is SimulationState.DROPPED
    assert loop.reason == 'a loop without a wait: "A", and back to "A"'
    assert not loop.is_at_limit


@pytest.mark.parametrize(
    ("steps", "place", "words"),
    [
        ([say("hi"), press("Pay")], 1, "isn't one of the choices"),
        ([say("hi"), choose("1")], 1, "no exit to choose"),
        ([say("hi"), press("1"), say("well?")], 2, "choose an exit first"),
        ([say("hi"), BEGIN], 1, "already started"),
        ([say("hi"), press("1"), choose("no"), wait(1)], 3, "ended"),
    ],
)
def test_a_step_that_fits_nowhere_ends_the_script_there(steps: list[ScriptStep], place: int, words: str) -> None:
    run = tried(*steps, of="wf-welcome")
    assert run.misfit is not None
    assert run.misfit.step == place
    assert words in run.misfit.words
    before = tried(*steps[:place], of="wf-welcome")
    assert (run.events, run.state) == (before.events, before.state)


def test_words_while_it_waits_for_time_are_not_heard() -> None:
    run = tried(BEGIN, say("hello?"), among=(workflow("w", node("a", "wait", None, hours=1)),))
    assert all_of(run, EventKind.UNHEARD)
    assert run.state is SimulationState.TIME


def test_pointed_to_workflows_are_followed_as_deep_as_the_runtime_goes() -> None:
    assert list(reachable_graphs("wf-welcome", SEEDED.get)) == ["wf-welcome", "returns/v2"]
    circle = [workflow(each, node("p", "workflowPointer", workflowId="b")) for each in "ab"]
    assert list(reachable_graphs("a", {each["id"]: read_graph(each) for each in circle}.get)) == ["a", "b"]
    run = tried(BEGIN, of="a", among=tuple(circle))
    assert run.state is SimulationState.DROPPED
    assert run.reason == 'workflows that point to each other in a loop: "b", and back to "b"'
    row = [workflow(f"w{at}", node("p", "workflowPointer", workflowId=f"w{at + 1}")) for at in range(20)]
    run = tried(BEGIN, of="w0", among=tuple(row))
    assert run.reason == f"more than {DEPTH_LIMIT} nested workflows"


@pytest.mark.parametrize(
    ("words", "seconds"), [("2 hours", 7200), ("90m", 5400), ("1h 30m", 5400), ("1 day, and 5 s", 86_405)]
)
def test_lengths_of_time_are_read(words: str, seconds: float) -> None:
    assert seconds_of(words) == seconds


@pytest.mark.parametrize("words", ["", "soon", "3", "2 hours soon", "-1h", "400 days", "1 fortnight"])
def test_what_is_no_length_of_time_says_so(words: str) -> None:
    with pytest.raises(NotATime, match=r"isn't a length of time|longer than a year"):
        seconds_of(words)


STEPS = st.builds(
    ScriptStep,
    st.sampled_from(ScriptAction),
    st.sampled_from(["Yes", "no", "x", "1", "2", "return"]),
    st.sampled_from([0.0, 60.0, 1e6]),
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    given_workflows=st.tuples(workflows("one"), workflows("two"), workflows("three")),
    steps=st.lists(STEPS, max_size=10),
    assumes=st.booleans(),
)
def test_any_graph_and_any_script_end_and_a_step_less_is_a_step_back(
    given_workflows: tuple[Json, ...], steps: list[ScriptStep], assumes: bool
) -> None:
    graphs = {each["id"]: read_graph(each) for each in given_workflows}
    circumstances = Circumstances(NIGHT, {}, assumes)
    run = dry_run(graphs, "one", steps, circumstances)
    shorter = dry_run(graphs, "one", steps[:-1], circumstances)
    if run.misfit is None:
        assert run.events[: len(shorter.events)] == shorter.events
        assert len(run.events) > len(shorter.events) or not steps
    assert (run.state is SimulationState.CHOICE) <= bool(run.ways)


@pytest.mark.parametrize(
    ("steps", "typed", "meaning"),
    [
        ([], "hello", say("hello")),
        ([], "", BEGIN),
        ([BEGIN], "", None),
        ([BEGIN], "2", press("2")),
        ([BEGIN], "7", say("7")),
        ([BEGIN], '"2', say("2")),
        ([BEGIN], '"so"', say('"so"')),
        ([BEGIN], " {order} = 17 ", Let("order", "17")),
        ([BEGIN, press("1")], "no", choose("no")),
        ([BEGIN, press("2"), press("2")], "", SILENCE),
        ([BEGIN, press("2"), press("2")], "hm", say("hm")),
        ([BEGIN, press("3")], "thanks", None),
        ([BEGIN, press("3")], "{{x.y}}=", Let("x.y", "")),
    ],
)
def test_typed_words_mean_what_fits_where_the_run_stands(
    steps: list[ScriptStep], typed: str, meaning: ScriptStep | Let | None
) -> None:
    assert interpret(tried(*steps, of="wf-welcome"), typed) == meaning


def test_a_script_is_kept_and_one_less_is_a_step_back() -> None:
    script = Script().with_entry(say("hi")).with_entry(Let("x", "1")).with_entry(wait(5))
    assert Script.from_json(script.to_json()) == script
    assert (script.variables, script.without_last().steps) == ({"x": "1"}, (say("hi"),))
    for other in ("", "{}", "[1]", '[["fly", "", 0]]', '[["say", 1, 0]]', "[[]]"):
        assert Script.from_json(other) == Script()


def test_what_is_too_long_to_be_shown_is_cut_before_it_is_played() -> None:
    long = workflow("w", message("a", "x" * 50_000, to="b"), node("b", "task", title="t", body=["y" * 9] * 9_000))
    short = shorten_data(read_graph(long))
    sizes = [len(str(each.data)) for each in short.nodes.values()]
    assert all(MAX_LETTERS / 2 < size < 2 * MAX_LETTERS for size in sizes)
    assert shorten_data(SEEDED["wf-welcome"]) == SEEDED["wf-welcome"]
