"""Names that several records share, and short ids that tell these records apart."""

from collections import Counter
from collections.abc import Iterable, Mapping

MIN_ID_CELLS = 8
"""Minimum length of a shortened id, without its `…`."""

MAX_ID_CELLS = 64
"""Maximum length of the end that is searched for."""


def fold_name(name: str) -> str:
    """Return a name without case and spare blanks: equal results look alike to a reader."""
    return " ".join(name.casefold().split())


def shared_names(names: Iterable[str]) -> frozenset[str]:
    """Return the folded names that occur more than once; an empty name isn't shared."""
    counts = Counter(folded for name in names if (folded := fold_name(name)))
    return frozenset(folded for folded, count in counts.items() if count > 1)


def ids_of_namesakes(names: Mapping[str, str]) -> dict[str, str]:
    """Return a short id for each record whose name another record has too.

    Args:
        names: the names by id, of all records among which the short id must be unique.
    """
    shared = shared_names(names.values())
    return {each: shorten_id(each, names) for each, name in names.items() if fold_name(name) in shared}


def shorten_id(identity: str, others: Iterable[str]) -> str:
    """Return `…` and the end of an id that no other id has, or the whole id if that saves little."""
    ends = [each.casefold() for each in others if each != identity]
    for cells in range(MIN_ID_CELLS, min(len(identity) - 2, MAX_ID_CELLS)):
        end = identity[-cells:]
        if not any(each.endswith(end.casefold()) for each in ends):
            return f"…{end}"
    return identity
