"""`frontdesk web`: says where the inbox or the wallboard is in the browser, and serves it until ctrl+c."""

import asyncio
import logging
import os
import re
import signal
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated
from urllib.parse import SplitResult, urlsplit

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.run_options import PRIVACY
from frontdesk.cli.store_session import with_store
from frontdesk.config.file_access import require_own
from frontdesk.config.paths import data_root
from frontdesk.config.program_files import install_command
from frontdesk.demo.sandbox_process import check_demo
from frontdesk_lines.privacy import is_private

if TYPE_CHECKING:
    from frontdesk.storage.database import ProfileStore
    from frontdesk.web.server import PageServer

INTERRUPTED = 130


def web(
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 0,
    demo: Annotated[bool, typer.Option("--demo", help="Open the demo, which needs no account.")] = False,
    board: Annotated[
        bool, typer.Option("--board", help="Serve a wallboard: one page of numbers from the store, without keys.")
    ] = False,
    public_url: Annotated[
        str,
        typer.Option(
            "--public-url",
            metavar="URL",
            help="The public https address of the reverse proxy in front of frontdesk.",
        ),
    ] = "",
) -> int:
    """Open the inbox or a wallboard in a browser.

    Prints an address to open. Each tab is a screen of its own; ctrl+c ends them all. A wallboard changes nothing
    and loads nothing from the platform: an open inbox or `frontdesk sync` keeps its numbers up to date.
    """
    if find_spec("textual_serve") is None or find_spec("aiohttp") is None:
        raise CommandFailed(INPUT_WRONG, f"browser support isn't installed; run: {install_command('web')}")
    origin = public_origin(public_url) if public_url else ""
    if board:
        if demo:
            words = (
                "--board shows a profile's store; open the demo, then run `frontdesk --profile demo web --board`"
            )
            raise CommandFailed(INPUT_WRONG, words)
        return with_store(lambda store: asyncio.run(_serve_board(port, store, origin)))
    if demo:
        check_demo(data_root())
    else:
        _check_profile()
    arguments = [PRIVACY] if is_private() else []
    return asyncio.run(_serve(port, [*arguments, *(["demo"] if demo else [])], origin))


def public_origin(url: str) -> str:
    """Return the origin of an https address, as browsers write it; raises `CommandFailed` for anything else."""
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # UnicodeError, too
        host, port, parts = "", None, SplitResult("", "", "", "", "")
    rest = (parts.username, parts.password, parts.path.strip("/"), parts.query, parts.fragment)
    if parts.scheme != "https" or not re.fullmatch(r"[a-z0-9.-]+|\[?[0-9a-f:]+\]?", host) or any(rest):
        words = "--public-url: write the address of the page, such as https://desk.example.com or with a port"
        raise CommandFailed(INPUT_WRONG, f"{words}; remove any path, user or query")
    name = f"[{host}]" if ":" in host else host
    return f"https://{name}" + (f":{port}" if port not in (None, 443) else "")


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


async def _serve(port: int, arguments: list[str], origin: str) -> int:
    from frontdesk.web.server import TabServer

    server = TabServer(_listen(port), arguments, os.environ, origin)
    return await _run(server, "frontdesk in your browser")


async def _serve_board(port: int, store: "ProfileStore", origin: str) -> int:
    from frontdesk.web.wallboard import BoardServer, board_reader

    return await _run(BoardServer(_listen(port), board_reader(store), origin), "wallboard in your browser")


def _listen(port: int) -> socket.socket:
    from frontdesk.web.server import LOOPBACK

    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        words = f"port {port} can't be used ({why}); choose another one with --port, or omit --port"
        raise CommandFailed(INPUT_WRONG, words) from None


async def _run(server: "PageServer", title: str) -> int:
    """Serve until a signal; return an exit status."""
    stopped = asyncio.Event()
    signals: list[int] = []

    def stop(number: int) -> None:
        signals.append(number)
        stopped.set()

    def started() -> None:
        print(f"{title}: {server.address}", flush=True)
        if server.public_address:
            print(f"public address: {server.public_address}", flush=True)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(each, stop, each)
    # Whoever reaches the port may send what these would report; what goes wrong in here is logged by us.
    for name in ("aiohttp", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    await server.serve(started, stopped.wait())
    return INTERRUPTED if signals[:1] == [signal.SIGINT] else 0
