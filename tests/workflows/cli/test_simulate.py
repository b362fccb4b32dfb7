"""`frontdesk workflows try`: steps in the order typed, what it prints, its exit status, files and the account."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk, Typed
from cli.sandbox_service import SEEDED, SandboxService
from flows.graphs import message, node, workflow


def tried(frontdesk: Frontdesk, file: str, *words: str) -> Typed:
    return frontdesk("workflows", "try", file, *words)


def from_stdin(frontdesk: Frontdesk, body: Any, *words: str) -> Typed:
    return frontdesk("workflows", "try", "-", *words, stdin=json.dumps(body))


def test_steps_are_played_in_the_order_typed_and_nothing_is_asked(nowhere: Frontdesk, file: str) -> None:
    typed = tried(
        nowhere, file, "--say", "hi", "--press", "Return something", "--press=2", "--wait", "10m", "--silence"
    )
    assert (typed.status, typed.err) == (0, "")
    lines = [line.strip() for line in typed.out.splitlines()]
    told = [
        "customer  says hi",
        "▸ Greeting · whatsapp · welcome-menu",
        "offers    Where is my order? · Return something · Talk to a person",
        "customer  presses Return something",
        "runs      returns/v2",
        'takes     "Damaged", matched by title',
        "sends     Could you send a photo of the damage?",
        "time      5 min later, 15 min since the start",
        'task      "Return from {{customer.name}}", due in 24 h',
        'Completed at "Make a task" after 15 min.',
        "▲ No value for {{customer.name}}",
    ]
    assert [line for line in lines if line in told] == told


def test_says_between_presses_are_heard_between_them(nowhere: Frontdesk, file: str) -> None:
    typed = tried(nowhere, file, "--workflow", "returns/v2", "--say", "return", "--press", "3", "--json")
    other = tried(nowhere, file, "--workflow", "returns/v2", "--press", "3", "--json")
    assert typed.row["state"] == other.row["state"] == "completed"
    assert [each["what"] for each in other.row["happened"]][:2] == ["assumed", "said"]
    assert tried(nowhere, file, "--silence", "--say", "x", "--silence", "--json").row["misfit"]["step"] == 2


def test_json_says_how_it_stands_and_all_that_happened(nowhere: Frontdesk, file: str) -> None:
    row = tried(nowhere, file, "--say", "hi", "--press", "1", "--let", "order=17", "--json").row
    assert (row["workflow"], row["state"], row["node"]) == ("wf-welcome", "choice", "welcome-found")
    assert [each["title"] for each in row["offers"]] == ["Yes", "No"]
    assert row["condition"] == "{{lookup.status}} equals 200"
    asked = next(each for each in row["happened"] if each["what"] == "did")
    assert asked["data"]["url"] == "https://shop.acme-home.example/orders/17"
    assert row["notKnown"] == []


def test_what_nothing_decides_is_chosen_given_or_assumed(nowhere: Frontdesk, file: str) -> None:
    press = ("--say", "hi", "--press", "1")
    assert "Choose an exit" in tried(nowhere, file, *press).out
    chosen = tried(nowhere, file, *press, "--choose", "No").out
    assert '"No", chosen: {{lookup.status}} equals 200 can\'t be evaluated' in chosen
    assert '"Yes"; condition: 200 equals 200' in tried(nowhere, file, *press, "--let", "lookup.status=200").out
    assert '"No"; condition: 500 equals 200' in tried(nowhere, file, *press, "--let", "lookup.status=500").out
    assert '"Yes", assumed: {{lookup.status}}' in tried(nowhere, file, *press, "--assume").out


def test_the_hour_is_given_with_at(nowhere: Frontdesk, file: str) -> None:
    night = tried(nowhere, file, "--workflow", "wf-after-hours", "--at", "2026-12-24T23:00").out
    assert "dry run as of Thu 24 Dec 23:00" in night
    assert '"22 to 8"; condition: {{now.hour}} is 23' in night
    assert (
        '"18 to 22"; condition: {{now.hour}} is 18'
        in tried(nowhere, file, "--workflow", "wf-after-hours", "--at", "18:30").out
    )


def test_what_is_dropped_or_does_not_begin_is_1(nowhere: Frontdesk, file: str) -> None:
    lost = from_stdin(nowhere, workflow("w", message("a", "hi", to="gone")))
    assert (lost.status, lost.err) == (1, 'frontdesk: the customer was dropped: there\'s no node "gone"\n')
    assert "sends     hi" in lost.out
    lost = from_stdin(
        nowhere, workflow("w", message("a", "hi", to="gone")), "--say", "hi", "--press", "7", "--silence"
    )
    assert lost.status == 1
    assert lost.err.endswith("; step 2 (--press '7') and 1 more weren't reached\n")
    words = nowhere.fails(1, "workflows", "try", file, "--workflow", "returns/v2", "--say", "hello")
    assert "didn't start" in words
    empty = from_stdin(nowhere, workflow("w"))
    assert empty.status == 1
    assert "nothing to run" in empty.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--say", "hi", "--press", "7"], "step 2 (--press '7'): that isn't one of"),
        (["--wait", "soon"], "--wait: 'soon' isn't a length of time"),
        (["--at", "later"], "--at: 'later' isn't a recognized time"),
        (["--let", "name"], "--let 'name' isn't NAME=VALUE"),
        (["--workflow", "gone"], "no workflow gone in "),
    ],
)
def test_wrong_input_is_2_and_says_what(nowhere: Frontdesk, file: str, words: list[str], said: str) -> None:
    assert said in nowhere.fails(2, "workflows", "try", file, *words)


def test_it_needs_a_file_or_a_workflow(nowhere: Frontdesk, tmp_path: Path) -> None:
    assert "--workflow" in nowhere.fails(2, "workflows", "try")
    broken = tmp_path / "broken.json"
    broken.write_text('{\n "id": 1,}')
    assert "line 2, column 10" in nowhere.fails(2, "workflows", "try", str(broken))


def test_a_file_alone_does_not_know_what_it_points_to(nowhere: Frontdesk) -> None:
    typed = from_stdin(nowhere, SEEDED[0], "--press", "Return something")
    assert typed.status == 0
    assert 'Stopped at "Go to returns": it points to "returns/v2", which isn\'t loaded here.' in typed.out


def test_strangers_text_reaches_the_terminal_without_its_controls(nowhere: Frontdesk) -> None:
    evil = "\x1b]0;owned\x07\u202e\r\n[/]"
    typed = from_stdin(
        nowhere,
        workflow("w", message("a" + evil, evil, to="b"), node("b", "task" + evil, title=evil), name=evil),
    )
    assert "\x1b" not in typed.out + typed.err
    assert "\x07" not in typed.out
    assert "\u202e" not in typed.out


def test_a_workflow_of_the_account_is_read_from_the_platform(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    before = service.asked("PUT")
    typed = frontdesk(
        "workflows", "try", "--workflow", "wf-welcome", "--press", "Return something", "--press", "3"
    )
    assert (typed.status, typed.err) == (0, "")
    assert "Here is your return label" in typed.out
    assert service.asked("PUT") == before
    assert "no workflow gone" in frontdesk.fails(1, "workflows", "try", "--workflow", "gone")


def test_a_run_that_is_only_long_says_how_to_go_on(nowhere: Frontdesk) -> None:
    nodes = [message(f"n{at}", "hi", to=f"n{at + 1}" if at < 299 else None) for at in range(300)]
    body = workflow("w", *nodes)
    typed = from_stdin(nowhere, body)
    assert typed.status == 1
    assert typed.err.endswith("more than 200 nodes in one run; to go on, add --max-nodes 400\n")
    assert from_stdin(nowhere, body, "--max-nodes", "400").status == 0
    loop = from_stdin(nowhere, workflow("w", message("a", "hi", to="a")))
    assert loop.err.endswith('dropped: a loop without a wait: "A", and back to "A"\n')
