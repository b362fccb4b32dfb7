"""Commands of the command line in the linear mode: what is one, what is asked first, and what is run."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import pytest

from frontdesk import __version__
from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.store import campaigns
from frontdesk.cli import main as cli_main
from frontdesk.cli.output import print_lines
from frontdesk.config.program_files import ProgramFiles
from frontdesk.engine.supervisor import EngineSupervisor
from frontdesk.linear import command_line as linear_command_line
from frontdesk.linear.app import LinearApp
from frontdesk.linear.command_line import find_arguments
from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.storage import record_lookup
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import SafeText, is_read_out, lay_out, set_terminal, terminal_kept, trusted
from frontdesk_lines.lines import span
from linear.running_session import Desktop

NOW = 1_700_000_000.0
TRIAL = [
    "Warning: nobody opted in.",
    "{",
    '  "name": "Spring", "customerList": [{}, {}], "workflowName": "W"',
    "}",
]


class Runs:
    """The command lines that were run, in place of processes."""

    def __init__(self) -> None:
        self.all: list[list[str]] = []
        self.status = 0

    def __call__(
        self, _session: object, arguments: Sequence[str], put: Callable[[SafeText], object]
    ) -> tuple[int, bool]:
        self.all.append(list(arguments))
        lines = TRIAL if "--dry-run" in arguments else [TRIAL[0], "Sent."]
        for line in lines:
            put(trusted(line))
        return self.status, True


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    made = Runs()
    monkeypatch.setattr(linear_command_line, "_run", made)
    return made


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("workflows list", ["workflows", "list"]),
        ('campaigns create --name "A b"', ["campaigns", "create", "--name", "A b"]),
        ("frontdesk stats 7", ["stats", "7"]),
        ("frontdesk", []),
        ("workflows", None),
        ("tasks 2", None),
        ("tasks this", None),
        ("campaigns by name", None),
        ("list mine", None),
    ],
)
def test_a_command_line_is_told_from_a_command_of_the_linear_mode(line: str, arguments: list[str] | None) -> None:
    word, _, words = line.partition(" ")
    assert find_arguments(word, words) == arguments


def test_a_quotation_mark_that_is_not_closed_is_said() -> None:
    with pytest.raises(NotUnderstood, match="isn't complete"):
        find_arguments("campaigns", 'create --name "A')


def test_a_campaign_is_sent_once_its_name_was_typed(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Spring\n")
    said = at.say("campaigns create --name Spring --list l.csv")
    assert "Campaign Spring: workflow W for 2 recipients, now." in said
    assert said.count(TRIAL[0]) == 1
    assert [each[-1] for each in runs.all] == ["--dry-run", "--yes"]
    assert "--again" not in runs.all[-1], "a script says it"


def test_a_person_who_reads_that_it_was_sent_before_types_its_name_alone(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Spring\n")
    at.console.is_typed = True
    at.say("campaigns create --name Spring --list l.csv")
    assert runs.all[-1][-2:] == ["--again", "--yes"]


def test_the_country_of_a_list_is_asked_for_until_it_is_said(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Spring\nSale\nService\nf1\npeople.csv\n\n\nIL\nnow\nSpring\n")
    workflow = {"id": "w1", "name": "Sale", "associatedToBusinessId": "L1"}
    at.store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, [workflow])).result()
    assert "Type an answer" in at.say("create")
    arguments = runs.all[0]
    assert arguments[arguments.index("--country") + 1] == "IL"


def test_a_campaign_is_asked_for_question_by_question(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Spring\nsal\nService\nf1\npeople.csv\nnone\n\nSpring\n")
    workflow = {"id": "w1", "name": "Sale", "associatedToBusinessId": "L1"}
    at.store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, [workflow])).result()
    said = at.say("create")
    for question in (
        "Name of the campaign:",
        "Known: Sale.",
        "Workflow, by its name or id:",
        "When: now, or a time",
    ):
        assert question in said
    assert runs.all[0][2:-1] == [
        *("--name", "Spring", "--workflow", "w1", "--line", "L1", "--folder", "f1"),
        *("--list", "people.csv", "--country", "none", "--at", "now"),
    ]


@pytest.mark.parametrize("country", ["Israel", "I1"])
def test_a_country_that_is_none_is_named_at_its_question(tmp_path: Path, runs: Runs, country: str) -> None:
    at = Desktop(tmp_path, lines=f"Spring\nSale\nService\nf1\npeople.csv\n{country}\n")
    workflow = {"id": "w1", "name": "Sale", "associatedToBusinessId": "L1"}
    at.store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, [workflow])).result()
    assert "Use two letters, such as IL, US or DE, or none." in at.say("create")
    assert runs.all == []


def test_the_answers_of_a_watched_campaign_are_kept_by_empty_lines(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Again\n\n\n\n#VIP\n\nAgain\n")
    workflow = {"id": "w1", "name": "Sale", "associatedToBusinessId": "L1"}
    raw = {"id": "c1", "name": "Old", "status": "completed", "workflowId": "w1", "folderId": "f1"}
    raw |= {"associatedToBusinessId": "L1"}

    def put(db: apsw.Connection) -> None:
        record_lookup.replace_all(db, record_lookup.WORKFLOW, [workflow])
        campaigns.watch(db, [CampaignId("c1")], NOW)
        campaigns.put(db, CampaignId("c1"), campaigns.prepare(raw), NOW)

    at.store.write(put).result()
    said = at.say("campaigns", "clone 1")
    assert "Line to send from (now: L1):" in said
    assert runs.all[0][2:10] == ["--name", "Again", "--workflow", "w1", "--line", "L1", "--folder", "f1"]
    assert runs.all[0][10:-1] == ["--tag", "vip", "--at", "now"]


def test_nothing_is_sent_with_another_name_or_after_a_failed_trial(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="Sprung\n")
    assert "Nothing was sent." in at.say("campaigns create --name Spring --list l.csv")
    runs.status = 2
    at.say("campaigns create --name Spring --list l.csv", "workflows reset-analytics w1", "webhooks delete h1")
    assert all("--yes" not in each for each in runs.all)
    assert at.console.has_failed


def test_after_an_upgrade_a_line_says_so_and_does_nothing(
    tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Desktop(tmp_path)
    monkeypatch.setattr(ProgramFiles, "check", lambda _: True)
    at.app = LinearApp(at.session_services, lambda report, *_: EngineSupervisor(lambda: None, report))
    for line in ("list", "workflows list", "help"):
        assert at.say(line) == "frontdesk was updated; quit and start it again. Nothing was done.\n"
    assert not runs.all
    assert at.console.has_failed
    at.say("quit")
    assert at.app.session.is_over


def test_a_script_that_says_yes_is_not_asked(tmp_path: Path, runs: Runs) -> None:
    Desktop(tmp_path).say("workflows reset-analytics w1 --yes", "workflows activate w1")
    assert runs.all == [["workflows", "reset-analytics", "w1", "--yes"], ["workflows", "activate", "w1"]]


def test_a_person_is_asked_before_a_macro_whose_tags_are_sent_at_once(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path, lines="n\n")
    at.console.is_typed = True
    assert "Canceled. Nothing was sent." in at.say("macros run wait t1")
    assert runs.all == []


def test_what_needs_a_terminal_or_would_show_names_is_refused(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path)
    assert "frontdesk login can't run in linear mode; run it in your shell" in at.say("frontdesk login")
    assert "frontdesk config edit can't run" in at.say("config edit")
    assert "frontdesk demo can't run" in at.say("frontdesk --profile acme --read-only demo --linear")
    assert "frontdesk --read-only can't run" in at.say("frontdesk --read-only")
    at.say("privacy on")
    assert "type privacy off first" in at.say("workflows list")
    at.say("privacy off")
    assert not runs.all


def test_a_row_of_a_list_stands_for_its_id(tmp_path: Path, runs: Runs) -> None:
    at = Desktop(tmp_path)
    for each in ("c-1", "c-2"):
        CampaignCommands(at.services.store).watch(CampaignId(each))
    at.services.store.flush().result()
    at.say("campaigns", "compare 1,2", "failures 2 --budget 5", "failures", "versions 1")
    assert runs.all == [["campaigns", "compare", "c-1", "c-2"], ["campaigns", "failures", "c-2", "--budget", "5"]]


def test_a_command_runs_in_this_process_and_leaves_it_as_it_was(at_home: None, tmp_path: Path) -> None:
    at = Desktop(tmp_path / "store")
    before = (dict(os.environ), sys.stdin, sys.stdout, is_read_out())
    assert at.say("frontdesk --version") == f"frontdesk {__version__}\n"
    assert at.say("tasks list --help").startswith("Usage: frontdesk tasks list [OPTIONS]\n\n  List all")
    assert "defaults apply" in at.say("config check")
    assert at.say("frontdesk tasks list --limit nonsense").startswith("Invalid value for '--limit'")
    assert at.console.has_failed
    assert "No profile named 'acme'" in at.say("tasks list")
    assert (dict(os.environ), sys.stdin, sys.stdout, is_read_out()) == before


def test_a_command_that_is_interrupted_says_so(
    at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_main, "_dispatch", interrupt)
    assert Desktop(tmp_path / "store").say("tasks list") == "Stopped.\n"


def test_a_command_that_draws_lines_leaves_the_terminal_as_it_was(
    at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(_: object) -> int:
        print_lines([(span("a"),)])
        set_terminal(reads_out=True, emoji_as_text=True)
        return 0

    monkeypatch.setattr(cli_main, "_dispatch", draw)
    with terminal_kept():
        set_terminal(lays_out=False)
        assert Desktop(tmp_path / "store").say("workflows compare w1") == "a\n"
        assert lay_out("\u05d0 1") == "\u05d0 1"
        assert not is_read_out()


def test_no_other_variable_is_missing_while_a_command_ends(
    at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_some(_: object) -> int:
        os.environ |= {"FRONTDESK_PROFILE": "other", "HOME": "elsewhere"}
        return 0

    removed: list[bytes] = []
    before = dict(os.environ)
    monkeypatch.setattr(cli_main, "_dispatch", set_some)
    monkeypatch.setattr(os, "unsetenv", removed.append)
    Desktop(tmp_path / "store").say("tasks list")
    assert dict(os.environ) == before
    assert removed == [b"FRONTDESK_PROFILE"]


def test_lines_that_nobody_reads_any_more_end_the_command_and_the_linear_mode(
    at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Desktop(tmp_path / "store")

    def write(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(at.console, "write", write)
    with pytest.raises(BrokenPipeError):
        at.say("frontdesk --help")


def test_ctrl_c_ends_a_command_in_order(at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    async def wait() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("in order")
            raise

    monkeypatch.setattr(cli_main, "_dispatch", lambda _: asyncio.run(wait()))
    before = signal.signal(signal.SIGINT, lambda *_: signal.default_int_handler(*_))
    try:
        at = Desktop(tmp_path / "store")
        mine = signal.getsignal(signal.SIGINT)
        assert at.say("tasks list") == "Stopped.\n"
        assert ended == ["in order"]
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)
