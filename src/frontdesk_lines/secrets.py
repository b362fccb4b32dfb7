"""The filter that keeps secrets out of what is shown; a program sets it before it shows anything."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(repr=False, eq=False)
class _Filter:
    hide: Callable[[str], str] = str
    max_letters: int = 0


# What a process may not show doesn't depend on who shows it.
_filter = _Filter()


def set_secrets(hide: Callable[[str], str], max_letters: int) -> None:
    """Set the filter.

    Args:
        hide: replaces secrets in a text, and returns the same object if there are none.
        max_letters: the longest form of a secret.
    """
    _filter.hide, _filter.max_letters = hide, max_letters


def hide_secrets(text: str, limit: int | None = None) -> str:
    """Replace the secrets in a text; return the same object if there are none.

    Args:
        limit: the characters that are shown, if it is cut afterwards: half of a secret isn't recognized.
    """
    end = len(text) if limit is None else limit + _filter.max_letters
    return _filter.hide(text) if len(text) <= end else _filter.hide(text[:end]) + text[end:]
