"""The README is short and promises nothing without a test: each sentence of it that does names its tests here."""

import re
from functools import cache

import pytest

from frontdesk.app.screens import KEYMAP
from frontdesk.tui.keymap import display_key

from .names import ROOT
from .pages import codes, section, table

README = ROOT / "README.md"
TRY = "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/frontdesk demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest"

PROMISES: dict[str, tuple[str, ...]] = {
    "survives a crash, a dead network or a closed terminal": (
        "test_no_kill_and_no_broken_connection_loses_or_doubles_a_change",
        "test_no_fault_loses_doubles_or_misstates_anything",
    ),
    "never sends one twice without checking": (
        "test_an_answer_that_was_lost_is_read_back_and_not_sent_again",
        "test_a_lost_create_is_looked_up_and_never_repeated",
    ),
    "you see their version, yours, and the one before": (
        "test_a_conflict_shows_each_field_before_theirs_and_yours",
    ),
    "Pace, a range for the finish, stalled or throttled": (
        "test_95_of_100_intervals_hold_the_true_share",
        "test_moving_stalled_throttled_and_waiting_are_told_apart",
        "test_the_headline_says_how_many_were_looked_at_and_how_sure_the_share_is",
    ),
    "See a workflow as a tree with its traffic": (
        "test_the_tree_follows_the_cursor_and_enter_goes_into_it",
        "test_a_broken_workflow_is_found_out",
        "test_a_customer_writes_presses_and_lets_time_go_by",
        "test_a_difference_is_told_exactly_where_the_structure_differs",
    ),
    "one desk reads for all": ("test_one_desk_reads_and_the_other_has_the_same_without_asking_the_platform",),
    "never overwrite each other's changes to a task": ("test_no_edit_is_overwritten_unseen",),
    "rows show who else is there": ("test_colleagues_are_named_where_they_look",),
    "count in your business hours": ("test_a_response_is_measured_in_business_hours",),
    "tasks have a history": ("test_the_history_leads_from_the_first_state_to_the_last",),
    "say how much data they are based on": ("test_today_has_what_was_read_and_says_from_how_much",),
    "compares them with what really happened": ("test_what_a_desk_says_of_a_day_is_true_as_far_as_it_says",),
    "Snooze a conversation until the customer writes": ("test_a_conversation_is_snoozed_and_undone",),
    "Do five things with one key": (
        "test_all_of_it_is_one_action_with_one_undo",
        "test_what_a_macro_did_is_recorded_as_another_one",
    ),
    "commands and hooks": ("test_a_crm_look_up", "test_a_message_runs_it_once_over_engines_and_restarts"),
    "moving the cursor sends about": ("test_what_a_key_sends_is_told_as_it_was_counted",),
    "Hebrew and Arabic read correctly": ("test_no_hard_string_moves_what_follows_in_rows_and_paragraphs",),
    "The same inbox comes as plain lines": ("test_every_action_has_a_command_an_equivalent_or_a_reason",),
    "they are checked as you type": ("test_an_account_is_tried_and_saved",),
    "your changes and what you were typing are kept": ("test_work_outlives_a_lost_line",),
    "is the inbox in a browser on your machine": (
        "test_a_task_is_completed_with_keys_alone_and_nothing_leaves_loopback",
    ),
    "It sends only the cells that changed": (
        "test_a_cursor_move_in_the_inbox_sends_two_names_and_two_bars",
        "test_what_was_sent_in_differences_is_what_a_whole_repaint_shows",
    ),
    "nothing while the screen is idle": ("test_an_idle_screen_sends_nothing",),
    "Copying goes through your terminal": ("test_where_the_terminal_takes_no_copy_the_text_is_shown",),
    "desktop notifications if you turn them on": ("test_what_comes_is_told_once_and_the_title_comes_back",),
    "It fits any size from 60x15 up": ("test_every_screen_stands_at_every_size",),
    "Open as many terminals on one profile as you like": (
        "test_four_processes_share_a_store_and_survive_the_one_that_polls",
    ),
    "to a file that only you can read": ("test_a_file_that_others_can_read_is_refused_with_the_command_to_run",),
    "the system's keyring": ("test_the_keyring_takes_the_credentials_and_gives_them_back",),
    "They can also come from": ("test_what_it_prints_comes_before_the_environment_and_the_file",),
    "`H` hides names, numbers and texts": (
        "test_nothing_that_names_or_quotes_a_person_is_shown_copied_or_sent_to_the_terminal",
    ),
    "Exit status: 0 done": ("test_the_exit_statuses_are_those_of_the_program",),
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
    assert {f"    {TRY}", f"    {TEST}"} <= set(lines[:24])
    assert len(lines) <= 150


@pytest.mark.parametrize("words", PROMISES)
def test_a_promise_stands_there_and_its_tests_exist(words: str) -> None:
    assert words in _words()
    assert [name for name in PROMISES[words] if name not in _tests()] == []


def test_each_point_that_is_special_is_a_promise_with_a_test() -> None:
    points = re.split(r"^- ", section(README, "What you won't find elsewhere"), flags=re.MULTILINE)[1:]
    assert len(points) > 5
    in_one_line = [" ".join(point.split()) for point in points]
    assert [point for point in in_one_line if not any(words in point for words in PROMISES)] == []


def test_the_keys_on_the_card_are_those_of_the_program() -> None:
    known = {display_key(key) for action in KEYMAP for key in action.keys}
    rows = table(section(README, "The keys on one card"), "key")
    named = [key for row in rows for cell in (row[0], row[2]) for key in codes(cell)]
    assert len(named) > 25
    assert [key for key in named if key not in known and not key.isdecimal()] == []
