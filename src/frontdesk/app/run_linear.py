"""`frontdesk --linear`: the inbox as plain lines and commands, for screen readers and for pipes."""

import argparse
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from frontdesk.app.profile_switcher import OpenProfile, ProfileSwitcher
from frontdesk.app.run_tui import Surface, run_inbox
from frontdesk.config import settings as config_settings
from frontdesk.text.display_text import SafeText, set_terminal

if TYPE_CHECKING:
    from frontdesk.app.linear_app import LinearApp
    from frontdesk.storage.database import Store

MIN_WIDTH = 20


def run_linear(arguments: Sequence[str]) -> int:
    """Run the linear mode on the named or default profile and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="frontdesk --linear",
        description="The inbox as plain lines and commands, without cursor movement or colour: for screen readers"
        " and for pipes. Its command help lists the commands.",
    )
    parser.add_argument("profile", nargs="?", help="the profile to use")
    add_width(parser)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    return run_inbox(options.profile, surface(options.width))


def add_width(parser: argparse.ArgumentParser) -> None:
    """Add the option that wraps lines."""
    parser.add_argument(
        "--width", type=_width, metavar="N", help="wrap lines at N columns; whole lines without it"
    )


def surface(width: int | None) -> Surface:
    """Return a factory of the linear mode, with one console for all of a run's profiles."""
    from frontdesk.app.linear_app import Hangup, LinearApp
    from frontdesk.linear.console import Console

    console = Console(width=width)

    signals = (signal.SIGTERM, signal.SIGHUP)

    def hang_up(_number: int, _frame: object) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
        raise Hangup

    for each in signals:
        signal.signal(each, hang_up)

    def open_on(
        current: OpenProfile,
        switcher: ProfileSwitcher,
        settings: config_settings.Settings,
        store: "Store",
        warnings: Sequence[SafeText],
    ) -> "LinearApp":
        from frontdesk.app.registries import CHANGE_HANDLERS
        from frontdesk.cli.output import local_zone
        from frontdesk.outbox.commands import OutboxCommands
        from frontdesk.storage.database import ProfileStore

        set_terminal(emoji_as_text=settings.ascii or settings.emoji == "text")
        opened = ProfileStore(store, current.profile, settings)
        outbox = OutboxCommands(opened, CHANGE_HANDLERS)
        return LinearApp(opened, outbox, console, local_zone(), current.keep, warnings, switcher.hosts)

    return open_on


def _width(text: str) -> int:
    width = int(text)
    if width < MIN_WIDTH:
        raise argparse.ArgumentTypeError(f"at least {MIN_WIDTH}")
    return width
