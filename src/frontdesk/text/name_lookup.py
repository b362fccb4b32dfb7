"""Finding people, statuses, tags and profiles by what a person typed: an id, a name or its beginning.

Called by the linear mode; pure.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

Id = TypeVar("Id", bound=str)

MAX_NAMED = 6


class NoSuchName(ValueError):
    """What was typed names none of them, or several; the text says which there are."""


def find_named(typed: str, names: Mapping[Id, str], what: str) -> Id:
    """The id that was meant: an id as it is, a whole name, else the one name that begins so or holds it.

    Args:
        what: what they are, for the refusal: `status`, `person`.

    Raises:
        NoSuchName: none or several are meant.
    """
    wanted = " ".join(typed.casefold().split())
    for each in names:
        if each == typed.strip():
            return each
    folded = {each: " ".join(name.casefold().split()) for each, name in names.items()}
    for means in (str.__eq__, str.startswith, _has_word, str.__contains__):
        found = [each for each, name in folded.items() if wanted and means(name, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NoSuchName(f"{typed.strip()} may be {_listed([names[each] for each in found], 'or')}")
    known = _listed(list(names.values()), "and") or "none yet"
    raise NoSuchName(f"no {what} is called {typed.strip() or 'nothing'}; known are {known}")


def nearest(typed: str, known: Sequence[str]) -> list[str]:
    """What may have been meant by a word that is none of these: all that begin so, else the one most like it."""
    begun = [each for each in known if typed and each.startswith(typed)]
    return begun or get_close_matches(typed, known, n=1)


def _has_word(name: str, wanted: str) -> bool:
    return any(word.startswith(wanted) for word in name.split())


def _listed(names: list[str], word: str) -> str:
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} more"]
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
