"""Options of `frontdesk sandbox`.

Imported by the command line before anything heavy is; so nothing but the standard library here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Size = Literal["small", "medium", "large"]
Plan = Literal["expert", "basic"]
Language = Literal["en", "he", "ar", "es"]

SIZES: tuple[Size, ...] = ("small", "medium", "large")
PLANS: tuple[Plan, ...] = ("expert", "basic")
LANGUAGES: tuple[Language, ...] = ("en", "he", "ar", "es")


def reader_language(environment: Mapping[str, str]) -> Language:
    """Return the language that the environment asks for; English if the sandbox doesn't have it."""
    locale = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return next((each for each in LANGUAGES if re.split("[_.@]", locale)[0] == each), "en")


class SandboxCannotStart(Exception):
    """Raised when the address or the data folder can't be used; the text says which and what to do."""


MAX_SPEED = 1e6
"""Faster than this nothing could be followed; a year passes in half a minute."""


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """The options of a sandbox (docs/command-line.md).

    Attributes:
        port: 0 takes a free one.
        data: the folder of the state; None is a temporary folder that goes away at the end.
        crowd: False stops simulated customers and campaign deliveries.
        speed: multiplies simulated time.
        language: of the customers who have waited longest; customers write in all languages.
        plan: "basic" lacks the workflow analytics.
        other_codes: answers status codes of the same class at random where the interface shows none.
        allow_hosts: further names that a request's Host may have, besides localhost and the address it listens on.
        listen_fd: an inherited socket that already listens, used in place of host and port.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    data: Path | None = None
    seed: int = 1
    size: Size = "small"
    crowd: bool = True
    speed: float = 1.0
    language: Language = "en"
    plan: Plan = "expert"
    other_codes: bool = False
    allow_hosts: tuple[str, ...] = ()
    listen_fd: int | None = None
