"""A headless Chromium of our own, driven over its DevTools protocol; used by the tests of the web page.

A small client instead of a library: aiohttp comes with the program, and a dozen calls are enough.
"""

import asyncio
import base64
import itertools
import json
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

PATIENCE = 60.0

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps"),
    *("--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-port=0"),
)

# textual.js keeps its terminal to itself: the first of these properties that it sets gives away the object.
_SHOW_TERMINAL = """
Object.defineProperty(Object.prototype, "fitAddon", {
  configurable: true,
  set(value) {
    delete Object.prototype.fitAddon;
    this.fitAddon = value;
    window.terminalOfTest = this.terminal;
  },
});
"""

_ROWS = """
(() => {
  const buffer = window.terminalOfTest?.buffer.active;
  if (!buffer) return [];
  return [...Array(window.terminalOfTest.rows).keys()].map((y) => {
    const line = buffer.getLine(y), cells = [];
    for (let x = 0; x < window.terminalOfTest.cols; x++) cells.push(line.getCell(x).getChars());
    return cells;
  });
})()
"""

KEYS = {
    "enter": ("Enter", 13, "\r"),
    "escape": ("Escape", 27, ""),
    "tab": ("Tab", 9, ""),
    "down": ("ArrowDown", 40, ""),
    "up": ("ArrowUp", 38, ""),
    **{f"f{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
"""The browser's name of a key, its number, and the text that it types."""

CTRL = 2


def executable() -> str | None:
    """Return where Chromium is; None where it isn't."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Tab:
    """One tab, with every address that it asked for."""

    def __init__(self, browser: "Chromium", target: str, session: str) -> None:
        self._browser, self.target, self._session = browser, target, session
        self.requests: list[str] = []
        self.received_bytes = 0
        """Of the websocket."""
        self.console: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        return await self._browser.call(method, self._session, **parameters)

    async def evaluate(self, expression: str, *, is_gesture: bool = False) -> Any:
        """Return the value of an expression of the page."""
        found = await self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            userGesture=is_gesture,
        )
        return found["result"].get("value")

    async def go(self, url: str) -> None:
        """Open an address, without waiting for anything."""
        await self.call("Page.navigate", url=url)

    async def press(self, *keys: str) -> None:
        """Press keys: a character, a name of `KEYS`, or `ctrl+` with a letter."""
        for each in keys:
            control = each.startswith("ctrl+")
            key = each.removeprefix("ctrl+")
            name, number, text = KEYS.get(key, (key, ord(key[0].upper()), key))
            event: dict[str, Any] = {
                "key": name,
                "windowsVirtualKeyCode": number,
                "modifiers": CTRL if control else 0,
            }
            text = "" if control else text
            if each == "ctrl+v":  # over the protocol a key does nothing of the browser's own
                event["commands"] = ["paste"]
            await self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **event)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    async def click(self, column: int, row: int) -> None:
        """Click on a cell of the terminal."""
        box = await self.evaluate(
            "(({left, top, width, height}) => [left, top, width, height])"
            "(document.querySelector('.xterm-screen').getBoundingClientRect())"
        )
        size = await self.evaluate("[terminalOfTest.cols, terminalOfTest.rows]")
        at = {"x": box[0] + (column + 0.5) * box[2] / size[0], "y": box[1] + (row + 0.5) * box[3] / size[1]}
        await self.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    async def paint(self, written: str) -> None:
        """Write to the page's terminal as if a program did, and wait until it is done."""
        await self.evaluate(f"new Promise((done) => terminalOfTest.write({json.dumps(written)}, done))")

    async def type(self, text: str) -> None:
        """Type text as an input method does, which any script and emoji may come from."""
        await self.call("Input.insertText", text=text)

    async def cells(self) -> list[list[str]]:
        """Return the terminal's cells by row; the second cell of a wide sign has no text."""
        found: list[list[str]] = await self.evaluate(_ROWS)
        return found

    async def text(self) -> str:
        """Return the terminal's text without blanks at the ends of its lines."""
        rows = await self.evaluate(
            "[...Array(window.terminalOfTest?.rows ?? 0).keys()].map((y) =>"
            " window.terminalOfTest.buffer.active.getLine(y).translateToString(true)).join('\\n')"
        )
        return str(rows)

    async def wait_for(self, wanted: str | Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """Wait until the terminal's text has something, and return it.

        Raises:
            TimeoutError: it never had; the text is the last one.
        """
        is_there = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        end = time.monotonic() + seconds
        while not is_there(text := await self.text()):
            if time.monotonic() > end:
                raise TimeoutError(f"{wanted!r} is not there:\n{text}\n{self.console}")
            await asyncio.sleep(0.05)
        return text

    async def until(self, expression: str, seconds: float = PATIENCE) -> None:
        """Wait until an expression of the page is true."""
        end = time.monotonic() + seconds
        while not await self.evaluate(expression):
            assert time.monotonic() < end, f"never true: {expression}; {self.console}"
            await asyncio.sleep(0.05)

    async def picture(self) -> bytes:
        """Return a PNG of what is seen."""
        shot = await self.call("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])

    async def close(self) -> None:
        """Close it without the page's question."""
        await self._browser.call("Target.closeTarget", targetId=self.target)

    def note(self, method: str, told: dict[str, Any]) -> None:
        """Take in an event of this tab."""
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(told["url"])
        elif method == "Network.webSocketFrameReceived":
            frame = told["response"]
            size = len(frame["payloadData"])
            self.received_bytes += size if frame["opcode"] == 1 else size * 3 // 4
        elif method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(each.get("value")) for each in told["args"]))
        elif method == "Runtime.exceptionThrown":
            self.console.append(json.dumps(told["exceptionDetails"])[:500])
        elif method == "Log.entryAdded":
            self.console.append(f"{told['entry']['level']}: {told['entry']['text']}")


class Chromium:
    """A running browser; made by `chromium`."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._tabs: dict[str, Tab] = {}
        self._reading = asyncio.create_task(self._read())

    async def open(self, url: str, width: int = 1280, height: int = 800) -> Tab:
        """Open an address in a new tab."""
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        attached = await self.call("Target.attachToTarget", targetId=target, flatten=True)
        tab = self._tabs[attached["sessionId"]] = Tab(self, target, attached["sessionId"])
        for domain in ("Network", "Page", "Runtime", "Log"):
            await tab.call(f"{domain}.enable")
        await tab.call("Page.addScriptToEvaluateOnNewDocument", source=_SHOW_TERMINAL)
        await tab.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        await tab.go(url)
        return tab

    async def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, in a tab's session or else of the browser."""
        number = next(self._numbers)
        asked: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            asked["sessionId"] = session
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json(asked)
        return await asyncio.wait_for(self._waiting[number], PATIENCE)

    async def targets(self) -> list[dict[str, Any]]:
        """Return what is open."""
        found: list[dict[str, Any]] = (await self.call("Target.getTargets"))["targetInfos"]
        return found

    async def _read(self) -> None:
        async for received in self._socket:
            if received.type is not WSMsgType.TEXT:
                continue
            told = received.json()
            if "id" in told:
                answer = self._waiting.pop(told["id"])
                if answer.done():
                    continue
                if "error" in told:
                    answer.set_exception(RuntimeError(str(told["error"])))
                else:
                    answer.set_result(told["result"])
            elif (tab := self._tabs.get(told.get("sessionId", ""))) is not None:
                tab.note(told["method"], told["params"])

    async def stop(self) -> None:
        """Stop reading."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Chromium]:
    """Run a browser with a new, empty profile in a folder, and end it."""
    program = executable()
    assert program is not None
    environ = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        program,
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=environ,
        start_new_session=True,
    )
    try:
        address = await _debugging_address(folder / "profile" / "DevToolsActivePort")
        async with ClientSession() as session, session.ws_connect(address, max_msg_size=0) as socket:
            browser = Chromium(socket)
            try:
                yield browser
            finally:
                await browser.stop()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _debugging_address(path: Path) -> str:
    end = time.monotonic() + PATIENCE
    while len(lines := _lines(path)) != 2:
        assert time.monotonic() < end, "Chromium doesn't start"
        await asyncio.sleep(0.05)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"


def _lines(path: Path) -> list[str]:
    return path.read_text().split("\n") if path.exists() else []
