"""Folder of the demo's data, and the credentials of its sandbox.

The demo writes its profile beside its data, since its sandbox gets another port at each start: so commands in
other terminals can work on it.
"""

from pathlib import Path

from frontdesk.config.paths import data_root

DEMO = "demo"
"""The name of the demo's profile, unless config.toml has a profile of this name."""

CREDENTIALS = {
    "FRONTDESK_COOKIE": "token=sandbox",
    "FRONTDESK_API_KEY": "sandbox-key",
    "FRONTDESK_BEARER": "sandbox-bearer",
}
"""The credentials that the sandbox accepts, by the variables of the environment."""


def demo_folder() -> Path:
    return data_root() / DEMO


def profile_path() -> Path:
    return demo_folder() / "profile.toml"
