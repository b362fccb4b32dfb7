"""A program of the config is bounded in time and output, and killed with all that it has started."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from frontdesk.config import program_runner
from frontdesk.config.program_runner import MAX_OUTPUT_BYTES, MadeOption, ProgramRun, fill_command, run_program
from tui.hosts import until

ENVIRON = {"PATH": os.environ["PATH"], "FRONTDESK_COOKIE": "secret", "PGPASSWORD": "secret"}


def run(*argv: str, sent: bytes = b"", timeout_seconds: float = 20.0, **added: str) -> ProgramRun:
    return asyncio.run(run_program(argv, ENVIRON, sent=sent, added=added, timeout_seconds=timeout_seconds))


def test_it_gets_its_input_and_no_secret_and_both_outputs_are_returned() -> None:
    code = "import os, sys; print(sys.stdin.read(), sorted(k for k in os.environ if k[:2] in ('FR', 'PG'))); "
    ended = run(sys.executable, "-c", f"{code} sys.stderr.write('oops')", sent=b"in", FRONTDESK_READ_ONLY="1")
    assert ended.output == b"in ['FRONTDESK_READ_ONLY']\n"
    assert ended.errors == b"oops"
    assert ended.problem == ""


def test_a_failure_is_a_sentence() -> None:
    assert run("sh", "-c", "exit 3").problem == "exited with status 3"
    assert run("sh", "-c", "kill -9 $$").problem == "was killed by signal 9"
    missing = run("no-such-program")
    assert (missing.problem, missing.is_started) == ("couldn't be started: No such file or directory", False)


def test_a_program_that_reads_no_input_is_no_failure() -> None:
    assert run("true", sent=b"x" * 5_000_000).problem == ""


def test_a_flood_is_ended() -> None:
    ended = run("yes")
    assert ended.problem == "printed more than 2 MB and was killed"
    assert len(ended.output) == MAX_OUTPUT_BYTES


def test_a_value_stays_within_its_argument() -> None:
    values = {"name": "a b; rm -rf ~ $(x) {value}\0\n", "value": "4.2", "campaign_id": "--c\ud800"}
    assert fill_command(["run", "-t", "{name}: {value} {other}", "x{campaign_id}", '{"n": 1}'], values) == [
        "run",
        "-t",
        "a b; rm -rf ~ $(x) {value}\n: 4.2 {other}",
        "x--c",
        '{"n": 1}',
    ]
    assert len(fill_command(["run", "{name}"], {"name": "x" * 10**6})[1]) == 1_000


@pytest.mark.parametrize("argument", ["{id}", "{kind}{id}", "{id} {kind}", "{words}{id}"])
@pytest.mark.parametrize("value", ["-x", "--output=/tmp/x", "\0-x", "\0\0-", "\ud800-x"])
def test_no_value_makes_an_option_of_an_argument(argument: str, value: str) -> None:
    with pytest.raises(MadeOption, match="its id begins with a dash, so"):
        fill_command(["run", argument], {"id": value, "kind": "", "words": "-"})


@pytest.mark.parametrize("argument", ["-{id}", "--id={id}", "-", "--"])
def test_an_option_of_the_configs_own_is_left(argument: str) -> None:
    assert fill_command(["run", argument], {"id": "-x"})[1] == argument.replace("{id}", "-x")


@pytest.mark.parametrize("text", ["- -x", "\0-x", "-\0-x", "\0 -\0- x"])
def test_a_text_loses_the_dashes_that_would_make_an_option(text: str) -> None:
    assert fill_command(["run", "{words}", "{name}"], {"words": text, "name": text}) == ["run", "x", "x"]


def is_alive(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().split(")")[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


STARTS = {
    "its group": "sleep 600 & echo $!; wait",
    "a session of their own": "setsid sleep 600 & echo $!; wait",
    "a session whose leader has ended": "setsid sh -c 'sleep 600 & echo $!'; sleep 600",
}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("started", STARTS.values(), ids=STARTS)
def test_one_that_hangs_is_killed_with_all_that_it_started(started: str) -> None:
    ended = run("sh", "-c", started, timeout_seconds=1.5)
    assert ended.problem == "took longer than 1.5 s and was killed"
    asyncio.run(until(lambda: not is_alive(int(ended.output))))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_its_group_is_killed_where_no_proc_tells_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_runner, "Path", lambda _: tmp_path)
    test_one_that_hangs_is_killed_with_all_that_it_started(STARTS["its group"])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_what_a_program_leaves_running_on_purpose_is_left_alone() -> None:
    ended = run("sh", "-c", "sleep 600 & echo $!")
    child = int(ended.output)
    try:
        assert ended.problem == ""
        assert is_alive(child)
    finally:
        os.kill(child, 9)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_cancelling_kills_it(tmp_path: Path) -> None:
    number = tmp_path / "number"

    async def test() -> None:
        argv = ["sh", "-c", f"echo $$ > {number}; exec sleep 600"]
        task = asyncio.create_task(run_program(argv, ENVIRON))
        await until(lambda: number.exists() and number.read_text().endswith("\n"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: not is_alive(int(number.read_text())))

    asyncio.run(test())
