"""`frontdesk web`: says where the inbox is in the browser, and serves it until ctrl+c."""

import asyncio
import logging
import os
import signal
import socket
from importlib.util import find_spec
from typing import Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.run_options import PRIVACY
from frontdesk.config.file_access import require_own
from frontdesk.config.paths import data_root
from frontdesk.config.program_files import install_command
from frontdesk.demo.sandbox_process import check_demo
from frontdesk_lines.privacy import is_private

INTERRUPTED = 130


def web(
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 0,
    demo: Annotated[bool, typer.Option("--demo", help="Open the demo, which needs no account.")] = False,
) -> int:
    """Open the inbox in a browser on this machine.

    Prints an address to open. Each tab is a screen of its own; ctrl+c ends them all.
    """
    if find_spec("textual_serve") is None or find_spec("aiohttp") is None:
        raise CommandFailed(INPUT_WRONG, f"browser support isn't installed; run: {install_command('web')}")
    if demo:
        check_demo(data_root())
    else:
        _check_profile()
    arguments = [PRIVACY] if is_private() else []
    return asyncio.run(_serve(port, [*arguments, *(["demo"] if demo else [])]))


def _check_profile() -> None:
    """Refuse a profile that doesn't exist, or whose store others can change, before any tab is opened.

    Raises:
        NoProfile: FRONTDESK_PROFILE names none of the config's. Without a name a tab offers to set one up.
        OpenToOthers: another user can change the store.
    """
    from frontdesk.config.settings import NoProfile, data_dir, load_config, resolve_profile
    from frontdesk.config.tables import ConfigError
    from frontdesk.storage.database_files import store_paths

    try:
        loaded = load_config()
    except ConfigError:
        return  # a tab offers to edit the file
    try:
        profile = resolve_profile(loaded, os.environ)
    except NoProfile:
        if os.environ.get("FRONTDESK_PROFILE"):
            raise
        return
    require_own(store_paths(data_dir(profile)))


async def _serve(port: int, arguments: list[str]) -> int:
    from frontdesk.web.server import LOOPBACK, TabServer

    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        words = f"port {port} can't be used ({why}); choose another one with --port, or omit --port"
        raise CommandFailed(INPUT_WRONG, words) from None
    stopped = asyncio.Event()
    signals: list[int] = []

    def stop(number: int) -> None:
        signals.append(number)
        stopped.set()

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(each, stop, each)
    # Whoever reaches the port may send what these would report; what goes wrong in here is logged by us.
    for name in ("aiohttp", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    server = TabServer(listening, arguments, os.environ)
    await server.serve(lambda: print(f"frontdesk in your browser: {server.address}", flush=True), stopped.wait())
    return INTERRUPTED if signals[:1] == [signal.SIGINT] else 0
