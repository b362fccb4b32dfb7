"""The HTTP server of `frontdesk web`: a page, and a websocket for each tab that starts a terminal (`terminal.py`).

It listens on loopback alone, where every user and every web page of this machine can reach it. So each request
must have a name of the loopback as its host, one with an origin must come from that host's page, and a websocket
needs the token. The token is in the address's fragment, which browsers send to nobody; the page keeps it for its
tab and gives it to the websocket. It is no cookie: browsers send those of 127.0.0.1 to every port of it.
Connections that haven't shown it are few and short: each gets one answer, and a new one ends the oldest.

The page's terminal is the script of textual-serve, which also sets what a websocket says: `["stdin", text]`,
`["resize", {"width", "height"}]`, `["ping", text]`, `["focus"]` and `["blur"]`. Back go bytes, or JSON
(`page_messages.py`).

What a tab's page does besides painting: its title, notifications and links, found in what the program writes.

The page's terminal ignores these sequences (OSC), and page.js can't ask it for them; so the server reads them on
their way and sends each as JSON beside the bytes. Copied text needs none of this: the terminal handles OSC 52.
"""

import asyncio
import base64
import binascii
import json
import logging
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from frontdesk.config.hosts import is_loopback
from frontdesk.web.terminal import TabTerminal, start_terminal

PageMessage = list[str]
"""`["title", text]`, `["notify", text]` or `["link", url]`."""

MAX_SEQUENCE_BYTES = 1 << 17
"""A longer sequence is left alone; the longest of the screens is a copied text of 75 kB."""

MAX_LINK_CHARACTERS = 8192

_SEQUENCE = re.compile(rb"\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)")


class PageMessageReader:
    """Reads the messages out of a program's bytes, which may be cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[PageMessage]:
        """Return the messages of the sequences that these bytes complete."""
        data = self._rest + data
        messages, end = [], 0
        for found in _SEQUENCE.finditer(data):
            end = found.end()
            if message := _message(found[1].decode(errors="replace")):
                messages.append(message)
        begun = data.find(b"\x1b]", end)
        if begun >= 0 and len(data) - begun <= MAX_SEQUENCE_BYTES:
            self._rest = data[begun:]
        else:
            self._rest = b"\x1b" if data.endswith(b"\x1b") else b""
        return messages


def _message(sequence: str) -> PageMessage | None:
    number, _, text = sequence.partition(";")
    if number in ("0", "2"):
        return ["title", text]
    if number == "9":
        return ["notify", text]
    if number == "777" and text.startswith("notify;"):
        return ["notify", ": ".join(part for part in text.split(";")[1:] if part)]
    if number == "1337" and text.startswith("OpenURL=:"):
        url = _link(text.removeprefix("OpenURL=:"))
        return None if url is None else ["link", url]
    return None


def _link(encoded: str) -> str | None:
    """Return the web address of a link; None for anything else, such as a script."""
    try:
        url = base64.b64decode(encoded, validate=True).decode()
        parts = urlsplit(url)
    except (binascii.Error, ValueError):
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
    return url if is_web and len(url) <= MAX_LINK_CHARACTERS else None


LOOPBACK = "127.0.0.1"
MAX_TABS = 12
"""Each is two processes of about 50 MB."""

MAX_MESSAGE_BYTES = 1 << 20
"""What a tab may send at once, such as a pasted text."""

MAX_STRANGERS, STRANGER_SECONDS = 32, 10.0
"""Connections without the token at one time, and how long each may take; a page needs six for a moment."""

HEARTBEAT_SECONDS = 20.0
PROTOCOL = "frontdesk"
TOO_MANY_TABS, ENDED = 4001, 1000
"""Codes with which a websocket is closed; page.js has words for them."""

_SHUTDOWN_SECONDS = 8.0
_RETRY_SECONDS = 0.5

log = logging.getLogger(__name__)


PageFiles = Mapping[str, tuple[bytes, str]]
"""The files of a page, with their kinds, by the path below its address."""


class PageServer:
    """Serves a page on loopback, and what it shows to those who have the token.

    Args:
        public_origin: `https://NAME` or `https://NAME:PORT` of what ends TLS in front of it; empty without.
    """

    def __init__(self, listening: socket.socket, page: PageFiles, public_origin: str = "") -> None:
        self._listening, self._files = listening, page
        self._token = secrets.token_urlsafe(32)
        self._host = f"{LOOPBACK}:{listening.getsockname()[1]}"
        self._public_origin, self._public_host = public_origin, public_origin.removeprefix("https://")
        self._strangers: dict[asyncio.Transport, asyncio.TimerHandle] = {}

    @property
    def address(self) -> str:
        return f"http://{self._host}/#{self._token}"

    @property
    def public_address(self) -> str:
        """The address behind its public name; empty without one."""
        return self._public_origin and f"{self._public_origin}/#{self._token}"

    def add_routes(self, app: web.Application) -> None:
        """Add what the page asks for."""

    def connect_sources(self, host: str) -> str:
        """Return where the page may connect to, as its policy has it; `host` is what the browser has asked for."""
        raise NotImplementedError

    def is_token(self, offered: str) -> bool:
        return secrets.compare_digest(offered.encode(), self._token.encode())

    async def serve(self, started: Callable[[], None], until: Awaitable[object]) -> None:
        """Answer requests until something is done, then end every tab's program."""
        app = web.Application(middlewares=[self._check_sender], client_max_size=0)
        self.add_routes(app)
        app.router.add_get("/{name:.*}", self._serve_file)
        app.on_response_prepare.append(self._add_headers)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await runner.setup()
        accepting = asyncio.create_task(self._accept(runner))
        try:
            started()
            await until
        finally:
            accepting.cancel()
            self._listening.close()
            await runner.cleanup()

    async def _accept(self, runner: web.AppRunner) -> None:
        """Take one connection at a time, so that each is read before many others can push it out."""
        loop = asyncio.get_running_loop()
        self._listening.setblocking(False)
        assert runner.server is not None
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listening)
                transport, _ = await loop.connect_accepted_socket(runner.server, connection)
            except OSError:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            for each in list(self._strangers):
                if each.get_extra_info("socket").fileno() < 0:
                    self.forget(each)
            if len(self._strangers) >= MAX_STRANGERS:
                oldest = next(iter(self._strangers))
                self.forget(oldest)
                oldest.abort()
            self._strangers[transport] = loop.call_later(STRANGER_SECONDS, transport.abort)

    def forget(self, connection: asyncio.Transport | None) -> None:
        """Count and time a connection no longer."""
        if connection in self._strangers:
            self._strangers.pop(connection).cancel()

    @web.middleware
    async def _check_sender(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Refuse what doesn't come from this server's own page: a page elsewhere, or a name that leads here."""
        # Other servers of this address may have set any cookie.
        if not all(value.isascii() for name, value in request.headers.items() if name.lower() != "cookie"):
            return web.Response(status=400, text="A header isn't ASCII.\n")
        hosts, origins = request.headers.getall("Host", []), request.headers.getall("Origin", [])
        is_ours = len(hosts) == 1 and self._is_ours(hosts[0])
        # What ends TLS may pass on the public name as the host, or name this machine.
        allowed = [self._public_origin, *(f"http://{each}" for each in hosts if _is_own(each))]
        if not is_ours or not all(each and each in allowed for each in origins):
            return web.Response(status=403, text="This page belongs to another address.\n")
        return await handler(request)

    def _is_ours(self, host: str) -> bool:
        return _is_own(host) or (host != "" and host.removesuffix(":443") == self._public_host)

    async def _add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        host = request.headers.get("Host", "")
        sources = self.connect_sources(host if self._is_ours(host) else self._host)
        response.headers.update(_security_headers(sources))
        response.headers.setdefault("Connection", "close")
        response.force_close()

    async def _serve_file(self, request: web.Request) -> web.Response:
        body, kind = self._files.get(request.match_info["name"], (b"", ""))
        if not kind:
            return web.Response(status=404, text="There is no such page.\n")
        return web.Response(body=body, content_type=kind, charset="utf-8" if kind.startswith("text/") else None)


class TabServer(PageServer):
    """Serves the page and one terminal for each of its tabs, in which a frontdesk runs with these arguments."""

    def __init__(
        self,
        listening: socket.socket,
        arguments: Sequence[str],
        environ: Mapping[str, str],
        public_origin: str = "",
    ) -> None:
        super().__init__(listening, _page_files(), public_origin)
        self._arguments, self._environ = arguments, environ
        self._tabs: set[web.WebSocketResponse] = set()

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/screen", self._serve_tab)
        app.on_shutdown.append(self._close_tabs)

    def connect_sources(self, host: str) -> str:
        public = f"wss://{self._public_host}" if self._public_host else ""
        return " ".join(filter(None, (f"ws://{host}" if _is_own(host) else "", public)))

    async def _serve_tab(self, request: web.Request) -> web.StreamResponse:
        if "Origin" not in request.headers or not self._has_token(request):
            return web.Response(status=403, text="The token is missing or wrong.\n")
        self.forget(request.transport)
        tab = web.WebSocketResponse(
            protocols=(PROTOCOL,), heartbeat=HEARTBEAT_SECONDS, max_msg_size=MAX_MESSAGE_BYTES, compress=False
        )
        await tab.prepare(request)
        if len(self._tabs) >= MAX_TABS:
            await tab.close(code=TOO_MANY_TABS)
            return tab
        self._tabs.add(tab)
        try:
            size = _number(request.query.get("width"), 80), _number(request.query.get("height"), 24)
            try:
                terminal = await start_terminal(self._arguments, self._environ, *size)
            except OSError as error:
                log.warning("couldn't open a tab: %s", error)
                return tab
            await _connect(tab, terminal)
        finally:
            self._tabs.discard(tab)
        return tab

    def _has_token(self, request: web.Request) -> bool:
        offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
        return any(self.is_token(each.strip()) for each in offered)

    async def _close_tabs(self, _: web.Application) -> None:
        await asyncio.gather(*(tab.close(code=1001) for tab in self._tabs))


async def _connect(tab: web.WebSocketResponse, terminal: TabTerminal) -> None:
    """Carry bytes both ways until the program ends or the tab is closed, and end the other."""
    painting = asyncio.create_task(_paint(tab, terminal))
    typing = asyncio.create_task(_type(tab, terminal))
    try:
        await asyncio.wait((painting, typing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        closing = asyncio.create_task(terminal.close())
        painting.cancel()
        typing.cancel()
        await asyncio.gather(painting, typing, return_exceptions=True)
        await tab.close(code=ENDED)
        await closing


async def _paint(tab: web.WebSocketResponse, terminal: TabTerminal) -> None:
    """Send what the program writes; a browser that is slow lets the program wait, as any terminal does."""
    messages = PageMessageReader()
    try:
        while data := await terminal.read():
            await tab.send_bytes(data)
            for message in messages.feed(data):
                await tab.send_str(json.dumps(message))
    except ConnectionError:
        return  # the tab is gone


async def _type(tab: web.WebSocketResponse, terminal: TabTerminal) -> None:
    """Type what the tab sends; what isn't of the page's own form is skipped."""
    async for received in tab:
        if received.type is not WSMsgType.TEXT:
            continue
        try:
            message = json.loads(received.data)
        except (ValueError, RecursionError):
            continue
        match message:
            case ["stdin", str(text)]:
                await terminal.write(text.encode(errors="replace"))
            case ["resize", {"width": int(width), "height": int(height)}]:
                terminal.resize(width, height)
            case ["ping", str(text)]:
                await tab.send_str(json.dumps(["pong", text]))


def _is_own(host: str) -> bool:
    """Return whether a Host is a name of the loopback; SSH and proxies may give it another port."""
    found = re.fullmatch(r"(\[::1\]|[a-z0-9.]+)(:[0-9]{1,5})?", host)
    return found is not None and is_loopback(found[1].strip("[]"))


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 6 else default


def _page_files() -> PageFiles:
    """Return the page's files with their kinds by name: this package's own and those of textual-serve."""
    own, static = files("frontdesk.web") / "page", files("textual_serve") / "static"
    found = {
        "": (own / "index.html", "text/html"),
        "page.js": (own / "page.js", "text/javascript"),
        "token.js": (own / "token.js", "text/javascript"),
        "page.css": (own / "page.css", "text/css"),
        "textual.js": (static / "js" / "textual.js", "text/javascript"),
        "xterm.css": (static / "css" / "xterm.css", "text/css"),
        "roboto-mono.ttf": (static / "fonts" / "RobotoMono-VariableFont_wght.ttf", "font/ttf"),
    }
    return {name: (path.read_bytes(), kind) for name, (path, kind) in found.items()}


def _security_headers(connect_sources: str) -> dict[str, str]:
    # xterm.js writes its own style sheets into the page, which 'unsafe-inline' allows; no script is inline.
    policy: dict[str, Any] = {
        "default-src": "'none'",
        "img-src": "data:",
        "script-src": "'self'",
        "style-src": "'self' 'unsafe-inline'",
        "font-src": "'self'",
        "connect-src": connect_sources,
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Server": "frontdesk",
    }
