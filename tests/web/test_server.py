"""Who may reach the server of `frontdesk web`, and what it answers to everybody."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError

from frontdesk.web import server as server_module
from frontdesk.web.server import ENDED, MAX_STRANGERS, MAX_TABS, TOO_MANY_TABS, TabServer

pytestmark = pytest.mark.anyio


class EchoTerminal:
    """Stands for a terminal whose program repeats what is typed."""

    def __init__(self) -> None:
        self.written: asyncio.Queue[bytes] = asyncio.Queue()
        self.sizes: list[tuple[int, int]] = []
        self.closed = asyncio.Event()

    async def read(self) -> bytes:
        return await self.written.get()

    async def write(self, data: bytes) -> None:
        await self.written.put(b"" if data == b"q" else data)

    def resize(self, columns: int, rows: int) -> None:
        self.sizes.append((columns, rows))

    async def close(self) -> None:
        self.closed.set()


class Desk:
    """A server, and the terminals that it has started."""

    def __init__(self, server: TabServer, session: ClientSession) -> None:
        self.server, self.session = server, session
        self.base, _, self.token = server.address.partition("/#")
        self.terminals: list[EchoTerminal] = []

    async def status(self, path: str = "/", headers: Mapping[str, str] | None = None, method: str = "GET") -> int:
        async with self.session.request(method, self.base + path, headers=headers) as reply:
            return reply.status

    def tab(self, token: str | None = None, origin: str | None = "", **headers: str) -> Any:
        given = {"Origin": origin or self.base} if origin is not None else {}
        protocols = ("frontdesk", token or self.token)
        return self.session.ws_connect(
            f"{self.base}/screen?width=100&height=30", protocols=protocols, headers={**given, **headers}
        )


@asynccontextmanager
async def served(monkeypatch: pytest.MonkeyPatch, public: str = "") -> AsyncIterator[Desk]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = TabServer(listening, [], {}, public)
    started, stopped = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(server.serve(started.set, stopped.wait()))
    async with ClientSession() as session:
        desk = Desk(server, session)

        async def start(_arguments: object, _environ: object, columns: int, rows: int) -> EchoTerminal:
            desk.terminals.append(EchoTerminal())
            desk.terminals[-1].resize(columns, rows)
            return desk.terminals[-1]

        monkeypatch.setattr(server_module, "start_terminal", start)
        await started.wait()
        yield desk
    stopped.set()
    await serving


async def test_it_listens_on_loopback_and_its_page_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        assert desk.base.startswith("http://127.0.0.1:")
        assert len(desk.token) >= 43  # 256 bits
        for name in ("/", "/page.js", "/token.js", "/page.css", "/textual.js", "/xterm.css", "/roboto-mono.ttf"):
            async with desk.session.get(desk.base + name) as reply:
                assert reply.status == 200
                assert desk.token.encode() not in await reply.read()
        assert await desk.status("/../server.py") == 404
        assert await desk.status("/static/js/textual.js") == 404
        assert await desk.status(method="POST") == 405


async def test_a_foreign_host_or_origin_is_refused_on_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        host = desk.base.removeprefix("http://")
        port = host.rpartition(":")[2]
        for path in ("/", "/page.js", "/screen", "/nothing"):
            for foreign in (
                "evil.example",
                f"evil.example:{port}",
                f"127.0.0.1.evil.example:{port}",
                f"127.999.0.1:{port}",
                "127.0.0.1:x",
                "a@127.0.0.1:1",
                f"{host}.evil.example",
            ):
                assert await desk.status(path, {"Host": foreign}) == 403, (path, foreign)
            for foreign in (
                "http://evil.example",
                "null",
                "http://127.0.0.1:1",
                f"https://{host}",
                f"http://a@{host}",
            ):
                assert await desk.status(path, {"Origin": foreign}) == 403, (path, foreign)
        assert await desk.status("/", {"Host": f"localhost:{port}", "Origin": desk.base}) == 403


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:9000", "127.9.9.9", "[::1]:9000"])
async def test_a_loopback_name_may_have_the_port_of_a_tunnel(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    async with served(monkeypatch) as desk:
        async with desk.session.get(desk.base, headers={"Host": host, "Origin": f"http://{host}"}) as reply:
            assert reply.status == 200
            assert f"connect-src ws://{host};" in reply.headers["Content-Security-Policy"]
        assert await desk.status("/", {"Host": host, "Origin": desk.base}) == 403
        async with desk.tab(origin=f"http://{host}", Host=host) as tab:
            await tab.send_str('["stdin", "x"]')
            assert await tab.receive_bytes() == b"x"


async def test_behind_a_public_name_a_tab_connects_to_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, "https://desk.example.com") as desk:
        headers = {"Host": "desk.example.com", "Origin": "https://desk.example.com"}
        async with desk.session.get(desk.base, headers=headers) as reply:
            assert "connect-src wss://desk.example.com;" in reply.headers["Content-Security-Policy"]
        async with desk.session.get(desk.base) as reply:
            own = desk.base.replace("http", "ws", 1)
            assert f"connect-src {own} wss://desk.example.com;" in reply.headers["Content-Security-Policy"]
        async with desk.tab(origin="https://desk.example.com", Host="desk.example.com") as tab:
            await tab.send_str('["stdin", "x"]')
            assert await tab.receive_bytes() == b"x"
        with pytest.raises(WSServerHandshakeError):
            await desk.tab(origin="http://desk.example.com", Host="desk.example.com")


async def test_a_screen_needs_the_token_and_the_pages_own_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        wrong = [
            desk.tab("x" * 43),
            desk.tab(desk.token[:-1]),
            desk.tab(desk.token.swapcase()),
            desk.tab("frontdesk"),
            desk.tab(origin=None),
            desk.tab(origin="http://evil.example"),
            desk.tab(origin="null"),
            desk.tab(Host="evil.example"),
        ]
        for each in wrong:
            with pytest.raises(WSServerHandshakeError) as refused:
                await each
            assert refused.value.status == 403
        # Nowhere else does the token count.
        assert await desk.status(f"/screen?token={desk.token}", {"Cookie": f"token={desk.token}"}) == 403
        assert desk.terminals == []
        async with desk.tab() as tab:
            assert tab.protocol == "frontdesk"
            await tab.send_str(json.dumps(["stdin", "שלום 👍"]))
            assert await tab.receive_bytes() == "שלום 👍".encode()
    assert [each.closed.is_set() for each in desk.terminals] == [True]


async def test_every_answer_keeps_the_page_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        for path, headers in (("/", {}), ("/nothing", {}), ("/screen", {}), ("/", {"Host": "evil.example"})):
            async with desk.session.get(desk.base + path, headers=headers) as reply:
                policy = reply.headers["Content-Security-Policy"]
                assert "default-src 'none'; " in policy
                assert "script-src 'self';" in policy
                assert "frame-ancestors 'none'" in policy
                assert f"connect-src {desk.base.replace('http', 'ws', 1)};" in policy
                assert reply.headers["Referrer-Policy"] == "no-referrer"
                assert reply.headers["Cache-Control"] == "no-store"
                assert reply.headers["X-Content-Type-Options"] == "nosniff"
                assert reply.headers["Cross-Origin-Opener-Policy"] == "same-origin"
                assert "Set-Cookie" not in reply.headers
                assert "aiohttp" not in str(reply.headers)


async def test_what_a_page_may_not_send_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk, desk.tab() as tab:
        for each in (
            "",
            "[",
            "{}",
            "[]",
            '["stdin"]',
            '["stdin", 1]',
            '["resize", {"width": "1"}]',
            '["exit"]',
            "[" * 9999,
        ):
            await tab.send_str(each)
        await tab.send_bytes(b'["stdin", "bytes"]')
        await tab.send_str('["resize", {"width": 90, "height": 25}]')
        await tab.send_str('["ping", "5"]')
        assert json.loads(await tab.receive_str()) == ["pong", "5"]
        assert desk.terminals[0].sizes == [(100, 30), (90, 25)]
        await tab.send_str(json.dumps(["stdin", "\x1b]2;title\a"]))
        assert await tab.receive_bytes() == b"\x1b]2;title\a"
        assert json.loads(await tab.receive_str()) == ["title", "title"]


async def test_a_tab_closes_when_its_program_ends_and_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        async with desk.tab() as tab:
            await tab.send_str('["stdin", "q"]')
            assert (await tab.receive()).type is WSMsgType.CLOSE
            assert tab.close_code == ENDED
        other = await desk.tab()
        await other.close()
        await desk.terminals[1].closed.wait()
        assert len(desk.terminals) == 2


async def test_those_without_the_token_are_few_and_shut_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "STRANGER_SECONDS", 3600.0)
    async with served(monkeypatch) as desk, desk.tab() as tab:
        host, _, port = desk.base.removeprefix("http://").rpartition(":")
        idle = [await asyncio.open_connection(host, int(port)) for _ in range(3 * MAX_STRANGERS)]
        assert await desk.status() == 200
        async with desk.tab() as other:
            await other.send_str('["stdin", "x"]')
            assert await other.receive_bytes() == b"x"
        async with asyncio.timeout(60):
            for reader, _ in idle[: 2 * MAX_STRANGERS]:
                assert await ended(reader)
        await tab.send_str('["stdin", "x"]')
        assert await tab.receive_bytes() == b"x"
        for _, writer in idle:
            writer.close()


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost: 127", b"GET /page.js HTTP/1.1\r\nX: " + b"x" * 99]
)
async def test_one_without_the_token_is_ended_after_a_while(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(server_module, "STRANGER_SECONDS", 0.2)
    async with served(monkeypatch) as desk, desk.tab() as tab:
        host, _, port = desk.base.removeprefix("http://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(begun)
        async with asyncio.timeout(60):
            assert await ended(reader)
        await tab.send_str('["stdin", "x"]')
        assert await tab.receive_bytes() == b"x"
        writer.close()


async def ended(reader: asyncio.StreamReader) -> bool:
    """Wait until the server ends a connection without a byte."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


async def test_one_connection_without_the_token_gets_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        for path in ("/", "/nothing", "/screen"):
            async with desk.session.get(desk.base + path) as reply:
                assert reply.headers["Connection"] == "close"


async def test_there_are_no_more_tabs_than_a_machine_can_carry(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as desk:
        tabs = [await desk.tab() for _ in range(MAX_TABS)]
        async with desk.tab() as tab:
            assert (await tab.receive()).type is WSMsgType.CLOSE
            assert tab.close_code == TOO_MANY_TABS
        await tabs[0].close()
        await desk.terminals[0].closed.wait()
        async with desk.tab() as tab:
            await tab.send_str('["stdin", "x"]')
            assert await tab.receive_bytes() == b"x"
        assert len(desk.terminals) == MAX_TABS + 1
    assert all(each.closed.is_set() for each in desk.terminals)
