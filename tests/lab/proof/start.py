"""What a start costs, in calls and modules: the twins of the seconds until the first screen, and of commands'."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from terminal.service import Home, end_all
from terminal.terminal import Terminal

COMMANDS = {
    "linear mode": "import frontdesk.linear.run, frontdesk.linear.app, frontdesk.cli.output",
    "engine": "import frontdesk.engine.main",
    "a command that reads the store": "import frontdesk.cli.main, frontdesk.campaigns.cli.reports",
}
PROBE = Path(__file__).with_name("start_probe.py")
NOWHERE = SimpleNamespace(url="http://127.0.0.1:9")
"""A service that doesn't answer: the first screen comes from the store."""


def measure(folder: Path) -> dict[str, int]:
    """Return calls and modules by name, on this store."""
    found = {}
    with TemporaryDirectory() as scratch:
        home = Home(Path(scratch) / "home")
        home.fill(NOWHERE, folder)  # type: ignore[arg-type]
        names = ("calls", "writes", "modules", "modules of ours")
        _count_start(home)  # which compiles what isn't compiled
        for name, count in zip(names, _count_start(home), strict=True):
            found[f"start, to the first screen: {name}"] = count
    for name, code in COMMANDS.items():
        script = f"import sys\nbefore = {{*sys.modules}}\n{code}\nprint(len({{*sys.modules}} - before))"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        found[f"{name}, loaded: modules"] = int(run.stdout)
    return found


def _count_start(home: Home) -> list[int]:
    """Start it in a terminal, up to its first screen."""
    told = home.folder / "told"
    told.unlink(missing_ok=True)
    environment = home.environment(NOWHERE)  # type: ignore[arg-type]
    environment |= {name: os.environ[name] for name in ("PYTHONPATH", "PYTHONHASHSEED") if name in os.environ}
    try:
        with Terminal([sys.executable, str(PROBE), str(told)], environment) as terminal:
            terminal.wait_for(told.exists, 120)
    finally:
        end_all(home)
    return [int(each) for each in told.read_text().split()]
