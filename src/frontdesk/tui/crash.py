"""Word a crash for people: where it happened, safe to print, and where the log is."""

import traceback

from frontdesk.config import settings
from frontdesk.text.display_text import LINE_LIMIT, show_line

FRAMES = 8
"""The calls nearest to the fault; the others are Textual's."""

PATH_LIMIT = 5000
"""Characters of a line that names a file: the longest path of Linux (4096) and the function's name fit."""

LOG_FILE = "frontdesk.log"


def crash_lines(error: BaseException) -> list[str]:
    """A short traceback, one safe line each, without what variables held."""
    told = traceback.TracebackException.from_exception(error, limit=-FRAMES, capture_locals=False)
    lines = [line for part in told.format() for line in part.rstrip("\n").split("\n")]
    return [
        "frontdesk crashed. Nothing that was done is lost: it is sent when frontdesk runs next.",
        "",
        *(show_line(line, PATH_LIMIT if line.startswith('  File "') else LINE_LIMIT).text for line in lines),
        "",
        f"The engine's log: {show_line(str(settings.state_dir() / LOG_FILE)).text}",
    ]
