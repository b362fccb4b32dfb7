"""Lines of `frontdesk doctor` and `frontdesk team doctor`: a verdict, what was checked, and what to do."""

import sys
from collections.abc import Iterable
from typing import NamedTuple

from frontdesk.cli.errors import REFUSED
from frontdesk.cli.output import print_json, print_line
from frontdesk.storage.clocks import offset_words
from frontdesk.text.relative_time import MINUTE


class CheckResult(NamedTuple):
    """One printed line; `status` is the exit status, 0 unless the check fails."""

    verdict: str
    subject: str
    words: str
    status: int = 0


def ok(subject: str, words: str) -> CheckResult:
    """Return the line of something that is as it should be."""
    return CheckResult("ok", subject, words)


def warn(subject: str, words: str) -> CheckResult:
    """Return the line of something that may be wrong."""
    return CheckResult("warn", subject, words)


def fail(subject: str, words: str, status: int = REFUSED) -> CheckResult:
    """Return the line of something that doesn't work."""
    return CheckResult("FAIL", subject, words, status)


def check_clock(offset: float, whose: str, most: float, remedy: str) -> CheckResult:
    """Check how far this machine's clock is from another, which is `offset` seconds ahead; it may be `most`."""
    seconds = f"{abs(offset):,.1f} s {'behind' if offset > 0 else 'ahead of'}"
    away = seconds if abs(offset) < MINUTE else offset_words(offset).replace("ahead", "ahead of")
    words = f"this machine's clock is {away} {whose}"
    return ok("clock", words) if abs(offset) <= most else warn("clock", f"{words}; {remedy}")


def print_checks(results: Iterable[CheckResult], *, as_json: bool = False) -> int:
    """Print each line as soon as it is known; returns the exit status of the first failure, or 0."""
    failed = 0
    for result in results:
        if as_json:
            print_json({"verdict": result.verdict.lower(), "check": result.subject, "words": result.words})
            sys.stdout.flush()
        else:
            print_line(f"{result.verdict:<5} {result.subject:<11} {result.words}")
        failed = failed or result.status
    return failed
