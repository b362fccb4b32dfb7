"""Takes browser.png, the demo in a tab of headless Chromium; it shows today's date.

PYTHONPATH=src:tests .venv/bin/python screenshots/browser.py
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from terminal.chromium import chromium

PICTURE = Path(__file__).with_name("browser.png")
FRONTDESK = Path(sys.executable).with_name("frontdesk")
READ = "waiting > 1h 1"
"""Shown once enough threads were read."""


async def take_picture(folder: Path) -> None:
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("FRONTDESK_", "XDG_"))}
    process = await asyncio.create_subprocess_exec(
        FRONTDESK, "web", "--demo", env={**environ, "HOME": str(folder)}, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().split()[-1]
        async with chromium(folder / "browser") as browser:
            tab = await browser.open(address)
            await tab.wait_for(READ, 120)
            await tab.press("j")
            await asyncio.sleep(2)  # the thread is painted, whatever it has
            PICTURE.write_bytes(await tab.picture())
    finally:
        process.terminate()
        await process.wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        asyncio.run(take_picture(Path(scratch)))
