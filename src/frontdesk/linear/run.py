"""`frontdesk --linear`: the inbox as plain lines and commands, for screen readers and for pipes."""

import argparse
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from frontdesk.accounts.profile_switcher import OpenProfile, ProfileSwitcher
from frontdesk.app.run_tui import MakeInterface, run_inbox
from frontdesk.cli.run_options import parse_run
from frontdesk.config.actions import RunCommand
from frontdesk.config.extensions import NO_EXTENSIONS
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.database import ProfileStore
from frontdesk_lines.display_text import SafeText, set_terminal

if TYPE_CHECKING:
    from frontdesk.linear.app import LinearApp

MIN_WIDTH = 20


def run_linear(arguments: Sequence[str], run_command: RunCommand) -> int:
    """Run the linear mode on the named or default profile and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="frontdesk --linear",
        description="The inbox as plain lines and commands, without cursor movement or color: for screen readers"
        " and pipes. To list the commands, type help.",
    )
    parser.add_argument("profile", nargs="?", help="the profile to use")
    add_width(parser)
    options = parse_run(parser, arguments)
    if isinstance(options, int):
        return options
    return run_inbox(options.profile, linear_interface(options.width, run_command))


def add_width(parser: argparse.ArgumentParser) -> None:
    """Add the option that wraps lines."""
    parser.add_argument("--width", type=_width, metavar="N", help="wrap lines at N columns (default: don't wrap)")


def linear_interface(width: int | None, run_command: RunCommand) -> MakeInterface:
    """Return a factory of the linear mode, with one console for all of a run's profiles."""
    from frontdesk.linear.app import Hangup, LinearApp
    from frontdesk.linear.console import Console, install_handlers
    from frontdesk.linear.session import SessionServices

    console = Console(width=width)

    signals = (signal.SIGTERM, signal.SIGHUP)

    def hang_up(_number: int, _frame: object) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
        raise Hangup

    install_handlers(dict.fromkeys(signals, hang_up) | {signal.SIGINT: signal.default_int_handler})

    def make(
        current: OpenProfile,
        switcher: ProfileSwitcher,
        store: ProfileStore,
        outbox: OutboxCommands,
        warnings: Sequence[SafeText],
    ) -> "LinearApp":
        outbox.restore_privacy()
        # A screen reader, and a terminal that orders right-to-left text itself, need it as it was written.
        set_terminal(lays_out=False, emoji_as_text=store.settings.names_emoji)
        if store.settings.extensions != NO_EXTENSIONS:
            from frontdesk.automation.custom_commands import start_warnings

            warnings = [*warnings, *start_warnings(store.settings.extensions)]
        services = SessionServices(store, outbox, console, local_zone(), run_command, switcher.hosts)
        return LinearApp(services, current.supervise, warnings)

    return make


def _width(text: str) -> int:
    if not text.isdecimal() or int(text[:9]) < MIN_WIDTH:
        raise argparse.ArgumentTypeError(f"must be a whole number, at least {MIN_WIDTH}")
    return int(text)
