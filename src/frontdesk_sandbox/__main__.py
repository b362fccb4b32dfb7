"""`python -m frontdesk_sandbox`: the service as a child process of tests and of the demo."""

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from frontdesk_sandbox.options import LANGUAGES, MAX_SPEED, PLANS, SIZES, SandboxCannotStart, SandboxOptions


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; one line on standard output once it can be used."""
    values = vars(_parser().parse_args(arguments))
    values["allow_hosts"] = tuple(values["allow_hosts"])
    if values.pop("with_parent"):
        threading.Thread(target=_end_with_parent, daemon=True).start()
    from frontdesk_sandbox.service import run  # heavy: not before the arguments are known to be right

    try:
        run(SandboxOptions(**values), _announce)
    except SandboxCannotStart as error:
        sys.stderr.write(f"frontdesk: {error}\n")
        return 2
    return 0


def _announce(url: str) -> None:
    sys.stdout.write(f"sandbox ready at {url}\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """End when standard input closes, whose other end the parent holds."""
    # Not through sys.stdin: its lock, held by a thread, makes Python abort when the process ends.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _parser() -> argparse.ArgumentParser:
    default = SandboxOptions()
    parser = argparse.ArgumentParser(prog="frontdesk sandbox")
    parser.add_argument("--host", default=default.host)
    parser.add_argument("--port", type=int, default=default.port)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--size", choices=SIZES, default=default.size)
    parser.add_argument("--no-crowd", dest="crowd", action="store_false")
    parser.add_argument("--speed", type=_speed, default=default.speed)
    parser.add_argument("--language", choices=LANGUAGES, default=default.language)
    parser.add_argument("--plan", choices=PLANS, default=default.plan)
    parser.add_argument(
        "--other-codes",
        action="store_true",
        help="randomly use other status codes of the same class where the platform's docs give none",
    )
    parser.add_argument(
        "--allow-host",
        dest="allow_hosts",
        action="append",
        default=[],
        metavar="NAME",
        help="also answer requests to this name or NAME:PORT; may be repeated",
    )
    parser.add_argument("--listen-fd", type=int, default=None)
    parser.add_argument("--with-parent", action="store_true", help="exit when standard input closes")
    return parser


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 < speed <= MAX_SPEED:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most {MAX_SPEED:.0f}")
    return speed


if __name__ == "__main__":
    sys.exit(main())
