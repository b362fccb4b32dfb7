"""`frontdesk workflows check`: what it prints, its exit status, and that it needs no platform."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk, Typed
from flows.checks.sample_workflows import Json, chain, whole
from frontdesk_sandbox.seeding.workflows import make_workflows

BROKEN = whole() | {"id": "bad", "name": "Bad", "parsedData": [], "associatedToBusinessId": None}


def check(frontdesk: Frontdesk, body: Any, *options: str) -> Typed:
    text = body if isinstance(body, str) else json.dumps(body)
    return frontdesk("workflows", "check", "-", *options, stdin=text)


def test_a_whole_workflow_is_0_without_profile_or_network(nowhere: Frontdesk, tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps(whole(), indent=2))
    typed = nowhere("workflows", "check", str(file))
    assert (typed.status, typed.err) == (0, "")
    assert typed.out.startswith("w · W: no findings\n")
    assert "pointer-unknown" in typed.out
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert nowhere("workflows", "check", str(file), "--json") == Typed(0, "", "")


def test_errors_are_1_with_a_table_and_what_to_do(nowhere: Frontdesk) -> None:
    typed = check(nowhere, BROKEN)
    assert typed.status == 1
    assert typed.err.startswith("frontdesk: 1 error in standard input")
    lines = typed.out.splitlines()
    assert lines[0] == "bad · Bad: 1 error"
    assert lines[1].split() == ["SEVERITY", "RULE", "PATH", "FINDING"]
    assert lines[2].split()[:3] == ["error", "no-graph", "$.parsedData"]
    assert any(line.startswith("no-graph  Send the whole graph") for line in lines)


def test_warnings_alone_are_0(nowhere: Frontdesk) -> None:
    typed = check(nowhere, chain(101), "--json")
    assert (typed.status, typed.err) == (0, "")
    assert (typed.row["id"], typed.row["severity"]) == ("too-many-nodes", "warning")


def test_findings_are_json_lines(nowhere: Frontdesk) -> None:
    typed = check(nowhere, [whole(), BROKEN], "--json")
    assert typed.status == 1
    assert "1 of 2 workflows" in typed.err
    assert typed.row == {
        "workflow": "bad",
        "id": "no-graph",
        "severity": "error",
        "path": "$.parsedData",
        "node": None,
        "problem": "the canvas has 9 nodes, but the graph has none",
        "do": "Send the whole graph: `trigger`, `parsedData` and `data` together.",
    }


def test_workflows_of_one_file_are_checked_against_each_other(nowhere: Frontdesk) -> None:
    alone, twins = whole(), [whole(), whole() | {"id": "twin", "name": "Twin"}]
    assert check(nowhere, alone).out.splitlines()[-1].endswith(", inactive-scheduled, same-trigger.")
    typed = check(nowhere, twins)
    assert '"Twin" has the same trigger, on the same line' in typed.out
    assert '"W" has the same trigger, on the same line' in typed.out
    assert typed.out.splitlines()[-1].endswith(", inactive-scheduled.")


def test_lists_lines_and_answers_of_the_platform_are_checked_each(nowhere: Frontdesk) -> None:
    made = make_workflows(1_790_000_000)
    for body in (made, {"result": made}, "\n".join(json.dumps(each) for each in made)):
        typed = check(nowhere, body)
        assert (typed.status, typed.err) == (0, "")
        assert typed.out.count("no findings") + typed.out.count(" warning") >= len(made)
        assert all(each["name"] in typed.out for each in made)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("", "line 1, column 1"),
        ('{\n "id": "w",\n}', "line 3, column 1"),
        ('{"id":\n NaN}', "line 2, column 2: NaN isn't valid JSON"),
        ('{"id": "NaN", "n":\n[1, -Infinity]}', "line 2, column 5: -Infinity isn't valid JSON"),
        ('{"id": "w"}\n{"id": "v"}\n{"id" 5}', "line 3, column 7"),
        ('{"id": "w"} and more', "line 1, column 13"),
        ("[" * 100_000, "line 1, column 1: it is nested too deep"),
        ("[" * 300 + "]" * 300, "line 1, column 1: it is nested too deep"),
        ('{"id": "w",\n "n": ' + "9" * 5_000 + "}", "line 2, column 7: the number is too long"),
    ],
)
def test_what_is_no_json_is_2_with_line_and_column(nowhere: Frontdesk, body: str, where: str) -> None:
    typed = check(nowhere, body)
    assert (typed.status, typed.out) == (2, "")
    assert typed.err.count("\n") == 1
    assert f"standard input isn't valid JSON ({where}" in typed.err


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ('{"name": "x",\n "name": "y"}', 'line 2, column 2: "name"'),
        (
            '{"a": {"b": ["{", "b", {"b": 1}]}, "b": "\\"b\\":",\n"n\\u0061": 1, "na": 2}',
            'line 2, column 15: "na"',
        ),
        ('{"id": "w"}\n{"id": "v", "\\u001b": 1, "\\u001b" : 2}', 'line 2, column 26: "'),
    ],
)
def test_a_key_that_stands_twice_is_2_with_its_place(nowhere: Frontdesk, body: str, where: str) -> None:
    typed = check(nowhere, body)
    assert (typed.status, typed.out) == (2, "")
    assert f"standard input has a duplicate key ({where}" in typed.err
    assert "\x1b" not in typed.err


def test_bytes_that_are_no_text_are_2_with_the_place(nowhere: Frontdesk, tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_bytes(b'{"id":\n"\xff"}')
    assert "line 2, column 2: this isn't valid UTF-8" in nowhere.fails(2, "workflows", "check", str(file))
    for path in (str(tmp_path), str(tmp_path / "none.json"), "a\x00b"):
        assert "can't be read" in nowhere.fails(2, "workflows", "check", path)


@pytest.mark.parametrize("body", [{}, [], 5, None, "text", [5], {"result": 5}, {"foo": 1}, {"id": None}])
def test_what_holds_no_workflow_is_2(nowhere: Frontdesk, body: Any) -> None:
    typed = check(nowhere, json.dumps(body))
    assert (typed.status, typed.out) == (2, "")
    assert "workflow" in typed.err or "nothing to check" in typed.err


def test_one_entry_that_is_no_workflow_is_named(nowhere: Frontdesk) -> None:
    assert "entry 2 of standard input" in check(nowhere, [whole(), 5]).err


def test_strangers_words_reach_no_terminal_raw(nowhere: Frontdesk) -> None:
    evil = "\x1b]52;c;x\x07\x9b31m\u202e[/b]\n"
    raw: Json = whole() | {"id": evil, "name": evil}
    raw["parsedData"][1] |= {"id": evil, "title": "", "type": evil, "connections": {"out": [evil * 100]}}
    raw["analytics"]["nodeStats"][evil + "x"] = 1
    for options in ((), ("--json",)):
        typed = check(nowhere, raw, *options)
        assert typed.status == 1
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", typed.out + typed.err)
    assert evil in {row["node"] for row in check(nowhere, raw, "--json").rows}


def test_a_body_with_a_mark_before_it_names_its_own_fault(frontdesk: Frontdesk, tmp_path: Path) -> None:
    file = tmp_path / "body.json"
    file.write_bytes(b'\xef\xbb\xbf{"name":\n5,}')
    words = frontdesk.fails(2, "workflows", "update", "wf-welcome", "--file", str(file))
    assert "line 2, column 3" in words
    assert words.endswith("nothing was sent")
