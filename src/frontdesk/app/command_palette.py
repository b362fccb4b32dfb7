"""The keys that are live and all commands, shown to pick one, and what was picked run.

Imported by the app when help or the commands are asked for.
"""

from collections.abc import Callable
from typing import Any

from textual.app import App

from frontdesk.text.display_text import trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.commands import CommandsDialog, screen_of
from frontdesk.tui.dialogs.help import IN_DIALOGS, HelpDialog
from frontdesk.tui.keymap import Keymap, shown_key
from frontdesk.tui.status_bar import widget_context


def show_keys(app: App[Any], screen: BaseScreen, keymap: Keymap) -> None:
    """Show the keys that are live on this screen, and run the one that is picked."""
    groups = [*keymap.help_for(screen.key_context, widget_context(screen.focused)), IN_DIALOGS]

    async def picked(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            await run_key(app, answer.value)

    app.push_screen(
        HelpDialog(trusted(f"Keys · {screen.key_context}"), groups, here=screen.app_context.glyphs.here), picked
    )


def show_commands(app: App[Any], keymap: Keymap, go: Callable[[str], None]) -> None:
    """Show every command by its name, and run the one that is picked, or go to where it can be done.

    Args:
        go: shows the screen of this name.
    """

    async def picked(answer: Answered[str] | Closed | None) -> None:
        if not isinstance(answer, Answered) or await run_key(app, answer.value):
            return
        key = keymap[answer.value]
        if (mode := screen_of(key)) is not None:
            go(mode)
        notify(app, trusted(f"{key.help}: {shown_key(key)}"))

    app.push_screen(CommandsDialog(keymap, live_keys(app)), picked)


def live_keys(app: App[Any]) -> set[str]:
    """The ids of the keys that do something now."""
    return {active.binding.id for active in app.screen.active_bindings.values() if active.binding.id}


async def run_key(app: App[Any], key_id: str) -> bool:
    """Do what the key of this id does; False where it isn't live."""
    for active in app.screen.active_bindings.values():
        if active.binding.id == key_id:
            await app.run_action(active.binding.action, default_namespace=active.node)
            return True
    return False
