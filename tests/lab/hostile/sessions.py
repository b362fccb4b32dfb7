"""The program in a real terminal over a hostile platform: every command line, and the linear mode."""

import csv
import json
import re
import shlex
import sys
from pathlib import Path

from canary.echo_server import Echo
from frontdesk_sandbox import fixtures
from lab.hostile.command_lines import ANSWERED, LINEAR, SEPARATOR
from lab.hostile.platform import HostilePlatform
from lab.hostile.sequences import SEQUENCES
from terminal.service import FRONTDESK
from terminal.terminal import Terminal

COLUMNS, ROWS = 220, 60
MAX_SECONDS = 180
LINEAR_PLACE = "linear"
_PROMPT = "frontdesk> "


class _Unpainted(Terminal):
    """A terminal whose bytes are kept and not painted, which takes longer than the program itself."""

    def _paint(self, data: bytes) -> None:
        pass


def environment(home: Path, url: str) -> dict[str, str]:
    """All of the environment that a program on this platform has."""
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    tests = str(Path(__file__).parents[2])
    keys = {"FRONTDESK_BASE_URL": url, "FRONTDESK_COOKIE": "token=one", "FRONTDESK_API_KEY": "key-two"}
    keys |= {"FRONTDESK_AGENT_ID": fixtures.ME.id, "FRONTDESK_BEARER": "bearer-three", "PYTHONPATH": tests}
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TZ": "UTC"}
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), **terminal, **folders, **keys}


def write_settings(home: Path) -> None:
    """Let the engine ask as often as it likes."""
    folder = home / "config" / "frontdesk"
    folder.mkdir(mode=0o700, parents=True)
    for each in (folder, folder.parent):
        each.chmod(0o700)
    (folder / "config.toml").write_text("[settings]\nrequests_per_second = 1000\nrequests_per_minute = 6000\n")


def write_files(folder: Path) -> dict[str, str]:
    """Make the files that command lines name, full of hostile text as well; answers their paths by name."""
    other = HostilePlatform(1)
    workflow, campaign = other.workflows["w1"], other.campaigns["c0"] | {"id": "c9"}
    paths = {name: str(folder / f"{name}.json") for name in ("workflow", "campaign", "exported")}
    Path(paths["workflow"]).write_text(json.dumps(workflow))
    Path(paths["campaign"]).write_text(json.dumps(campaign))
    paths |= {"list": str(folder / "list.csv"), "failures": str(folder / "failures.csv")}
    with open(paths["list"], "w", encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["phone", "name"])
        numbers = (f"+49151234567{at % 90 + 10}" for at in range(len(SEQUENCES)))
        rows.writerows(
            [(number if at % 3 else text), text]
            for at, (number, text) in enumerate(zip(numbers, SEQUENCES, strict=False))
        )
    return paths


def run_sessions(folder: Path, platform: HostilePlatform) -> dict[str, str]:
    """Run the linear mode, which fills the store, then the command lines; answers what was written by place."""
    with Echo() as echo:
        echo.fault = platform.answer
        write_settings(folder)
        linear = run_linear(folder, echo)
        platform.writes = 0  # which of the writes are refused doesn't depend on what the engine had sent
        return {LINEAR_PLACE: linear, **run_command_lines(folder, echo)}


def run_command_lines(folder: Path, echo: Echo) -> dict[str, str]:
    """Type every command line into a terminal; answers what each command wrote, by its name."""
    files = write_files(folder)
    typed = [(name, shlex.split(line)) for name, lines in ANSWERED.items() for line in lines]
    words = [[each.format(**files) if each.startswith("{") else each for each in line] for _, line in typed]
    (folder / "lines.json").write_text(json.dumps(words))
    argv = [sys.executable, "-m", "lab.hostile.command_lines", str(folder / "lines.json")]
    with _Unpainted(argv, environment(folder, echo.url), COLUMNS, ROWS) as terminal:
        terminal.wait_for_end(MAX_SECONDS)
        written = terminal.raw.decode()
    parts = re.split(rf"^{re.escape(SEPARATOR)}\d+\r\n", written, flags=re.MULTILINE)
    assert len(parts) == len(typed) + 2, written[-2_000:]
    found: dict[str, str] = {}
    for (name, _), part in zip(typed, parts[1:], strict=False):
        assert "Traceback" not in part, part
        found[name] = found.get(name, "") + part
    assert all(part.strip() for part in found.values()), "each command has something to show"
    return found


def run_linear(folder: Path, echo: Echo) -> str:
    """Type every command of the linear mode; answers what was written."""
    argv = [FRONTDESK, "--linear"]
    with _Unpainted(argv, environment(folder, echo.url), COLUMNS, ROWS) as terminal:
        for at, line in enumerate(LINEAR):
            terminal.wait_for(lambda at=at: terminal.raw.count(_PROMPT.encode()) > at)  # type: ignore[misc]
            terminal.press(f"{line}\r")
        assert terminal.wait_for_end(MAX_SECONDS) in (0, 1)
        return terminal.raw.decode()
