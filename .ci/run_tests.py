"""Run the tests in two tiers; `.ci/run` calls it with the README's test command.

    .venv/bin/python .ci/run_tests.py .venv/bin/pytest

The quick tier is that command; the slower tier is the rest. What fails is run once more, if pytest ended with
status 1 and every collected test ran: a fault fails again, and a test that only met a busy machine is named.
`tests/completeness.py` leaves the record of each run that this is decided by. The exit status is 1 if a test
failed twice, or any test did not run: a skipped one only if `MAY_BE_SKIPPED` doesn't name it.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SLOWER = ["-m", "lab or pty or slow", "--dist", "loadgroup"]
"""What the default of pyproject.toml leaves out; some of it must share a worker."""

RECORD = Path(".pytest_cache/v/frontdesk/run")
"""Where tests/completeness.py leaves the record of a run."""

MAY_BE_SKIPPED = {
    "tests/terminal/test_ssh.py::test_work_outlives_a_lost_line": "it needs OpenSSH's server and client",
    "tests/lab/faults/test_disk.py::test_a_disk_that_is_really_full": "only root may mount a disk",
    "tests/lab/faults/test_disk.py::test_starting_on_a_full_disk_says_so_in_a_line": "the same",
    "tests/sandbox/test_bad_input.py::test_big_bodies_are_not_kept": "it reads /proc, which only Linux has",
    "tests/docs_checks/test_man_page.py::test_groff_has_no_warning_and_shows_every_option_as_it_is_typed": (
        "it needs groff"
    ),
    "tests/docs_checks/test_man_page.py::test_man_finds_the_page_beside_the_folder_of_the_command": "it needs man",
    "tests/cli/test_shell_completion.py::test_zsh": "the shell may not be installed",
    "tests/cli/test_shell_completion.py::test_fish": "the same",
    "tests/docs_checks/test_administrators.py::test_the_unit_of_the_service_is_one": "it needs systemd",
    "tests/docs_checks/test_administrators.py::"
    "test_a_backup_of_an_open_store_has_what_is_in_its_log_alone_and_can_be_restored": "it needs SQLite's shell",
    **dict.fromkeys(
        (
            "tests/terminal/test_web.py::test_a_task_is_completed_with_keys_alone_and_nothing_leaves_loopback",
            "tests/terminal/test_web.py::test_each_tab_is_a_screen_of_its_own_and_ends_with_it",
            "tests/terminal/test_web.py::test_a_strangers_text_stays_text_in_the_page",
            "tests/terminal/test_web.py::test_no_hard_string_moves_a_cell_in_the_browsers_terminal",
        ),
        "it needs Chromium, which .ci/run installs where it may",
    ),
    **dict.fromkeys(
        (
            "tests/app/test_scripts.py::test_who_waits_longest",
            "tests/app/test_scripts.py::test_a_look_before_a_change",
            "tests/app/test_scripts.py::test_what_a_filter_finds_is_completed",
            "tests/app/test_scripts.py::test_five_conversations_are_given",
            "tests/app/test_scripts.py::test_each_conversation_of_a_list_is_tagged",
            "tests/app/test_scripts.py::test_what_can_wait_is_snoozed",
            "tests/app/test_scripts.py::test_a_script_stops_when_something_is_wrong",
            "tests/app/test_recipes.py::test_a_ticket",
            "tests/app/test_recipes.py::test_a_summary",
            "tests/app/test_recipes.py::test_a_report_to_a_chat",
        ),
        "it needs jq",
    ),
    **dict.fromkeys(
        (
            "tests/relay/test_tls.py::test_a_certificate_of_the_named_authority_is_taken",
            "tests/relay/test_tls.py::test_a_certificate_of_another_authority_is_refused",
            "tests/relay/test_tls.py::test_a_certificate_for_another_name_is_refused",
            "tests/relay/test_tls.py::test_a_server_without_tls_is_refused",
            "tests/relay/test_tls.py::test_a_weaker_mode_is_refused",
        ),
        "it needs a PostgreSQL built with TLS, which PyPI's isn't, and an address besides loopback",
    ),
    **dict.fromkeys(
        (
            "tests/relay/test_pooler.py::test_desks_share_few_sessions_and_each_gets_its_own_answers",
            "tests/relay/test_pooler.py::test_desks_lead_and_follow_and_notice_a_restore_without_notices",
            "tests/relay/test_pooler.py::test_the_owner_sets_a_team_up_through_it",
            "tests/relay/test_pooler.py::test_doctor_names_the_pooler_and_the_encryption_of_the_way_to_it",
        ),
        "it needs pgbouncer, which .ci/run installs where it may",
    ),
    **dict.fromkeys(
        (
            "tests/config/test_file_access.py::test_a_folder_or_link_of_another_user_is_refused_too",
            "tests/relay/test_login.py::test_another_users_server_at_a_socket_is_refused",
        ),
        "only root can give a file or a socket to another user",
    ),
}
"""Tests that a developer's machine need not be able to run, and why; a parametrized one is named without its
parameters."""

TIER_SECONDS = 14_400 if os.environ.get("LAB") == "all" else 1800
"""A tier that takes longer hangs: outside a test's own function nothing else ends it."""

OK, TESTS_FAILED = 0, 1


class Broken(Exception):
    """A run of pytest that proves nothing: the words say why."""


@dataclass(frozen=True)
class Run:
    """One run of pytest that ran every test that it collected."""

    status: int
    collected: list[str]
    failed: list[str]
    skipped: dict[str, str]


def main(command: list[str]) -> int:
    """Run both tiers; answers the exit status."""
    problems: list[str] = []
    flaky: list[str] = []
    collected: list[str] = []
    skipped: dict[str, str] = {}
    for tier, options in (("quick", []), ("slower", SLOWER)):
        try:
            first = _run(f"{tier} tests", [*command, *options])
            collected += first.collected
            skipped |= first.skipped
            if first.status == TESTS_FAILED:
                _run_again(tier, [*command, *options], first)
                flaky += first.failed
        except Broken as broken:
            problems.append(f"{tier} tests: {broken}")
    for test, reason in skipped.items():
        print(f"skipped: {test}: {reason}")
        if test.partition("[")[0] not in MAY_BE_SKIPPED:
            problems.append(f"skipped, and not named in {Path(__file__).name}: {test}")
    for test in flaky:
        print(f"passed at the second try: {test}")
    for problem in problems:
        print(f"FAILED {problem}")
    if not problems:
        ran = sum(test not in skipped for test in collected)
        print(
            f"all {ran} tests ran" if not skipped else f"{ran} of {len(collected)} tests ran, the rest was skipped"
        )
    return 1 if problems else 0


def _run_again(tier: str, command: list[str], first: Run) -> None:
    """Run exactly what failed.

    Raises:
        Broken: something failed again, or something else was run.
    """
    if not first.failed:
        raise Broken("pytest ended with 1 and no test failed")
    second = _run(f"{tier} tests that failed, once more", [*command, *first.failed])
    if second.failed or second.status != OK:
        raise Broken(f"failed twice: {', '.join(second.failed)}")
    if second.skipped:
        raise Broken(f"failed, and skipped at the second try: {', '.join(second.skipped)}")
    if sorted(second.collected) != sorted(first.failed):
        raise Broken(f"the second try ran {sorted(second.collected)}, not {sorted(first.failed)}")


def _run(title: str, command: list[str]) -> Run:
    """Run pytest, its output as it is.

    Raises:
        Broken: it ended otherwise than with passed and failed tests, or some did not run.
    """
    print(f"\n== {title} ({time.monotonic() - STARTED:.0f}s)", flush=True)
    status, record = _pytest(command)
    if status not in (OK, TESTS_FAILED) or not record["is_complete"]:
        ran = f"{record['ran']} of {len(record['collected'])} collected tests"
        raise Broken(f"pytest ended with status {status} and ran {ran}")
    return Run(status, record["collected"], record["failed"], record["skipped"])


def _pytest(command: list[str]) -> tuple[int, dict[str, Any]]:
    RECORD.unlink(missing_ok=True)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        status = process.wait(TIER_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        raise Broken(f"not ended after {TIER_SECONDS} s: {shlex.join(command)[:200]}") from None
    except KeyboardInterrupt:
        _end(process)
        raise
    try:
        return status, json.loads(RECORD.read_text())
    except (OSError, ValueError):
        raise Broken(f"pytest ended with status {status} and left no record of its run") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt pytest, so that it says how far it came, and kill it if it doesn't end."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


STARTED = time.monotonic()

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
