"""The report of a crash of frontdesk."""

from frontdesk.config.settings import state_dir
from frontdesk_lines.textual_compat import crash

IS_SAVED = "frontdesk crashed. Your changes are saved; unsent ones will be sent the next time frontdesk runs."


def crash_lines(error: BaseException) -> list[str]:
    """Format a short traceback, one safe line each."""
    return crash.crash_lines(error, IS_SAVED, state_dir() / "frontdesk.log")
