"""`frontdesk workflows show`: trees of files and of the account, with traffic, as rows of JSON."""

import json
import time

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SEEDED, SandboxService
from flows.checks.sample_workflows import Json, node, workflow
from frontdesk.workflows.counter_samples import keep_sample


def lines(out: str) -> list[str]:
    return [" ".join(line.split()) for line in out.splitlines()]


def test_a_file_is_shown_without_asking_anybody(nowhere: Frontdesk, file: str) -> None:
    typed = nowhere("workflows", "show", "wf-survey", "--file", file)
    assert (typed.status, typed.err) == (0, "")
    assert lines(typed.out) == [
        "wf-survey · Delivery survey · active",
        "Started by a campaign workflowTrigger Manual Trigger",
        "Ask whatsapp waits template delivery_survey: Hi {name}, your Acme Home delivery has arrived."
        " How did it go? 🚚",
        "├ 😀 Great",
        "│ Thanks whatsapp ■ ends Thank you! 🙏",
        "├ 🙂 Fine",
        "│ ↪ continues at Thanks",
        "├ 🙁 Not good",
        "│ Tag as complaint assignTags tag-complaint",
        "│ Call the customer task Unhappy with the delivery",
        "│ Sorry whatsapp ■ ends I'm sorry to hear that. Somebody will call you today.",
        "└ No answer in 60 min timeout ■ ends 60 minutes",
        "",
    ]
    everything = nowhere("workflows", "show", "--file", file)
    assert sum(line.split(" · ")[-1] in ("active", "off") for line in lines(everything.out)) == len(SEEDED)


def test_heat_puts_counts_and_losses_beside_it(nowhere: Frontdesk, file: str) -> None:
    shown = lines(nowhere("workflows", "show", "wf-survey", "--file", file, "--heat").out)
    assert shown[1].startswith("1,206 started · ")
    assert "├ 😀 Great 458 38% ━━" in shown
    heading = shown.index("customers of node how where")
    assert shown[heading + 1 : heading + 3] == [
        "48 4.0% dropped Ask",
        "410 34% no answer Ask → No answer in 60 min ■ completed",
    ]
    period = "in run order, counted since the last reset before the file was made"
    assert shown[2] == f"{period} entered of runs of node waiting dropped"


def test_words_written_from_right_to_left_stay_as_they_are_written(nowhere: Frontdesk) -> None:
    made = workflow(node("a", message="שלום עולם"))
    made["parsedData"][0]["title"] = "החזרה"
    typed = nowhere("workflows", "show", "--file", "-", stdin=json.dumps(made))
    assert "החזרה  whatsapp  ■ ends  שלום עולם" in typed.out


def test_json_has_a_line_for_each_row(nowhere: Frontdesk, file: str) -> None:
    rows = nowhere("workflows", "show", "wf-after-hours", "--file", file, "--heat", "--json").rows
    assert [row["kind"] for row in rows[:4]] == ["trigger", "node", "exit", "node"]
    assert rows[2]["traffic"]["share"] == pytest.approx(0.19, abs=0.001)
    (join,) = (row for row in rows if row["kind"] == "join")
    assert rows[1]["traffic"]["waiting"] == 1
    assert (join["leadsTo"], rows[join["drawnAt"]]["node"], join["traffic"]) == ("ah-task", "ah-task", None)
    assert "traffic" not in nowhere("workflows", "show", "wf-survey", "--file", file, "--json").rows[0]


def test_a_file_without_counters_shows_neither_zeros_nor_a_plan(nowhere: Frontdesk) -> None:
    made: Json = workflow(node("a"))
    typed = nowhere("workflows", "show", "--file", "-", "--heat", stdin=json.dumps(made))
    assert lines(typed.out)[1:3] == ["traffic: not loaded", "in run order"]
    assert "use the workflow's id without --file" in typed.err
    rows = nowhere("workflows", "show", "--file", "-", "--heat", "--json", stdin=json.dumps(made)).rows
    assert rows[0]["traffic"] == "not loaded"


def test_what_can_not_be_shown_is_said_in_one_line(nowhere: Frontdesk, file: str) -> None:
    assert "--file FILE" in nowhere.fails(2, "workflows", "show")
    assert "line 1, column 2" in nowhere.fails(2, "workflows", "show", "--file", "-", stdin="[")
    assert nowhere.fails(1, "workflows", "show", "wf-none", "--file", file).startswith("no workflow wf-none in ")
    bare = nowhere("workflows", "show", "--file", "-", stdin='{"id": "w", "isActive": false}')
    assert bare.out.splitlines() == ["w · off", "It has no graph."]


class TestAtThePlatform:
    def test_the_heading_says_what_period_the_counters_are_of(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        words = ("workflows", "show", "wf-survey", "--heat")
        assert lines(frontdesk(*words).out)[2].startswith("in run order, counted since the last reset entered")
        assert lines(frontdesk(*words, "--period", "yesterday").out)[1:3] == [
            "traffic: no counters kept here for this period yet",
            "in run order, since yesterday",
        ]
        (document,) = (
            each for each in frontdesk("workflows", "list", "--full", "--json").rows if each["id"] == words[2]
        )
        earlier = document["analytics"] | {"totalStarted": document["analytics"]["totalStarted"] - 5}
        now = time.time()
        with frontdesk.store() as store:
            sample = document | {"analytics": earlier}
            store.write(lambda db: keep_sample(db, words[2], sample, None, now - 100, now - 100)).result()
        shown = lines(frontdesk(*words, "--period", "ever").out)
        assert shown[1].startswith(f"{document['analytics']['totalStarted']:,} started")
        assert shown[2].startswith("in run order, all resets seen since ")
        shown = lines(frontdesk(*words, "--period", "yesterday").out)
        assert shown[1].startswith("5 started")
        assert "running" not in shown[1], "who ends in a period may have started before it"
        assert "only since " in shown[2]
        row = frontdesk(*words, "--period", "yesterday", "--json").rows[0]
        assert (row["period"], row["since"], row["traffic"]["started"]) == ("yesterday", now - 100, 5)
        assert frontdesk(*words, "--json").rows[0]["period"] == "reset"
        assert "requires --heat" in frontdesk.fails(2, *words[:3], "--period", "ever")
        assert "can't be combined" in frontdesk.fails(2, *words, "--period", "ever", "--file", "x.json")

    def test_the_tree_and_what_differs_since_the_counters_were_zeroed(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        assert "Invitation" in frontdesk("workflows", "show", "wf-early-access", "--heat").out
        words = ("workflows", "snapshots", "wf-early-access", "--compare")
        assert "no snapshot of wf-early-access" in frontdesk.fails(2, *words)
        assert frontdesk("workflows", "reset-analytics", "wf-early-access", "--yes").status == 0
        shown = lines(frontdesk(*words).out)
        assert "after 0 started, 0 completed, 0 dropped" in shown
        assert "Nothing counted since then, so there are no shares to compare yet." in shown
        rows = frontdesk(*words, "--json").rows
        (row,) = (each for each in rows if each["exit"] == "ea-yes")
        assert (row["before"]["count"], row["after"]["count"], row["points"]) == (509, None, None)
        failed = frontdesk.fails(1, "workflows", "show", "nothing")
        assert failed.rstrip() == "no workflow nothing in the list; check the id"
