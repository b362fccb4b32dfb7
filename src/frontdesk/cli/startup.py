"""Pauses garbage collection while the inbox starts; called by `app.cli_main` and `app.run_tui`.

Nothing that is made until the first paint becomes garbage, and looking for it takes an eighth of a start.
"""

import gc


def begin() -> None:
    """Stop collecting garbage."""
    gc.disable()


def end() -> None:
    """Collect garbage again, but not what the start has left behind, which lives to the end."""
    if not gc.isenabled():
        gc.collect(0)
        gc.freeze()
        gc.enable()
