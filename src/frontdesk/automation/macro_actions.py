"""Runs a macro on what is selected on a screen."""

from dataclasses import replace

from frontdesk.automation.macros import Macro
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox.verbs import VerbContext
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.tui.base_screen import BaseScreen
from frontdesk_lines.display_text import show_line


def run_macro(screen: BaseScreen, macro: Macro) -> None:
    """Run a macro on the selection of the inbox or the board: at once on one row, after a plan on others."""
    if isinstance(screen, InboxScreen):
        selection = replace(screen.targets.current(), rows_are_tasks=False)
    elif isinstance(screen, BoardScreen):
        selection = screen.cursor.selection()
    else:
        return
    bulk = screen.task_actions.bulk
    try:
        change = macro.change(VerbContext(screen.app_context.view(), screen.app_context.store))
    except UnusableWords as error:
        bulk.refuse(show_line(f"Macro: {macro.name}: {error}"))
    else:
        bulk.do(change, selection, is_named=False)
