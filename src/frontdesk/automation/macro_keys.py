"""The config's macros and their keys; a start without macros imports nothing for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from frontdesk.config import settings as config_settings
from frontdesk.config.config_tables import MacroFile, load_macros
from frontdesk.config.time_zone import local_zone

if TYPE_CHECKING:
    from frontdesk.automation.macros import Macro
    from frontdesk.tui.keymap import Keymap


def with_macros(
    keymap: "Keymap", profile: config_settings.Profile
) -> "tuple[Keymap, Sequence[Macro], Sequence[str]]":
    """Add the keys of the config's macros; return them, and a sentence for each that can't be used."""
    file = load_macros(config_settings.config_path())
    if file == MacroFile():
        return keymap, (), ()
    from frontdesk.automation import macros
    from frontdesk.automation.command_keys import add_macros

    found, faults = macros.load(file, profile, datetime.now(local_zone()))
    keymap, kept, clashing = add_macros(keymap, found)
    return keymap, kept, [*faults, *clashing]
