"""Commands of the linear mode that run a command of the shell on rows of the last list."""

import shlex
from collections.abc import Callable

from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.session import Session


def on_rows(kind: ListKind, command: str, *, many: bool = False) -> Callable[[Session, str], None]:
    """Return a handler that runs `command` on a row, or on several, with what is typed after the numbers.

    Args:
        command: with `{}` where the ids belong.
        many: whether further numbers are rows, too.
    """

    def run(session: Session, words: str) -> None:
        ids, rest = session.keys_at(words, kind, many=many)
        try:
            given = shlex.split(rest)
        except ValueError as error:
            raise NotUnderstood(f"This command line isn't complete: {error}.") from error
        before, _, behind = command.partition("{}")
        session.run_command_line([*before.split(), *ids, *behind.split(), *given])

    return run
