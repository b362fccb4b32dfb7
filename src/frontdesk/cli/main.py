"""The entry point: dispatches a run and turns every failure into one line and an exit status.

The inbox and the demo start without the libraries of the other commands.
"""

import errno
import gc
import os
import sys
from collections.abc import Sequence

from frontdesk.config.processes import forbid_core_files

FAILED = 1
INTERRUPTED = 130
WRONG_CONFIG = 2
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EBADF)


def main() -> None:
    """Run the installed command."""
    _open_closed_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the arguments and return the exit status."""
    forbid_core_files()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name in Hebrew on an ASCII terminal
    try:
        _announce_demo(arguments)
        status = _dispatch(list(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        from frontdesk.cli.errors import print_error, report

        if error.filename is not None or error.errno not in _OUTPUT_ERRORS:
            return report(error)
        _discard_output()
        is_closed = error.errno == errno.EBADF
        print_error(f"couldn't write the output: {'standard output is closed' if is_closed else error.strerror}")
        return FAILED
    except Exception as error:
        from frontdesk.cli.errors import report

        return report(error)
    return status


def _announce_demo(arguments: Sequence[str]) -> None:
    """Say at once that the demo starts: importing it and starting its sandbox takes a second."""
    command = [each for each in arguments if each not in ("--read-only", "--privacy")]
    if command[:1] == ["demo"] and sys.stdout.isatty() and not {"--help", "-h"} & set(arguments):
        print("Starting the demo…", flush=True)


def _open_closed_streams() -> None:
    """Give closed standard streams (`>&-`) to the null device, lest a store is opened in their place.

    Writing to standard output then fails, so that lost output is reported.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 - it lasts as long as the process


def _discard_output() -> None:
    # The reader closed the pipe; without this Python complains once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: list[str]) -> int:
    from frontdesk.config.settings import ConfigError, NoProfileYet

    try:
        return _run_program(arguments)
    except ConfigError:
        if arguments:
            raise
        from frontdesk.accounts.config_edits import repair_config

        is_repaired = repair_config()
        if is_repaired is None:
            raise
        return _dispatch([]) if is_repaired else WRONG_CONFIG
    except NoProfileYet:
        gc.enable()
        return _offer_setup(is_screen=not arguments)


def _run_program(arguments: list[str]) -> int:
    from frontdesk.cli.run_options import without_leading_run_options

    arguments = without_leading_run_options(arguments)
    if not arguments and "_FRONTDESK_COMPLETE" not in os.environ:
        gc.disable()  # nothing becomes garbage before the first paint; it costs an eighth of a start
        from frontdesk.app.run_tui import run_inbox

        return int(run_inbox() or 0)
    if arguments[:1] == ["--linear"]:
        from frontdesk.linear.run import run_linear

        return int(run_linear(arguments[1:], run) or 0)
    if arguments[:1] == ["demo"] and not {"--help", "-h"} & set(arguments):
        from frontdesk.app.run_demo import run_demo

        return int(run_demo(arguments[1:], run) or 0)
    from frontdesk.cli.commands import run_command

    return run_command(arguments, run)


def _offer_setup(*, is_screen: bool) -> int:
    """Offer the demo or an account: on a screen if the inbox was asked for and there is room, else as text."""
    if is_screen:
        from frontdesk.accounts import setup_app

        if setup_app.has_room():
            choice = setup_app.ask_for_setup()
            return 0 if choice is None else _run_program(["demo"] if choice == setup_app.DEMO else [])
    print("frontdesk has no profile yet.\n")
    print("  1  try it with sample data, no account needed (frontdesk demo)")
    print("  2  connect your platform account              (frontdesk login)\n")
    if not sys.stdin.isatty():
        return 2
    try:
        chosen = input("1 or 2, or anything else to quit: ").strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return INTERRUPTED
    command = {"1": "demo", "2": "login"}.get(chosen)
    return 0 if command is None else _run_program([command])
