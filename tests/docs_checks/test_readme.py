"""The README is short and promises nothing without a test: each sentence of it that does names its tests here."""

import re
from functools import cache

import pytest

from frontdesk.registry.keymap import KEYMAP
from frontdesk.tui.keymap import display_key

from .names import ROOT
from .pages import codes, section, table

README = ROOT / "README.md"
TRY = "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/frontdesk demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest"

PROMISES: dict[str, tuple[str, ...]] = {
    "Your changes survive crashes": (
        "test_no_kill_and_no_broken_connection_loses_or_doubles_a_change",
        "test_no_fault_loses_doubles_or_misstates_anything",
        "test_work_outlives_a_lost_line",
    ),
    "nobody's change is overwritten": (
        "test_no_edit_is_overwritten_unseen",
        "test_a_conflict_shows_each_field_before_theirs_and_yours",
    ),
    "Change many conversations at once, and undo it": (
        "test_all_of_it_is_one_action_with_one_undo",
        "test_what_a_macro_did_is_recorded_as_another_one",
    ),
    "pace, time left and failure reasons": (
        "test_95_of_100_intervals_hold_the_true_share",
        "test_moving_stalled_throttled_and_waiting_are_told_apart",
        "test_the_headline_says_how_many_were_looked_at_and_how_sure_the_share_is",
    ),
    "Workflows as trees: check, dry-run and compare them": (
        "test_the_tree_follows_the_cursor_and_enter_goes_into_it",
        "test_a_broken_workflow_is_found_out",
        "test_a_customer_writes_presses_and_lets_time_go_by",
        "test_a_difference_is_told_exactly_where_the_structure_differs",
    ),
    "A team shares one poller, notes and hand-overs": (
        "test_one_desk_reads_and_the_other_has_the_same_without_asking_the_platform",
        "test_colleagues_are_named_where_they_look",
    ),
    "over SSH, in browsers, and as plain lines": (
        "test_a_cursor_move_in_the_inbox_sends_two_names_and_two_bars",
        "test_an_idle_screen_sends_nothing",
        "test_a_task_is_completed_with_keys_alone_and_nothing_leaves_loopback",
        "test_a_surface_does_it_or_has_a_reason",
    ),
    "copy a message, or a number or link in it": ("test_numbers_and_links_are_offered_to_be_copied_alone",),
    "tries them as you type": (
        "test_hosts_that_do_not_answer_keep_nobody_waiting_and_other_addresses_are_folded_away",
    ),
}
"""Words of the README, and the tests that fail where they aren't true."""


@cache
def _words() -> str:
    """The README's text in one line, so that words are found wherever its lines end."""
    return " ".join(README.read_text(encoding="utf-8").split())


@cache
def _tests() -> frozenset[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    return frozenset(name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8")))


def test_it_is_short_and_has_the_two_commands_on_its_first_screen() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert {TRY, TEST} <= set(lines[:24])
    assert len(lines) <= 80


@pytest.mark.parametrize("words", PROMISES)
def test_a_promise_stands_there_and_its_tests_exist(words: str) -> None:
    assert words in _words()
    assert [name for name in PROMISES[words] if name not in _tests()] == []


def test_each_feature_has_at_most_ten_words_a_picture_or_a_link_and_a_test() -> None:
    points = re.findall(r"^- (.+) \(\[(?:see|picture)\]\(.+\)\)\.$", section(README, "What it does"), re.MULTILINE)
    assert len(points) == 6
    assert [point for point in points if len(point.split()) > 10] == []
    assert [point for point in points if not any(words in point for words in PROMISES)] == []


def test_the_twelve_keys_are_those_of_the_program() -> None:
    known = {display_key(key) for action in KEYMAP for key in action.keys}
    rows = table(section(README, "Twelve keys"), "key")
    assert len(rows) == 12
    assert [row[0] for row in rows if not set(codes(row[0])) <= known] == []
