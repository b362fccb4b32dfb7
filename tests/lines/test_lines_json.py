"""JSON as lines: indented, as wide as there is room, and honest about what was left out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines.lines import Role, json_body, json_lines, json_text, width_of
from sample_texts import words

MORE = "… more in the raw view"
SAMPLE = {"name": "Noa", "tags": ["vip", 1, None], "ünï": {"a": True}}


def test_each_level_is_two_blanks_further_in() -> None:
    assert [words(line).rstrip() for line in json_lines(SAMPLE, 40)] == [
        "{",
        '  "name": "Noa",',
        '  "tags": [',
        '    "vip",',
        "    1,",
        "    null",
        "  ],",
        '  "ünï": {',
        '    "a": true',
        "  }",
        "}",
    ]


@given(
    st.recursive(st.text(max_size=12) | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=8),
    st.integers(4, 60),
)
def test_every_line_is_as_wide_as_there_is_room(value: object, width: int) -> None:
    assert {width_of(line) for line in json_lines(value, width)} == {width}


def test_what_is_wrapped_stays_in_at_its_level_and_deep_levels_keep_half_of_the_room() -> None:
    assert [words(line) for line in json_lines({"a": "b c d"}, 8)] == [
        "{       ",
        '  "a":  ',
        '  "b c  ',
        '  d"    ',
        "}       ",
    ]
    deep: object = "x"
    for _ in range(9):
        deep = [deep]
    assert words(*json_lines(deep, 10)).splitlines()[9] == '     "x"  '


@pytest.mark.parametrize(("most", "is_whole"), [(12, True), (11, True), (10, False), (1, False)])
def test_lines_that_are_left_out_are_told_of(most: int, is_whole: bool) -> None:
    lines = json_lines(SAMPLE, 40, most)
    assert len(lines) == (11 if is_whole else most + 1)
    assert (words(lines[-1]).rstrip() == MORE) is not is_whole
    if not is_whole:
        assert width_of(lines[-1]) == 40
        assert lines[-1][0].role is Role.DIM


def test_one_wrapped_value_takes_no_more_lines_than_there_may_be() -> None:
    lines = json_lines(["word " * 100, "end"], 30, 5)
    assert len(lines) == 6
    assert words(lines[-1]).rstrip() == MORE


def test_a_value_beyond_the_letters_is_cut_and_said_to_be() -> None:
    text, is_whole = json_text(SAMPLE, 24)
    assert text == json.dumps(SAMPLE, ensure_ascii=False, indent=2)[:24]
    assert not is_whole
    whole = json.dumps(SAMPLE, ensure_ascii=False, indent=2)
    assert json_text(SAMPLE, len(whole)) == (whole, True)
    assert json_text(SAMPLE, len(whole) - 1) == (whole[:-1], False)
    assert json_text(SAMPLE, indent=None) == (json.dumps(SAMPLE, ensure_ascii=False), True)
    assert json_text(Role) == (json.dumps(str(Role)), True)
    assert words(*json_lines(["x" * 1000] * 100, 80)[-1:]).rstrip() == MORE


def test_what_is_nested_too_deep_for_python_is_left_out_and_said_to_be() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    text, is_whole = json_text(deep, 10_000_000)
    assert not is_whole
    assert text.startswith("[\n  [\n    [")


def test_a_body_has_its_lines_and_a_last_one_for_the_rest() -> None:
    assert [each.text for each in json_body({"a": 1}, 100, 10)] == ["{", '  "a": 1', "}"]
    cut = [each.text for each in json_body(list(range(50)), 40, 3)]
    assert cut == ["[", "  0,", "  1,", "… more, not shown here"]
