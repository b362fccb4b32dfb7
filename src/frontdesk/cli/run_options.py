"""`--read-only` and `--privacy`: before the command, and behind `demo` and `--linear` too."""

import os
from itertools import takewhile
from typing import TYPE_CHECKING

from frontdesk.config.settings import OPTION, VARIABLE
from frontdesk_lines.privacy import set_private

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

READ_ONLY = OPTION
PRIVACY = "--privacy"

READ_ONLY_HELP = "Change nothing on the platform; refuse every change."
PRIVACY_HELP = "Hide names, numbers and texts, to share the screen."


def apply_run_options(*, read_only: bool, privacy: bool) -> None:
    """Apply them to this process; a read-only one starts only such processes."""
    if read_only:
        os.environ[VARIABLE] = "1"
    if privacy:
        set_private(True)


def parse_run(parser: "ArgumentParser", arguments: "Sequence[str]") -> "Namespace | int":
    """Parse with these options, too, and apply them; an exit status where the parser has ended the command."""
    parser.add_argument(READ_ONLY, action="store_true", help=_sentence(READ_ONLY_HELP))
    parser.add_argument(PRIVACY, action="store_true", help=_sentence(PRIVACY_HELP))
    try:
        options = parser.parse_args(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    apply_run_options(read_only=options.read_only, privacy=options.privacy)
    return options


def without_leading_run_options(arguments: list[str]) -> list[str]:
    """Apply those before the command; `--privacy` stays before a command that prints, which refuses it."""
    options = list(takewhile(lambda each: each.startswith("-"), arguments))
    command = arguments[len(options) :]
    hides = PRIVACY in options and command[:1] in ([], ["demo"], ["open"])
    apply_run_options(read_only=READ_ONLY in options, privacy=hides)
    applied = {READ_ONLY, PRIVACY} if hides else {READ_ONLY}
    return [*(each for each in options if each not in applied), *command]


def without_global_options(arguments: "Sequence[str]") -> list[str]:
    """Return the command with what belongs to it."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("--profile", "--width") else 1]
    return rest


def _sentence(text: str) -> str:
    return f"{text[0].lower()}{text[1:].rstrip('.')}"
