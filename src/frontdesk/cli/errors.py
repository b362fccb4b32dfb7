"""Failures as one line on standard error and one of the fixed exit statuses."""

import math
import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from frontdesk.config.credentials import SecretError, remember_environment
from frontdesk.config.file_access import OpenToOthers, open_regular_file, require_own
from frontdesk.config.paths import make_private, state_dir
from frontdesk.config.settings import ConfigError, NoProfile
from frontdesk.relay.connection import PasswordRefused, RelayRefused, RelayUnreachable
from frontdesk_api.client import errors
from frontdesk_api.redaction import KNOWN
from frontdesk_lines.display_text import counted, show_line

REFUSED = 1
INPUT_WRONG = 2
CREDENTIALS = 3
UNREACHABLE = 4
INTERRUPTED = 130

_LINE_LIMIT = 2000


class CommandFailed(Exception):
    """A command's own failure: its sentence and its status."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def status_of(error: BaseException) -> int | None:
    """Return the exit status of an expected error; None for a fault of ours."""
    if isinstance(error, CommandFailed):
        return error.status
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            return status
    return None


def status_of_reason(reason: str, otherwise: int) -> int:
    """Return the exit status of a change that wasn't carried out, by the reason that is stored with it."""
    is_about_credentials = any(words in reason for words in (errors.WERE_REFUSED, errors.NOT_CONFIGURED))
    return CREDENTIALS if is_about_credentials else otherwise


def report(error: Exception) -> int:
    """Print the one line of an error; an unexpected one goes to the log whole."""
    status = status_of(error)
    if status is not None:
        print_error(with_wait(error))
        return status
    try:
        where = f"see {_log(error)}"
    except (OSError, OpenToOthers):
        where = "the log couldn't be written"
    print_error(f"something went wrong in frontdesk ({type(error).__name__}); {where}")
    return REFUSED


def with_wait(error: Exception) -> str:
    """Return an error's text; of too many requests with how long the platform asked to wait."""
    if not isinstance(error, errors.RateLimited):
        return str(error)
    asked = error.retry_after
    words = "didn't say how long" if asked is None else f"asked for {counted(math.ceil(asked), 'second')}"
    return f"{error}; the platform {words}"


def print_error(sentence: object) -> None:
    """Print one line on standard error; untrusted text in it is sanitized."""
    text = show_line(sentence, _LINE_LIMIT).text
    print(f"frontdesk: {text}", file=sys.stderr, flush=True)


# The first kind that fits decides, so the particular ones stand before the general.
_STATUSES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((errors.BadRequestInput, ConfigError, NoProfile, OpenToOthers), INPUT_WRONG),
    ((errors.CredentialsMissing, errors.CredentialsRefused, SecretError, PasswordRefused), CREDENTIALS),
    ((errors.RateLimited, errors.Redirected, errors.ServerError, RelayUnreachable), UNREACHABLE),
    ((errors.Refused, RelayRefused), REFUSED),
    ((errors.ApiError,), UNREACHABLE),
)


def _log(error: Exception) -> Path:
    """Append the traceback, without locals and without credentials."""
    remember_environment(os.environ)
    text = KNOWN.redact_refusal("".join(traceback.format_exception(error)))
    path = state_dir() / "crash.log"
    make_private(path.parent)
    require_own([path])
    with open(path, "a", encoding="utf-8", errors="replace", opener=open_regular_file) as log:
        log.write(f"{datetime.now(UTC).isoformat()}\n{text}\n")
    return path
