"""Where the demo keeps its data, and what its sandbox accepts.

The demo writes its profile beside its data, as its sandbox gets a port of its own at each start: so commands in
other terminals can work on it.
"""

from pathlib import Path

from frontdesk.config.paths import data_root

DEMO = "demo"
"""The name of its profile, unless config.toml has one of this name."""

CREDENTIALS = {
    "FRONTDESK_COOKIE": "token=sandbox",
    "FRONTDESK_API_KEY": "sandbox-key",
    "FRONTDESK_BEARER": "sandbox-bearer",
}
"""What the sandbox accepts, by the variables of the environment."""


def demo_folder() -> Path:
    """Return the folder of the demo's data."""
    return data_root() / DEMO


def profile_path() -> Path:
    """Return where the demo writes its profile."""
    return demo_folder() / "profile.toml"
