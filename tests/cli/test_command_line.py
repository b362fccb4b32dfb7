"""Exit statuses, the one line on standard error, and what never happens."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk import __version__
from frontdesk.cli.commands import _refuse_blank
from frontdesk.cli.errors import CommandFailed
from sample_json import campaign_body

COMMANDS = ["tasks", "messages", "tags", "campaigns", "workflows", "agents", "webhooks", "outbox"]
COMMANDS += ["login", "doctor", "sandbox", "demo", "sync", "docs"]


def test_help_names_every_command_and_version_the_version(nowhere: Frontdesk) -> None:
    words = nowhere("--help").out
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", words, re.MULTILINE)
    assert nowhere("--version").out == nowhere("-V").out == f"frontdesk {__version__}\n"
    assert "update" in nowhere("tasks", "--help").out
    assert nowhere("demo", "--help").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ["nope"],
        ["tasks", "nope"],
        ["tasks", "list", "--nope"],
        ["tasks", "list", "--limit", "0"],
        ["tasks", "list", "--limit", "x"],
        ["tasks", "show"],
        ["campaigns", "watch", "c", "--whole"],
        ["messages", "list", "only-one"],
        ["campaigns", "create"],
        ["sandbox", "--size", "huge"],
        ["sandbox", "--port", "70000"],
    ],
)
def test_a_wrong_command_line_is_one_line_and_2(nowhere: Frontdesk, words: list[str]) -> None:
    assert "--help" in nowhere.fails(2, *words)


def test_a_group_alone_shows_its_help(nowhere: Frontdesk) -> None:
    typed = nowhere("tasks")
    assert (typed.status, typed.err) == (2, "")
    assert "update" in typed.out


class TestStatuses:
    def test_no_profile_is_2_and_says_how_to_begin(self, nowhere: Frontdesk) -> None:
        assert "frontdesk login" in nowhere.fails(2, "tasks", "list")
        assert "other" in nowhere.fails(2, "--profile", "other", "tasks", "list")

    @pytest.mark.parametrize(
        "environ",
        [
            {"FRONTDESK_COOKIE": ""},
            {"FRONTDESK_API_KEY": ""},
            {"FRONTDESK_COOKIE": "token=wrong"},
            {"FRONTDESK_API_KEY": "wrong"},
            {"FRONTDESK_COOKIE": "a\nb"},
        ],
    )
    def test_credentials_missing_refused_or_broken_are_3(
        self, frontdesk: Frontdesk, environ: dict[str, str]
    ) -> None:
        frontdesk.fails(3, "tasks", "list", **environ)

    def test_a_bearer_is_needed_for_webhooks_alone(self, frontdesk: Frontdesk) -> None:
        assert "Bearer" in frontdesk.fails(3, "webhooks", "delete", "x", "--yes", FRONTDESK_BEARER="")
        assert frontdesk("tasks", "list", "--limit", "1", FRONTDESK_BEARER="").status == 0

    @pytest.mark.parametrize(
        "fault",
        [
            {"kind": "status", "status": 429, "headers": {"Retry-After": "3600"}},
            {"kind": "status", "status": 302, "headers": {"Location": "http://evil.test"}},
        ],
    )
    def test_a_platform_that_does_not_serve_is_4(
        self, frontdesk: Frontdesk, service: SandboxService, fault: dict[str, Any]
    ) -> None:
        service.faults({"path": "/tasks", **fault})
        frontdesk.fails(4, "tasks", "list")

    @pytest.mark.parametrize(
        ("headers", "said"), [({"Retry-After": "3600"}, "asked for 3,600 seconds"), ({}, "didn't say how long")]
    )
    def test_too_many_requests_say_how_long_to_wait(
        self, frontdesk: Frontdesk, service: SandboxService, headers: dict[str, str], said: str
    ) -> None:
        service.faults({"path": "/tasks", "kind": "status", "status": 429, "headers": headers})
        words = frontdesk.fails(4, "tasks", "update", "t", "--title", "x")
        assert "too many requests" in words
        assert words.endswith(f"the platform {said}")

    def test_an_option_behind_the_command_is_told_its_place(self, frontdesk: Frontdesk) -> None:
        words = frontdesk.fails(2, "tasks", "update", "t", "--title", "x", "--read-only")
        assert words.endswith("--read-only here; it goes before the command: `frontdesk --read-only …`")

    def test_a_platform_that_fails_for_a_moment_is_asked_again(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        service.faults({"path": "/tasks", "kind": "status", "status": 503, "times": 1})
        assert frontdesk("tasks", "list", "--limit", "1").status == 0

    def test_nobody_at_the_address_is_4(self, frontdesk: Frontdesk) -> None:
        assert "127.0.0.1:1" in frontdesk.fails(
            4, "tasks", "update", "t", "--title", "x", FRONTDESK_BASE_URL="http://127.0.0.1:1"
        )

    def test_http_to_another_machine_is_2(self, frontdesk: Frontdesk) -> None:
        words = frontdesk.fails(2, "tasks", "list", FRONTDESK_BASE_URL="http://example.com")
        assert words.startswith("FRONTDESK_BASE_URL: ")

    def test_our_own_fault_is_one_line_with_the_log_and_no_secret(
        self, frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def fault(*_: object) -> None:
            raise RuntimeError("token=sandbox in the middle")

        monkeypatch.setattr("frontdesk.library.load_config", fault)
        words = frontdesk.fails(1, "tasks", "list")
        log = tmp_path / "state" / "frontdesk" / "crash.log"
        assert str(log) in words
        assert "RuntimeError" in log.read_text()
        assert "token=sandbox" not in log.read_text()
        assert log.stat().st_mode & 0o777 == 0o600


def test_an_insecure_credentials_file_is_refused_with_the_chmod_to_run(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    assert frontdesk("login", "here").status == 0
    file = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "credentials.toml"
    file.chmod(0o644)
    for name in ("FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BASE_URL", "FRONTDESK_BEARER"):
        del frontdesk.environ[name]
    assert f"chmod 600 {file}" in frontdesk.fails(3, "tasks", "list")


def test_credentials_do_not_follow_an_edited_address(frontdesk: Frontdesk, service: SandboxService) -> None:
    assert frontdesk("login", "here").status == 0
    config = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    for name in ("FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BASE_URL", "FRONTDESK_BEARER"):
        del frontdesk.environ[name]
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        elsewhere = f"http://127.0.0.1:{other.getsockname()[1]}"
        config.write_text(config.read_text().replace(service.url, elsewhere))
        for words in (["tasks", "list"], ["sync"], ["workflows", "list"]):
            assert f"entered for {service.url}, not for {elsewhere}" in frontdesk.fails(3, *words)
        typed = frontdesk("doctor")
        with pytest.raises(BlockingIOError):  # nobody connected
            other.accept()
    assert typed.status == 3
    assert "run `frontdesk login here`" in typed.out


@pytest.mark.parametrize(
    "words",
    [
        ("tasks", "list", "--phone", ""),
        ("tasks", "show", " "),
        ("tasks", "update", "t1", "--status="),
        ("messages", "list", "", "c"),
        ("tags", "assign", "a#b", "t", ""),
        ("campaigns", "get", ""),
        ("campaigns", "create", "--name", "x", "--folder", ""),
        ("campaigns", "report", "--since", ""),
        ("workflows", "create", "w", "--folder", "", "--file", "f"),
        ("workflows", "activate", ""),
        ("agents", "show", ""),
        ("webhooks", "delete", "", "--yes"),
        ("login", "--base-url", ""),
    ],
    ids=" ".join,
)
def test_an_empty_value_is_refused_before_anything_is_asked(
    frontdesk: Frontdesk, service: SandboxService, words: tuple[str, ...]
) -> None:
    before = service.control("requests", method="GET")
    assert "can't be empty" in frontdesk.fails(2, *words)
    assert service.control("requests", method="GET") == before


@pytest.mark.parametrize("before", [(), ("--profile", "tests"), ("--profile=tests",)], ids=" ".join)
def test_options_before_a_command_dont_change_what_may_be_empty(before: tuple[str, ...]) -> None:
    _refuse_blank([*before, "tasks", "update", "t1", "--conversation", ""])
    with pytest.raises(CommandFailed, match="--conversation can't be empty"):
        _refuse_blank([*before, "tasks", "list", "--conversation", ""])
    with pytest.raises(CommandFailed, match="--profile can't be empty"):
        _refuse_blank(["--profile", "", "tasks", "update", "t1"])


def test_a_width_comes_with_a_profile_and_only_in_linear_mode(frontdesk: Frontdesk) -> None:
    assert "no profile named 'x'" in frontdesk.fails(2, "--profile", "x", "--linear", "--width", "40")
    assert "--linear" in frontdesk.fails(2, "--profile", "x", "--width", "40")


@pytest.mark.parametrize(
    "words",
    [
        ("tasks", "list"),
        ("tasks", "update", "t1", "--due", "tomorrow 9am"),
        ("campaigns", "report"),
        ("search", "dana"),
        ("outbox", "list"),
        ("--linear",),
        ("demo", "--linear"),
    ],
    ids=" ".join,
)
def test_an_unknown_time_zone_is_refused_before_anything_is_asked(
    frontdesk: Frontdesk, service: SandboxService, words: tuple[str, ...]
) -> None:
    before = service.control("requests", method="GET")
    assert "TZ is 'Foo/Bar', which isn't a time zone" in frontdesk.fails(2, *words, TZ="Foo/Bar")
    assert service.control("requests", method="GET") == before


def test_strangers_text_reaches_no_terminal_raw(frontdesk: Frontdesk, service: SandboxService) -> None:
    hostile = "\x1b]52;c;aGk=\x07\x9b31m\u202eevil\r\nsecond"
    made = service.control("tasks", {"title": hostile, "statusCase": "open", "phoneNumberId": "442079460018"})
    task = made.get("taskId") or made["task"]["taskId"]
    for words in (
        ["tasks", "show", task],
        ["tasks", "list"],
        ["tasks", "show", task, "--json"],
        ["tasks", "list", "--json"],
    ):
        out = frontdesk(*words).out
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert frontdesk("tasks", "show", task, "--json").row["title"] == hostile
    assert "\x1b" not in frontdesk.fails(1, "tasks", "show", "\x1b[31mx")


class TestAsAProcess:
    """What only a process of its own shows: pipes and signals."""

    def start(self, frontdesk: Frontdesk, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "frontdesk", *words],
            env=frontdesk.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @pytest.mark.slow
    def test_a_reader_that_has_enough_is_no_failure(self, frontdesk: Frontdesk) -> None:
        process = self.start(frontdesk, "tasks", "list", "--json")
        assert process.stdout is not None
        assert process.stdout.readline().startswith("{")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(20) == 0
        process.stderr.close()

    @pytest.mark.slow
    def test_an_interrupt_is_130_without_a_traceback(self, frontdesk: Frontdesk, service: SandboxService) -> None:
        running = sandbox_campaign(frontdesk)
        process = self.start(frontdesk, "campaigns", "watch", running)
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "Traceback" not in err

    @pytest.mark.slow
    @pytest.mark.parametrize("whole", [[], ["--whole"]])
    def test_a_watched_list_is_printed_once_unless_the_whole_is_wanted(
        self, frontdesk: Frontdesk, service: SandboxService, whole: list[str]
    ) -> None:
        name = f"long-{os.getpid()}-{len(whole)}"
        people = [{"phoneNumberId": f"97254{number:07}"} for number in range(1000)]
        text = json.dumps(campaign_body(name, customerList=people))
        assert frontdesk("campaigns", "create", "--file", "-", stdin=text).status == 0
        process = self.start(frontdesk, "campaigns", "watch", name, "--json", "--every", "0.1", *whole)
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["customerList"] == people
        service.control(f"campaigns/{name}/stop")
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (1, "")
        (line,) = out.splitlines()
        last = json.loads(line)
        assert (last["id"], last["status"], last["pendingCount"]) == (name, "stopped", first["pendingCount"])
        if whole:
            assert last["customerList"] == people
        else:
            assert len(line.encode()) < 1000

    @pytest.mark.slow
    def test_names_in_any_script_are_printed_on_an_ascii_terminal(self, frontdesk: Frontdesk) -> None:
        frontdesk.environ |= {"PYTHONIOENCODING": "ascii"}
        process = self.start(frontdesk, "tasks", "list")
        out, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, "")
        assert out.isascii()


def sandbox_campaign(frontdesk: Frontdesk) -> str:
    """A campaign that stays pending, since nothing moves by itself."""
    name = f"still-{os.getpid()}"
    assert frontdesk("campaigns", "create", "--file", "-", stdin=json.dumps(campaign_body(name))).status == 0
    return name
