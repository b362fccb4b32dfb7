"""`frontdesk web` as a person meets it: in the tabs of a real, headless browser."""

import asyncio
import contextlib
import json
import re
import resource
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from frontdesk.storage.database import Store
from frontdesk.text.html_pages import html_table
from frontdesk.web import wallboard
from frontdesk_lines.wide_cells import position_cells
from lab.emulators.test_hard_strings import COLUMNS, ROWS, frames, wrong
from terminal.chromium import Chromium, Tab, chromium, executable
from terminal.conftest import LINE
from terminal.service import FRONTDESK, Home, Service, processes_of, wait_until_nothing_runs
from web.test_server import served
from web.test_wallboard import served as board_served

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.pty,
    pytest.mark.xdist_group("web"),
    pytest.mark.skipif(executable() is None, reason="there is no Chromium here"),
]

LIVE = "● live"


class WebDesk:
    """A running `frontdesk web` and a browser."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, browser: Chromium) -> None:
        self.process, self.address, self.browser = process, address, browser
        self.base = address.partition("#")[0]

    async def open(self) -> Tab:
        """Open the printed address in a tab and wait for the inbox."""
        tab = await self.browser.open(self.address)
        await tab.wait_for(LIVE)
        await tab.wait_for(lambda text: re.search(r"Conversations · [1-9]\d*(?! of|\d)", text) is not None)
        return tab


@asynccontextmanager
async def web_desk(home: Home, service: Service, folder: Path, *arguments: str) -> AsyncIterator[WebDesk]:
    """Start both, and end what is left of them."""
    process = await asyncio.create_subprocess_exec(
        *(FRONTDESK, *arguments, "web"), env=home.environment(service), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        found = re.fullmatch(r"frontdesk in your browser: (http://127\.0\.0\.1:\d+/#[\w-]{43})\n", line)
        assert found is not None, line
        async with chromium(folder) as browser:
            yield WebDesk(process, found[1], browser)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def find(tab: Tab, name: str) -> None:
    """Go to a customer by typing into the filter."""
    await tab.press("/")
    await tab.wait_for("enter keep")
    await tab.type(name)
    await tab.wait_for(lambda text: re.search(r"· 1 of \d+", text) is not None)
    await tab.press("enter")
    await tab.wait_for(f"╭─ {name}")


async def until(condition: object, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    assert callable(condition)
    while not condition():
        assert time.monotonic() < end, condition
        await asyncio.sleep(0.05)


async def test_a_task_is_completed_with_keys_alone_and_nothing_leaves_loopback(
    filled_home: Home, service: Service, tmp_path: Path
) -> None:
    async with web_desk(filled_home, service, tmp_path / "browser") as desk:
        tab = await desk.open()
        assert await tab.evaluate("location.href") == desk.base, "the token is out of the address"
        assert await tab.evaluate("history.length") <= 2
        assert re.search(r"frontdesk", await tab.evaluate("document.title"))

        await find(tab, "Vera Quickhand")
        await tab.press("s")
        text = await tab.wait_for(lambda text: re.search(r"Status · .*(.|\n)*\d  Completed", text) is not None)
        digit = re.search(r"(\d)  Completed", text)
        assert digit is not None
        await tab.press(digit[1])
        await until(lambda: service.task("task-C-Vera")["statusCase"] == "completed")

        clipboard = ["clipboardReadWrite", "clipboardSanitizedWrite"]  # reading it is for this test alone
        await desk.browser.call("Browser.grantPermissions", origin=desk.base.rstrip("/"), permissions=clipboard)
        await tab.press("y")
        copied = re.search(r"Copied (\S+)", await tab.wait_for("Copied"))
        assert copied is not None
        assert await tab.evaluate("navigator.clipboard.readText()") == copied[1]

        # Hebrew and emoji from an input method, then ctrl+v, which the browser does.
        await tab.press("escape", "/")
        await tab.wait_for("enter keep")
        await tab.type("שלום 👍")
        await tab.wait_for(lambda text: "םולש" in text and "👍" in text)
        await tab.evaluate("navigator.clipboard.writeText('pasted')")
        await tab.press("ctrl+v")
        await tab.wait_for("pasted")

        own = (desk.base, desk.base.replace("http:", "ws:", 1))
        assert tab.requests
        assert [each for each in tab.requests if not each.startswith(own)] == []
        assert not [each for each in tab.console if not each.startswith(("ping=", "warning: "))], tab.console


async def test_each_tab_is_a_screen_of_its_own_and_ends_with_it(
    filled_home: Home, service: Service, tmp_path: Path
) -> None:
    async with web_desk(filled_home, service, tmp_path / "browser") as desk:
        first, second = await desk.open(), await desk.open()
        await second.press("2")
        await second.wait_for("In progress")
        assert "Conversations ·" in await first.text()
        screens = [each for each in processes_of(filled_home).values() if "frontdesk.app.web_child" in each]
        assert len(screens) == 2

        await second.close()
        await until(lambda: sum("web_child" in each for each in processes_of(filled_home).values()) == 1)

        # A program that ends leaves its last words and a way back.
        await first.press("q")
        await first.until("!document.getElementById('notice').hidden")
        assert "Press Enter to open it again" in await first.evaluate("document.body.innerText")
        await first.press("enter")
        await first.until("document.getElementById('notice').hidden && window.terminalOfTest !== undefined")
        await first.wait_for(LIVE)

        await refuses_others(desk, service)

        desk.process.send_signal(signal.SIGINT)
        assert await desk.process.wait() == 130
        await first.until("!document.getElementById('notice').hidden")
        await asyncio.to_thread(wait_until_nothing_runs, filled_home)


async def test_it_opens_and_works_while_others_hold_and_flood_its_port(
    filled_home: Home, service: Service, tmp_path: Path
) -> None:
    async with web_desk(filled_home, service, tmp_path / "browser") as desk:
        host, _, port = desk.base.removeprefix("http://").rstrip("/").rpartition(":")
        loop = asyncio.get_running_loop()
        resource.prlimit(desk.process.pid, resource.RLIMIT_NOFILE, (256, 256))

        async def hold(begun: bytes) -> None:
            while True:
                with contextlib.suppress(OSError), socket.socket() as connection:
                    connection.setblocking(False)
                    await loop.sock_connect(connection, (host, int(port)))
                    await loop.sock_sendall(connection, begun)
                    await loop.sock_recv(connection, 1)

        idle, slow, bad = b"", b"GET /screen HTTP/1.1\r\nHost: ", b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n"
        holding = [asyncio.create_task(hold(each)) for each in (*[idle] * 250, *[slow] * 250, *[bad] * 20)]
        tab = await desk.open()
        await find(tab, "Vera Quickhand")
        assert not [each for each in holding if each.done()]
        for each in holding:
            each.cancel()
        await asyncio.gather(*holding, return_exceptions=True)


async def refuses_others(desk: WebDesk, service: Service) -> None:
    """A tab without the token, or of another origin, starts nothing."""
    for address in (desk.base, f"{desk.base}#{'x' * 43}"):
        tab = await desk.browser.open(address)
        await tab.until("document.getElementById('notice')?.hidden === false")
        assert "Open the whole address" in await tab.evaluate("document.body.innerText")
    foreign = await desk.browser.open(service.url)
    screen = json.dumps(desk.base.replace("http:", "ws:", 1) + "screen")
    protocols = json.dumps(["frontdesk", desk.address.partition("#")[2]])
    opened = await foreign.evaluate(
        f"new Promise((done) => {{ const socket = new WebSocket({screen}, {protocols});"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })"
    )
    assert opened == "refused"


async def test_a_strangers_text_stays_text_in_the_page(
    own_service: Service, home: Home, business: tuple[Path, Path], tmp_path: Path
) -> None:
    home.settle(requests_per_second=1000, requests_per_minute=6000, hints=False, notify="osc9")
    home.fill(own_service, business[1])
    async with web_desk(home, own_service, tmp_path / "browser") as desk:
        tab = await desk.open()
        await find(tab, "Vera Quickhand")
        await tab.evaluate(
            "window.notices = []; window.Notification = class {"
            " static permission = 'granted'; constructor(title, options) { window.notices.push(options.body); } };"
            "document.activeElement.blur()"
        )
        own_service.ask("POST", "/sandbox/messages", [hostile_message(own_service.url)])
        await tab.until("window.notices.some((each) => each.includes('<img'))")
        await tab.evaluate("document.querySelector('.xterm-helper-textarea').focus()")
        text = await tab.wait_for("/evil")
        row, line = next((y, line) for y, line in enumerate(text.split("\n")) if "/evil" in line)
        await tab.click(line.index("/evil") - 3, row)
        await tab.press("o")
        await tab.wait_for("Open in browser")
        assert await tab.evaluate("document.querySelectorAll('img, a, iframe').length") == 0
        assert await tab.evaluate("document.querySelectorAll('script').length") == 3
        assert not await opened(desk), "a click opens nothing"
        await tab.press("y")
        end = time.monotonic() + 60
        while not (found := await opened(desk)):
            assert time.monotonic() < end, (await desk.browser.targets(), tab.console)
            await asyncio.sleep(0.05)
        assert [each["canAccessOpener"] for each in found] == [False]
        assert await tab.evaluate("window.evil") is None


def hostile_message(url: str) -> dict[str, object]:
    """Return a message with HTML, and a link to a page of this URL."""
    return {
        "messageId": "hostile",
        "participantsIdentifiers": f"{LINE}#C-Vera",
        "message": f"<img src=x onerror=window.evil=1> {url}/evil",
        "createdAt": int(time.time() * 1000),
        "messageDirection": "incoming",
    }


async def opened(desk: WebDesk) -> list[dict[str, object]]:
    """Return the tabs of the link."""
    return [each for each in await desk.browser.targets() if "/evil" in each["url"]]


SHAPE = """[...document.querySelectorAll("h1, h2, table, caption, th[scope], [role], main, header")]
    .map((each) => each.localName + (each.getAttribute("role") ? `[${each.getAttribute("role")}]` : ""))"""
"""What a screen reader finds its way by."""

CONTRASTS = """(() => {
  const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
    .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  const isClear = (each) => getComputedStyle(each).backgroundColor.endsWith(", 0)");
  const ground = (each) => isClear(each) && each.parentElement ? ground(each.parentElement) : each;
  return [...document.querySelectorAll("h1, h2, p, caption, th, td")].map((each) => {
    const colors = [getComputedStyle(each).color, getComputedStyle(ground(each)).backgroundColor];
    const [low, high] = colors.map(light).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
})()"""
"""Of each text and the ground that it is on (WCAG 2, contrast ratio)."""

WATCH = """window.card = document.getElementById("waiting"); window.announced = 0;
new MutationObserver(() => announced++).observe(document.getElementById("state"),
    {childList: true, characterData: true, subtree: true})"""
"""Keeps an element, and counts what the live region announces."""


def numbers_of(state: str, words: str, count: int) -> str:
    """Return numbers as the wallboard's server gives them."""
    table = html_table(("Campaign", "Ends"), [("<b>Spring</b>", "10:40")], words=2, caption="as of 10:02")
    return (
        f'<div id="numbers" data-state="{state}" data-words="{words}" data-name="acme" data-answered="10:02">'
        '<section id="waiting" class="card" aria-labelledby="w"><h2 id="w">Waiting</h2>'
        f'<p class="value">{count}</p><p class="note">all 9 loaded · as of 10:02</p></section>'
        '<section id="campaigns" aria-labelledby="c"><h2 id="c">Running</h2>'
        f'<div class="wide">{table}</div></section></div>'
    )


async def test_the_wallboard_says_when_its_numbers_are_old_and_when_the_server_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wallboard, "MIN_SECONDS", 0.0)
    given = [("live", "Live", 7)]

    async def numbers() -> str:
        return numbers_of(*given[-1])

    async with chromium(tmp_path / "browser") as browser:
        async with board_served(numbers) as (server, _):
            base, _, token = server.address.partition("#")
            tab = await browser.open(server.address, 1920, 1080)
            await tab.until("document.body.dataset.state === 'live'")
            assert await tab.evaluate("location.href") == base, "the token is out of the address"
            assert await tab.evaluate("document.documentElement.lang") == "en"
            assert await tab.evaluate(SHAPE) == [
                *("header", "h1", "p[status]", "main", "h2", "h2", "table", "caption", "th", "th", "th")
            ]
            assert await tab.evaluate("document.querySelector('tbody th').textContent") == "<b>Spring</b>"

            await tab.evaluate(WATCH)
            given.append(("live", "Live", 8))
            await tab.evaluate("refresh()")
            assert await tab.evaluate("[card.isConnected, card.querySelector('.value').textContent]") == [
                True,
                "8",
            ]
            assert await tab.evaluate("announced") == 0

            given.append(("old", "Old numbers, not updated since 10:02", 8))
            await tab.evaluate("refresh()")
            assert await tab.evaluate("[document.body.dataset.state, announced]") == ["old", 1]
            assert min(await tab.evaluate(CONTRASTS)) >= 4.5

            phone = await browser.open(server.address, 390, 844)
            await phone.until("document.body.dataset.state === 'old'")
            assert await phone.evaluate("document.documentElement.scrollWidth") == 390
            await phone.go(f"{base}#{'x' * 43}")
            await phone.until("document.getElementById('state').textContent.includes('open the whole address')")
            assert await phone.evaluate("document.querySelectorAll('section').length") == 0
        await tab.evaluate("refresh()")
        gone = "No new numbers since 10:02: frontdesk doesn't answer."
        assert await tab.evaluate("document.getElementById('state').textContent") == gone
        assert await tab.evaluate("document.body.dataset.state") == "gone"
        assert min(await tab.evaluate(CONTRASTS)) >= 4.5
        assert not [each for each in tab.requests if not each.startswith(base) or token in each]


@pytest.mark.slow
async def test_no_hard_string_moves_a_cell_in_the_browsers_terminal(
    store: Store, wire: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The screens find in terminfo that the page's terminal erases to the current background.
    taken = await frames(store, wire, pages=1, position=partial(position_cells, erases=True))
    assert sum(len(expected) for _, _, expected in taken) > 10_000
    faults: list[str] = []
    async with served(monkeypatch) as desk, chromium(tmp_path / "browser") as browser:
        tab = await browser.open(desk.server.address)
        await tab.until("window.terminalOfTest !== undefined && document.body.classList.contains('-loaded')")
        await tab.evaluate(f"terminalOfTest.resize({COLUMNS}, {ROWS})")
        for name, written, expected in taken:
            await tab.paint(written)
            rows = await tab.cells()
            found = {(x, y): cell for y, row in enumerate(rows) for x, cell in enumerate(row) if cell.strip()}
            faults += [f"{name}: {each}" for each in wrong(expected, found)]
    assert not faults
