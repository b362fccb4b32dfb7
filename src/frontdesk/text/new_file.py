"""Files that a person names, to be written for the first time: whether a name will do, and the writing.

Called by what exports campaigns: reports, samples, lists of recipients.
"""

import os
from pathlib import Path

from frontdesk.text.redaction import redact


def named_path(typed: str) -> Path:
    """The file that was meant, `~` with it; one of somebody unknown stays as it was typed."""
    return Path(os.path.expanduser(typed))


def fault_of_path(typed: str) -> str:
    """Why nothing can be written under this name, in words, or nothing; no file is ever written over."""
    # Not Path's own: these answer no, instead of failing, for what may not be looked at or can't be a name.
    path = os.path.expanduser(typed)
    if not typed or os.path.isdir(path):
        return "Name a file."
    if os.path.lexists(path):
        return "That is there already; take another name."
    if not os.path.isdir(os.path.dirname(path) or "."):
        return "There is no such folder."
    return ""


def write_new(path: Path, text: str, *, is_private: bool = False) -> None:
    """Write a file that isn't there yet, without credentials that the platform may have put into its text.

    Args:
        is_private: for this user alone: it holds people's numbers.

    Raises:
        OSError: it is there, or can't be written.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_private else 0o666)
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(redact(text))
