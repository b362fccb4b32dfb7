"""`textual serve "frontdesk demo"`: Textual's own web server draws the inbox with its own driver."""

import sys
from pathlib import Path

import pyte
import pytest

pytest.importorskip("textual_serve")
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from tui.hosts import until


class Tab:
    """What the browser's tab shows of a command."""

    def __init__(self, command: str) -> None:
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)
        self.is_closed = False
        self.service = AppService(
            command,
            write_bytes=self._write,
            write_str=self._ignore,
            close=self._close,
            download_manager=DownloadManager(),
        )

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    async def _write(self, data: bytes) -> None:
        self._stream.feed(data)

    async def _ignore(self, text: str) -> None: ...

    async def _close(self) -> None:
        self.is_closed = True


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(("words", "shown"), [("demo", "Conversations"), ("", "Welcome to frontdesk")])
async def test_the_inbox_opens_in_it_and_ends_with_its_tab(
    words: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("TERM", raising=False)
    tab = Tab(f"exec {sys.executable} -m frontdesk {words}")
    await tab.service.start(100, 30)
    try:
        await until(lambda: shown in tab.text)
        if words:
            await tab.service.send_bytes(b"?")
            await until(lambda: "Type what you want to do" in tab.text)
    finally:
        await tab.service.stop()
    assert tab.is_closed
    assert tab.service._process is not None
    assert await tab.service._process.wait() == 0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
