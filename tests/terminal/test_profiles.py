"""From one profile to another without leaving the program, whatever the state of the connection."""

import pytest

from frontdesk_sandbox import fixtures
from terminal.conftest import Open
from terminal.service import Home, Service, processes_of, wait_until_nothing_runs
from terminal.terminal import ENTER, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

LIVE = "● live"
CTRL_O = "\x0f"


def accounts(home: Home, service: Service) -> None:
    """Two accounts that can be opened, and one whose credentials nobody gave."""
    folder = home.folder / "config" / "frontdesk"
    profiles = [f'[profiles.{name}]\nbase_url = "{service.url}"\n' for name in ("acme", "beta", "gamma")]
    settings = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text("\n".join(['default_profile = "acme"', *profiles, settings]))
    secret = f'origins = ["{service.url}"]\ncookie = "{fixtures.COOKIE}"\napi_key = "{fixtures.API_KEY}"\n'
    credentials = folder / "credentials.toml"
    credentials.write_text(f"[acme]\n{secret}[beta]\n{secret}")
    credentials.chmod(0o600)
    folder.chmod(0o700)


def go_to(terminal: Terminal, name: str) -> None:
    terminal.press(CTRL_O)
    terminal.wait_for("Open another profile")
    terminal.press(*name)
    terminal.wait_for(rf"▌ +{name}")
    terminal.press(ENTER)


def test_profiles_are_switched_and_what_cannot_be_opened_comes_back(
    opened: Open, own_service: Service, home: Home
) -> None:
    accounts(home, own_service)
    terminal = opened(at=None)
    terminal.wait_for(r"6 Activity +7.* acme")
    terminal.wait_for(LIVE)
    go_to(terminal, "gamma")
    terminal.wait_for("Couldn't open gamma: it has no Cookie")
    terminal.wait_for(r"6 Activity +7.* acme")
    go_to(terminal, "beta")
    terminal.wait_for(r"6 Activity +7.* beta")
    terminal.wait_for(LIVE)
    own_service.kill()
    terminal.wait_for("offline")
    go_to(terminal, "acme")
    terminal.wait_for(r"6 Activity +7.* acme")
    terminal.wait_for("offline")
    terminal.wait_for(lambda: not any("--profile beta" in line for line in processes_of(home).values()))
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(home)
