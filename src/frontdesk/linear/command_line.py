"""Commands of the command line in the linear mode: as they are, and those of the screens' actions by row numbers.

Each runs in this process on the open profile, with its output in place of standard output.
"""

import io
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

from frontdesk.cli.run_options import without_global_options
from frontdesk.config.settings import IS_READ_ONLY
from frontdesk.inbox.saved_views import load_views
from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.linear.sentences import capitalize, inline_text
from frontdesk.linear.session import Session
from frontdesk.registry.actions import WRITING_COMMANDS
from frontdesk_api import json_access
from frontdesk_lines.display_text import SafeText, counted, show_label, terminal_kept, trusted
from frontdesk_lines.privacy import is_private

GROUPS = frozenset(
    {
        "agents",
        "campaigns",
        "config",
        "conversations",
        "macros",
        "messages",
        "outbox",
        "tags",
        "tasks",
        "team",
        "views",
        "webhooks",
        "workflows",
    }
)
"""Groups of commands that can be typed without the word frontdesk."""

ELSEWHERE = frozenset({"config edit", "demo", "forget", "login", "logout", "open", "sandbox", "sync", "web"})
"""Commands that need the terminal, or replace what runs in it."""

_TOLD = frozenset({"--help", "-h", "--version", "-V"})
"""Options that end a command line without a command; with others, that one opens the inbox."""

_OWN_WORDS = frozenset({"by", "this"})
"""Words behind a group's name that belong to the linear mode's command of the same name."""

_IRREVERSIBLE = {
    ("campaigns", "create"): "--name",
    ("workflows", "reset-analytics"): "",
    ("webhooks", "delete"): "",
    ("team", "forget"): "",
}
"""Commands that ask for a name to be typed, and the option that has it; else it is the next word."""

_ASKED = frozenset(
    ("workflows", each) for each in ("update", "restore", "create", "activate", "deactivate")
) | frozenset({("outbox", "drop"), ("team", "remove"), ("tags", "assign"), ("macros", "run")})
"""Commands that ask first at the prompt; a script has named what it wants."""

_LINE_LIMIT = 4_000


def find_arguments(word: str, words: str) -> list[str] | None:
    """Return the arguments of a typed command line; None for a command of the linear mode.

    Raises:
        NotUnderstood: a quotation mark isn't closed.
    """
    second = words.split(" ", 1)[0]
    is_group = word in GROUPS and second[:1].isalpha() and second.lower() not in _OWN_WORDS
    if word != "frontdesk" and not is_group:
        return None
    try:
        given = shlex.split(words)
    except ValueError as error:
        raise NotUnderstood(f"This command line isn't complete: {error}.") from error
    return given if word == "frontdesk" else [word, *given]


def run_arguments(session: Session, arguments: Sequence[str]) -> None:
    """Ask what has to be asked, run a command line and print what it says.

    Raises:
        NotUnderstood: it can't run here.
    """
    if not arguments:
        raise NotUnderstood("Which command? Type frontdesk --help to list them.")
    rest = without_global_options(arguments)
    elsewhere = ELSEWHERE & {*rest[:1], " ".join(rest[:2])}
    if elsewhere or arguments[0].startswith("--linear") or not (rest or _TOLD & set(arguments)):
        name = min(elsewhere, default=arguments[0])
        raise NotUnderstood(f"frontdesk {name[:40]} can't run in linear mode; run it in your shell.")
    if is_private():
        raise NotUnderstood("Names are hidden, but a command prints them. To run it, type privacy off first.")
    command, said = tuple(arguments[:2]), frozenset[str]()
    is_writing = WRITING_COMMANDS & {*rest[:1], " ".join(rest[:2])}
    if is_writing and session.store.settings.read_only and not {"--dry-run", "--help", "-h"} & set(arguments):
        raise NotUnderstood(f"Nothing was done: {IS_READ_ONLY}.")
    is_trial = {"--yes", "--dry-run", "--help", "-h"} & set(arguments)
    if command in _IRREVERSIBLE and not is_trial:
        arguments, said = _confirm_irreversible(session, list(arguments))
    elif command in _ASKED and not is_trial and session.console.is_typed and not _agrees(session, command):
        session.print("Canceled. Nothing was sent.")
        return

    def put(line: SafeText) -> None:
        if line.text not in said:
            session.print(line)

    _print_end(session, *_run(session, arguments, put))
    if arguments[0] == "views":
        load_views(session.store)


def _agrees(session: Session, command: tuple[str, ...]) -> bool:
    return session.ask_yes(f"Run {' '.join(command)}?")


def _confirm_irreversible(session: Session, arguments: list[str]) -> tuple[list[str], frozenset[str]]:
    """Show what would be sent, and ask for its name; return the arguments of what is to run, and what was said.

    Raises:
        NotUnderstood: it can't be done, or the name wasn't typed.
    """
    option = _IRREVERSIBLE[arguments[0], arguments[1]]
    if option:
        name = _value(arguments, option) or _value(arguments, "--file")
    else:
        name = next((each for each in arguments[2:] if not each.startswith("-")), "")
    if not name:
        raise NotUnderstood(f"For {' '.join(arguments[:2])}, add {option or 'an id'}.")
    remarks: Sequence[str] = ()
    if option and _value(arguments, option):
        lines: list[SafeText] = []
        status, _ = _run(session, [*arguments, "--dry-run"], lines.append)
        remarks, body = _split_body([each.text for each in lines])
        session.print(*(show_label(each, _LINE_LIMIT) for each in remarks))
        if status or body is None:
            raise NotUnderstood("Nothing was sent.")
        session.print(_campaign_words(session, body))
        if session.console.is_typed:  # a person has read the warning, as on the screen
            arguments.append("--again")
    session.confirm_name(name)
    return arguments if _value(arguments, "--file") else [*arguments, "--yes"], frozenset(remarks)


def _value(arguments: Sequence[str], option: str) -> str:
    for at, each in enumerate(arguments):
        if each == option:
            return next(iter(arguments[at + 1 : at + 2]), "")
        if each.startswith(f"{option}="):
            return each.partition("=")[2]
    return ""


def _run(session: Session, arguments: Sequence[str], put: Callable[[SafeText], object]) -> tuple[int, bool]:
    """Run a command, passing on each line as it comes; return its exit status and whether it said anything."""
    from frontdesk.cli.errors import INTERRUPTED

    options = ["--sentences"]
    if not session.store.profile.hosts_from_environment:
        options += ["--profile", session.store.profile.name]
    written = _CommandOutput(lambda line: put(_sentence(line)))
    with _as_command(written):
        status = session.run_command([*options, *arguments])
    if written.failure is not None:
        raise written.failure
    written.end()
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status, written.has_lines


@contextmanager
def _as_command(written: TextIO) -> Iterator[None]:
    """Let a command write there, and read nothing; what it set for its process is as before afterwards."""
    environ, typed = dict(os.environ), sys.stdin
    # `asyncio.run` ends its work in order after ctrl+c, but only where Python's own handler is installed.
    interrupts = signal.signal(signal.SIGINT, signal.default_int_handler)
    with (
        open(os.devnull, encoding="utf-8") as nothing,
        redirect_stdout(written),
        redirect_stderr(written),
        terminal_kept(),
    ):
        sys.stdin = nothing
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.SIG_DFL if interrupts is None else interrupts)
            sys.stdin = typed
            for name in os.environ.keys() - environ:
                del os.environ[name]
            os.environ.update({name: each for name, each in environ.items() if os.environ.get(name) != each})


class _CommandOutput(io.StringIO):
    """Output that passes on each line once it is whole.

    Attributes:
        failure: why lines couldn't be passed on; it interrupts the command, which must not take it for its own.
    """

    def __init__(self, put: Callable[[str], object]) -> None:
        super().__init__()
        self._put, self._begun = put, ""
        self.has_lines = False
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")  # bytes fail, so that click prints none
        for line in lines:
            self.has_lines = True
            try:
                self._put(line)
            except OSError as error:
                self.failure = error
                raise KeyboardInterrupt from error
        return len(text)

    def end(self) -> None:
        """Pass on a last line that has no end."""
        if self._begun:
            self.write("\n")


def _print_end(session: Session, status: int, has_lines: bool) -> None:
    if status:
        session.console.has_failed = True
    elif not has_lines:
        session.print("Done.")


def _sentence(line: str) -> SafeText:
    """Return a line of a command; an error of it as a sentence."""
    error = line.removeprefix("frontdesk: ")
    if error == line:
        return show_label(line, _LINE_LIMIT)
    text = capitalize(error.strip())
    return show_label(text if text.endswith((".", "!", "?", ":")) else f"{text}.", _LINE_LIMIT)


def _split_body(lines: Sequence[str]) -> tuple[Sequence[str], dict[str, Any] | None]:
    """Split what a trial printed into its remarks and the campaign; None where there is none."""
    start = next((at for at, each in enumerate(lines) if each == "{"), len(lines))
    try:
        found = json.loads("\n".join(lines[start:]))
    except ValueError:
        return lines, None
    return lines[:start], found if isinstance(found, dict) else None


def _campaign_words(session: Session, body: dict[str, Any]) -> SafeText:
    view = session.view()
    listed, tags = body.get("customerList"), body.get("conversationTags")
    people = counted(len(listed), "recipient") if isinstance(listed, list) else "everyone with the tags"
    if not isinstance(listed, list) and isinstance(tags, list):
        people = f"everyone with {counted(len(tags), 'tag')}"
    at = json_access.number(body.get("scheduledAt"))
    when = "now" if at is None else view.spoken_moment(at / 1000)
    name, workflow = (inline_text(json_access.text(body.get(each)), 80).text for each in ("name", "workflowName"))
    return trusted(f"Campaign {name}: workflow {workflow} for {people}, {when}.")
