"""login and doctor: what is stored and where, what is tried, what is said."""

import os
import pty
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.storage.database_files import StoreUnusable, open_reader
from frontdesk_api.client import transport
from lab.faults.replaced_files import DATABASES, LOCKS, NO_FILES, replace


def folder(frontdesk: Frontdesk) -> Path:
    return Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"


SECRETS = ("FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BEARER")


class TestLogin:
    def test_without_a_terminal_it_takes_options_and_secrets_from_the_environment(
        self, frontdesk: Frontdesk, service: SandboxService
    ) -> None:
        del frontdesk.environ["FRONTDESK_BASE_URL"]
        typed = frontdesk(
            "login", "acme", "--base-url", service.url, "--agent-id", "agent-noa", "--line", "972=Shop"
        )
        assert typed.status == 0
        assert "accepted the credentials" in typed.out
        config = tomllib.loads((folder(frontdesk) / "config.toml").read_text())
        assert config["default_profile"] == "acme"
        assert config["profiles"]["acme"] == {
            "base_url": service.url,
            "agent_id": "agent-noa",
            "lines": [{"id": "972", "label": "Shop"}],
        }
        for name in SECRETS:
            del frontdesk.environ[name]
        assert frontdesk("tasks", "list", "--limit", "1").status == 0
        assert frontdesk("--profile", "acme", "tasks", "list", "--limit", "1").status == 0

    def test_secrets_are_apart_from_the_config_and_private(self, frontdesk: Frontdesk) -> None:
        typed = frontdesk("login")
        assert "Of your Cookie, frontdesk hides token in error messages only" in typed.out
        assert "The x-api-key is too short to be recognized in all text" in typed.out
        assert "sandbox-key" not in (folder(frontdesk) / "config.toml").read_text()
        assert "sandbox-key" in (folder(frontdesk) / "credentials.toml").read_text()
        assert (folder(frontdesk) / "credentials.toml").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize(
        ("environ", "status"),
        [({"FRONTDESK_COOKIE": "token=wrong"}, 3), ({"FRONTDESK_BASE_URL": "http://127.0.0.1:1"}, 4)],
    )
    def test_what_does_not_work_is_stored_only_when_asked(
        self, frontdesk: Frontdesk, environ: dict[str, str], status: int
    ) -> None:
        assert "can't sign in" in frontdesk.fails(status, "login", **environ)
        assert not folder(frontdesk).exists()
        assert frontdesk("login", "--store-anyway", **environ).status == 0
        assert (folder(frontdesk) / "credentials.toml").exists()

    def test_credentials_in_a_pipe_are_refused_and_kept_ones_are_called_so(self, frontdesk: Frontdesk) -> None:
        assert frontdesk("login", "acme").status == 0
        for name in SECRETS:
            del frontdesk.environ[name]
        before = (folder(frontdesk) / "credentials.toml").read_text()
        for words in (["login", "acme", "--rotate"], ["login", "acme"]):
            failed = frontdesk.fails(2, *words, stdin="token=bad\nbad-key\n\n")
            assert "nothing was changed: credentials aren't read from a pipe" in failed
        typed = frontdesk("login", "acme", "--agent-id", "agent-noa", stdin="token=bad\nbad-key\n\n")
        assert typed.status == 0
        assert "Kept the credentials saved before" in typed.out
        assert (folder(frontdesk) / "credentials.toml").read_text() == before

    @pytest.mark.parametrize(
        ("words", "environ", "status"),
        [
            (["login"], {"FRONTDESK_BASE_URL": ""}, 2),
            (["login", "--base-url", "http://example.com"], {}, 2),
            (["login", "a/b"], {}, 2),
            (["login", "--line", "972"], {}, 2),
            (["login"], {"FRONTDESK_COOKIE": ""}, 2),
            (["login"], {"FRONTDESK_COOKIE": "a\nb"}, 3),
        ],
    )
    def test_wrong_input_stores_nothing(
        self, frontdesk: Frontdesk, words: list[str], environ: dict[str, str], status: int
    ) -> None:
        frontdesk.fails(status, *words, **environ)
        assert not folder(frontdesk).exists()

    @pytest.mark.slow
    def test_in_a_terminal_it_asks_and_never_shows_a_secret(
        self, nowhere: Frontdesk, service: SandboxService
    ) -> None:
        main, side = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "frontdesk", "login", "typed"],
            env=nowhere.environ,
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
        )
        os.close(side)
        # Six questions with a default of enter, three hidden ones, agent and lines at the end.
        answers = [
            ("Platform address", "ftp://no"),
            ("Platform address", service.url),
            *((f"Address for {part}", "") for part in ("campaigns", "workflows", "tasks", "AI agents")),
            ("Cookie", "token=sandbox"),
            ("x-api-key", "sandbox-key"),
            ("Bearer", ""),
            ("agent id", "agent-noa"),
            ("Lines", "1=One, 2=Two"),
        ]
        screen = ""
        for question, answer in answers:
            while question not in screen.rpartition("\n")[2]:
                screen += os.read(main, 4096).decode()
            os.write(main, f"{answer}\n".encode())
            screen += "\n"
        try:
            while more := os.read(main, 4096):
                screen += more.decode()
        except OSError:  # Linux's way to say that the other side is closed
            pass
        os.close(main)
        assert process.wait(20) == 0
        assert "token=sandbox" not in screen
        assert "sandbox-key" not in screen
        stored = tomllib.loads((folder(nowhere) / "config.toml").read_text())["profiles"]["typed"]
        assert [line["label"] for line in stored["lines"]] == ["One", "Two"]


class TestDoctor:
    def test_all_is_well_line_by_line(self, frontdesk: Frontdesk) -> None:
        typed = frontdesk("doctor")
        assert typed.status == 0
        assert "of your Cookie, frontdesk hides token in error messages only" in typed.out
        assert "warn  credentials the x-api-key is too short to be recognized in all text" in typed.out
        subjects = [line.split()[1] for line in typed.out.splitlines()]
        hosts = ["base", "campaigns", "workflows", "business", "ai"]
        hosts += ["clock", "time", "terminal", "store"]
        assert subjects == ["config", "pace", "credentials", "credentials", *hosts]
        assert "3,000 requests a minute, since all hosts are on this machine; if that is a tunnel" in typed.out

    @pytest.mark.parametrize(("ahead", "words"), [(7_200, "2 h ahead of"), (-7_200, "2 h behind"), (30, "")])
    def test_a_clock_that_is_off_is_said(
        self, frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch, ahead: int, words: str
    ) -> None:
        now = time.time
        monkeypatch.setattr(transport, "time", SimpleNamespace(time=lambda: now() + ahead))
        typed = frontdesk("doctor")
        assert typed.status == 0
        assert ("warn  clock" in typed.out) == bool(words)
        assert f"this machine's clock is {words}" in typed.out

    @pytest.mark.parametrize(
        ("environ", "status", "subject"),
        [
            ({"FRONTDESK_COOKIE": ""}, 3, "credentials"),
            ({"FRONTDESK_COOKIE": "token=wrong"}, 3, "business"),
            ({"FRONTDESK_AI_URL": "http://127.0.0.1:1"}, 4, "ai"),
            ({"FRONTDESK_BASE_URL": "http://example.com"}, 2, "config"),
            ({"FRONTDESK_BASE_URL": ""}, 2, "config"),
            ({"XDG_DATA_HOME": "/dev/null"}, 1, "store"),
            ({"TZ": "Foo/Bar"}, 2, "time"),
        ],
    )
    def test_what_fails_is_said_and_the_status_is_not_0(
        self, frontdesk: Frontdesk, environ: dict[str, str], status: int, subject: str
    ) -> None:
        typed = frontdesk("doctor", **environ)
        assert typed.status == status
        assert subject in {line.split()[1] for line in typed.out.splitlines() if line.startswith("FAIL")}

    @pytest.mark.parametrize(("zone", "offset"), [("EST5", "-05:00"), (":Asia/Kolkata", "+05:30"), ("", "+00:00")])
    def test_the_time_zone_is_shown(self, frontdesk: Frontdesk, zone: str, offset: str) -> None:
        (line,) = [each for each in frontdesk("doctor", TZ=zone).out.splitlines() if "time zone" in each]
        assert line.startswith("ok")
        assert f"UTC{offset}" in line

    def test_commands_and_hooks_that_cannot_be_used_are_named(self, frontdesk: Frontdesk) -> None:
        folder(frontdesk).mkdir(parents=True)
        (folder(frontdesk) / "config.toml").write_text(
            '[[commands]]\nname = "Down"\nkey = "j"\nrun = ["sh"]\n'
            '[[commands]]\nname = "Gone"\nkey = "f7"\nrun = ["no-such-program"]\n'
            '[[hooks]]\non = "mail"\nrun = ["sh"]\n'
        )
        typed = frontdesk("doctor")
        assert typed.status == 2
        found = [line for line in typed.out.splitlines() if "commands (" in line or "hooks[" in line]
        assert [line.split()[0] for line in found] == ["FAIL", "FAIL", "warn"]
        assert "config.toml, line 10: hooks[0].on: expected one of" in found[0]
        assert (
            'config.toml, line 3: commands (Down).key: j is already the key of "Next row or message"' in found[1]
        )
        assert "config.toml, line 8: commands (Gone).run: can't run no-such-program" in found[2]

    def test_a_key_that_nobody_reads_is_a_warning(self, frontdesk: Frontdesk) -> None:
        folder(frontdesk).mkdir(parents=True)
        (folder(frontdesk) / "config.toml").write_text('[settings]\nthem = "dark"\n')
        typed = frontdesk("doctor")
        assert typed.status == 0
        assert "settings.them" in typed.out

    def test_a_view_that_cannot_be_read_is_named_by_its_key(self, frontdesk: Frontdesk) -> None:
        folder(frontdesk).mkdir(parents=True)
        text = '[[settings.views]]\nname = "late"\nmatch = "is:latte"\n'
        (folder(frontdesk) / "config.toml").write_text(text)
        typed = frontdesk("doctor")
        assert typed.status == 2
        assert "settings.views[0].match: is:latte isn't one of mine" in typed.out

    def test_a_service_clock_that_cannot_be_used_is_named_and_nothing_else_stops(
        self, frontdesk: Frontdesk
    ) -> None:
        folder(frontdesk).mkdir(parents=True)
        config = folder(frontdesk) / "config.toml"
        good = 'name = "Service"\nzone = "Europe/Rome"\nfirst_response = "1h"\n'
        config.write_text(f'[[sla]]\n{good}hours = ["mon-fri 09:00-18:00"]\npriority = 1\n')
        typed = frontdesk("doctor")
        assert typed.status == 0
        assert "config.toml, line 6: sla[0].priority: unknown key" in typed.out
        for wrong, words in (
            (
                'hours = ["mon-fri 09:00-18:00", "mon 17:00-19:00"]',
                "sla[0].hours: 09:00-18:00 and 17:00-19:00 overlap",
            ),
            ("", "sla[0].hours: expected a list of business hours"),
            (
                'hours = ["mon-fri 09:00-18:00"]\nmatch = "waiting>1h"',
                "sla[0].match: waiting>1h can't choose an SLA",
            ),
        ):
            config.write_text(f"[[sla]]\n{good}{wrong}\n")
            typed = frontdesk("doctor")
            assert typed.status == 2
            assert words in typed.out
            assert "until this is fixed" in typed.out
            assert frontdesk("tasks", "list").status == 0

    def test_an_alert_that_cannot_be_used_is_named(self, frontdesk: Frontdesk) -> None:
        folder(frontdesk).mkdir(parents=True)
        config = folder(frontdesk) / "config.toml"
        config.write_text('[[settings.alerts]]\nwhen = "faild > 3%"\n')
        for command in ("doctor", "sync"):
            typed = frontdesk(command)
            assert typed.status == 2
            assert "settings.alerts[0].when: 'faild > 3%': unknown value 'faild'" in typed.out + typed.err
        config.write_text('[[settings.alerts]]\nwhen = "failed > 3%"\nrun = ["no-such-program"]\n')
        typed = frontdesk("doctor")
        assert typed.status == 0
        assert "can't run no-such-program; check its name or path" in typed.out

    def test_an_ignored_variable_is_a_warning_unless_its_setting_is_there(self, frontdesk: Frontdesk) -> None:
        environ = {"https_proxy": "http://127.0.0.1:1", "CURL_CA_BUNDLE": "/nowhere.pem", "NO_PROXY": "*"}
        typed = frontdesk("doctor", **environ)
        assert typed.status == 0
        told = [line for line in typed.out.splitlines() if "environment" in line.split()[1]]
        assert [line.startswith("warn") for line in told] == [True, True]
        assert "https_proxy is set, but frontdesk ignores it; use settings.proxy" in told[0]
        assert "CURL_CA_BUNDLE is set, but frontdesk ignores it; use settings.ca_file" in told[1]
        folder(frontdesk).mkdir(parents=True)
        (folder(frontdesk) / "config.toml").write_text('[settings]\nca_file = "/nowhere.pem"\n')
        assert "CURL_CA_BUNDLE" not in frontdesk("doctor", **environ).out

    def test_a_proxy_that_fails_is_named_without_its_password_and_plain_http_avoids_it(
        self, frontdesk: Frontdesk
    ) -> None:
        config = folder(frontdesk) / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('[settings]\nproxy = "http://me:canary@127.0.0.1:1"\n')
        typed = frontdesk("doctor", FRONTDESK_AI_URL="https://127.0.0.1:1")
        assert typed.status == 4
        assert "canary" not in typed.out
        failed = [line for line in typed.out.splitlines() if line.startswith("FAIL")]
        assert [line.split()[1] for line in failed] == ["ai"]
        assert "through settings.proxy, 127.0.0.1:1" in failed[0]

    @pytest.mark.parametrize("name", [*DATABASES, *LOCKS])
    @pytest.mark.parametrize("how", [NO_FILES["pipe"], NO_FILES["folder"], NO_FILES["dangling link"]])
    def test_what_a_start_refuses_in_the_store_fails_here_too(
        self, frontdesk: Frontdesk, name: str, how: Callable[[Path], None]
    ) -> None:
        with frontdesk.store() as store:
            place = store.folder
        said = replace(place / name, how)
        with pytest.raises(StoreUnusable) as caught:
            open_reader(place)
        assert str(caught.value) == said
        typed = frontdesk("doctor")
        assert typed.status == 2
        assert f"FAIL  store       {said}" in typed.out.splitlines()
