"""The command that adds an extra's packages to this installation, for messages about a missing one."""

import importlib.util
import shlex
import sys


def install_command(extra: str) -> str:
    """Return a command for the shell; it names this Python, as another's pip would install a second frontdesk."""
    python = shlex.quote(sys.executable)
    if importlib.util.find_spec("pip") is None:  # environments that uv makes have no pip
        return f"uv pip install --python {python} 'frontdesk[{extra}]'"
    return f"{python} -m pip install 'frontdesk[{extra}]'"
