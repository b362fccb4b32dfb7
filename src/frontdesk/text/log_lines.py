"""Log lines that are safe to show; the engine's log file and the log of a run without one use it."""

import logging

from frontdesk.text.display_text import show_line

LOG_LINE_LIMIT = 2_000


class CleanLines(logging.Formatter):
    """Formats a record without control characters and credentials: strangers' words reach exceptions' texts."""

    def format(self, record: logging.LogRecord) -> str:
        """The record, each of its lines made safe to show."""
        return "\n".join(show_line(line, LOG_LINE_LIMIT).text for line in super().format(record).split("\n"))


def clean_stray_logs() -> None:
    """Clean what Python prints to standard error of warnings in a process that has no log file."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(CleanLines("frontdesk: %(message)s"))
