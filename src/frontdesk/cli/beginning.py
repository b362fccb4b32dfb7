"""What is left out while the inbox starts, and taken up again once it is painted; used by `inbox` and `main`.

An eighth of a start would go into these two and change nothing that is seen.
"""

import gc
import sys


def begin() -> None:
    """From the first import on: nothing that is made while starting becomes garbage, so none is looked for."""
    gc.disable()


def leave_network_out() -> None:
    """asyncio loads OpenSSL where it can; the process that draws opens no connection of its own."""
    if "asyncio" not in sys.modules:
        sys.modules.setdefault("ssl", None)  # type: ignore[arg-type]


def end() -> None:
    """After the first paint. What lives by now lives to the end: later searches for garbage pass it by."""
    if "ssl" in sys.modules and sys.modules["ssl"] is None:
        del sys.modules["ssl"]
    if not gc.isenabled():
        gc.collect(0)
        gc.freeze()
        gc.enable()
