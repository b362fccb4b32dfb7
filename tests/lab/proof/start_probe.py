"""Runs `frontdesk`, and writes to a file what it cost up to the first screen with conversations.

`proof.start` runs it in a terminal: `python start_probe.py FILE`. It imports little, since modules are counted.
"""

import os
import sys
from types import FrameType

FILE = sys.argv.pop()
BAR = "▌"
"""What shows the cursor of a list that has rows."""

before = {*sys.modules}
calls = writes = 0


def count(frame: FrameType, event: str, _: object) -> None:
    """Count every call on the main thread until the list is written to the terminal."""
    global calls, writes
    if event != "call":
        return
    calls += 1
    if frame.f_code.co_name == "write" and frame.f_code.co_filename.endswith("_writer_thread.py"):
        writes += 1
        if BAR in frame.f_locals["text"]:
            sys.setprofile(None)
            tell()


def tell() -> None:
    """Write the counts, whole or not at all."""
    loaded = [each for each in sys.modules if each not in before]
    ours = sum(each.startswith("frontdesk") for each in loaded)
    with open(f"{FILE}.part", "w") as file:
        file.write(f"{calls} {writes} {len(loaded)} {ours}")
    os.rename(f"{FILE}.part", FILE)


sys.setprofile(count)
from frontdesk.cli.main import main  # noqa: E402 - what it costs to import is counted

main()
