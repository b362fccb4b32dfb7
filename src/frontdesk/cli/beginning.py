"""What is left out while the inbox starts, and taken up again once it is painted; used by `inbox` and `main`.

A third of a start would go into these and change nothing that is seen.
"""

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frontdesk.cli.compiled import Compiled

_compiled: "list[Compiled]" = []


def begin() -> None:
    """From the first import on: nothing that is made while starting becomes garbage, so none is looked for,
    and what an earlier start compiled is not compiled again.
    """
    gc.disable()
    from frontdesk.cli.compiled import Compiled
    from frontdesk.folders import cache_dir

    _compiled.append(Compiled(cache_dir() / f"compiled-{sys.implementation.cache_tag}.bin"))
    _compiled[-1].take_up()


def leave_network_out() -> None:
    """asyncio loads OpenSSL where it can; the process that draws opens no connection of its own."""
    if "asyncio" not in sys.modules:
        sys.modules.setdefault("ssl", None)  # type: ignore[arg-type]


def end() -> None:
    """After the first paint. What lives by now lives to the end: later searches for garbage pass it by."""
    if "ssl" in sys.modules and sys.modules["ssl"] is None:
        del sys.modules["ssl"]
    while _compiled:
        _compiled.pop().put_down()
    if not gc.isenabled():
        gc.collect(0)
        gc.freeze()
        gc.enable()
