"""Differences of workflows in words and lines: bounded, safe, and begun where they part."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from flows.checks.any_document import broken_documents
from flows.checks.sample_workflows import Json, chain, draw, exit_of, node, parent, whole
from frontdesk.config.facts import lines
from frontdesk.workflows.view.diff import (
    difference_facts,
    difference_sentence,
    difference_sides,
    difference_summary,
)
from frontdesk_flows.diff import differences
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import width_of
from sample_records import VIEW, drawn


def said(before: Json, after: Json) -> list[str]:
    found = differences(before, after)
    return [difference_summary(found).text, *(difference_sentence(each).text for each in found.changes)]


def test_each_difference_is_a_sentence_under_their_counts() -> None:
    after = whole()
    after["name"] = "Anew"
    parent(after, "ask")["data"]["message"] = "Is it there?"
    exit_of(after, "yes")["connections"]["out"] = []
    after["parsedData"].insert(0, node("new", "task"))
    parent(after, "ask")["subNodes"].reverse()
    draw(after)
    assert said(whole(), after) == [
        "1 setting changed, 1 node added, 1 node changed, 1 node reordered, 1 exit rewired",
        'changed name: "W" -> "Anew"',
        'added node "The new" (new)',
        'changed node "The ask" (ask), data.message: "Is it here?" -> "Is it there?"',
        'rewired exit "Take yes" (yes): thank -> nothing',
        'reordered the exits of node "The ask" (ask): yes, no, else, silent -> silent, else, no, yes',
    ]


def test_nothing_is_said_to_be_nothing_and_drawing_is_counted() -> None:
    after = whole()
    after["data"]["nodes"][0]["position"] = {"x": 9, "y": 9}
    assert said(whole(), whole()) == ["no differences"]
    assert said(whole(), after) == ["no differences; 1 node differs only in layout"]


def test_long_texts_begin_shortly_before_they_part() -> None:
    before, after = ({"notes": "so " * 400 + end} for end in ("early", "late"))
    (_, words) = said(before, after)
    assert words.startswith("changed notes: …so so so so")
    assert words.endswith('late"')
    assert len(words) < 120


@few
@given(
    alike=st.text("ab", max_size=30),
    times=st.integers(1, 60),
    ends=st.sampled_from([("", "!"), ("!", "?"), ("!", "")]),
)
def test_where_two_texts_part_is_in_sight_however_long_they_are(
    alike: str, times: int, ends: tuple[str, str]
) -> None:
    before, after = ({"notes": alike * times + each} for each in ends)
    (found,) = differences(before, after).changes
    sides = difference_sides(found)
    assert sides is not None
    for side, end in zip(sides, ends, strict=True):
        assert side.text.endswith(f'{end}"')
        assert len(side.text) <= 154


def test_of_very_many_the_rest_is_counted() -> None:
    told = drawn(difference_facts(differences({}, chain(500))), 40).split("\n")
    assert len(told) < 900
    assert told[-1].startswith("… and 1")


def is_safe(text: str) -> bool:
    return show_line(text, 10_000).text == text


@pytest.mark.slow
@settings(max_examples=60)
@given(before=broken_documents(), after=broken_documents(), width=st.integers(1, 90))
def test_whatever_differs_is_told_safely(before: Json, after: Json, width: int) -> None:
    found = differences(before, after)
    for each in found.changes:
        assert is_safe(difference_sentence(each).text)
    for line in lines(difference_facts(found), width, VIEW, 8):
        assert width_of(line) <= width
        assert all(is_safe(part.text.text) for part in line)
