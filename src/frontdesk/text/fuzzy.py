"""Fuzzy matching of normalized names, for jumping, the filter's `~`, commands, tags and people.

`storage.full_text` does the same in SQL for very many names.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import IntEnum
from typing import TypeVar

from frontdesk.text.normalize import normalize, split_words
from frontdesk_lines.privacy import is_private

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


Id = TypeVar("Id")
StrId = TypeVar("StrId", bound=str)

MAX_NAMED = 6
"""Maximum number of names listed in a refusal."""

MAX_TERMS = 60
"""Maximum terms of a view or filter: SQLite can't take 1,000, and a page pasted by mistake has more."""

MAX_SCATTERED_LETTERS = 500
"""Maximum length of a name, and of typed text, for matching scattered letters."""

MAX_LEFT_OUT = 3
"""Maximum number of letters skipped in one place: `jnthn` is Jonathan, `mt` isn't Margaret."""

MAX_WORDS_LEFT_OUT = 1
"""Maximum number of words skipped in one place: `dnlv` is Dana Levi and Dana Maria Levi."""


class Fit(IntEnum):
    """Ways in which a name matches, the best first."""

    BEGINS = 0
    """The name begins with the typed text."""
    WORDS_BEGIN = 1
    """The name contains the typed text from the beginning of a word."""
    EACH_BEGINS = 2
    """Each typed word begins a word of the name."""
    HELD = 3
    """The name contains each typed word."""
    SCATTERED = 4
    """The name contains the letters with some skipped; never the first of a word, and never many in one place."""


def fit(wanted: Sequence[str], name: str) -> Fit | None:
    """Return how a normalized name matches the words of `normalize.split_words`, or `None` if it doesn't."""
    if not wanted:
        return None
    if all(piece in name for piece in wanted):
        phrase, name = f" {' '.join(wanted)}", f" {name}"
        if name.startswith(phrase):
            return Fit.BEGINS
        if phrase in name:
            return Fit.WORDS_BEGIN
        return Fit.EACH_BEGINS if all(f" {piece}" in name for piece in wanted) else Fit.HELD
    return Fit.SCATTERED if all(piece in name or is_scattered(piece, name) for piece in wanted) else None


def is_scattered(piece: str, name: str) -> bool:
    """Return whether a name has the letters in this order with few skipped, starting at words.

    Numbers and ids must match exactly: a long one contains almost any letters.
    """
    if len(piece) > MAX_SCATTERED_LETTERS or has_digit(piece):
        return False
    words = [word for word in name[:MAX_SCATTERED_LETTERS].split() if not has_digit(word)]
    text = " ".join(words)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    of_word = [number for number, word in enumerate(words) for _ in range(len(word) + 1)]
    letters = piece.replace(" ", "")
    reached = {at for at in starts[:-1] if text[at : at + 1] == letters[:1]}
    for letter in letters[1:]:
        behind: set[int] = set()
        for at in reached:
            here = of_word[at]
            behind.update(range(at + 1, min(at + 2 + MAX_LEFT_OUT, starts[here + 1] - 1)))
            behind.update(starts[here + 1 : min(here + 2 + MAX_WORDS_LEFT_OUT, len(words))])
        reached = {at for at in behind if text[at] == letter}
    return bool(reached)


def has_digit(text: str) -> bool:
    """Return whether the text contains a digit, so that it may be a number or an id."""
    return any(map(str.isdigit, text))


def rank_matches(typed: str, named: Iterable[tuple[Id, str]]) -> list[Id]:
    """Sort by match quality, then by given order; drop scattered matches if there are others."""
    wanted = split_words(typed)
    if not wanted:  # only signs, which folding removes
        return [each for each, name in named if typed.casefold() in name.casefold()]
    fits = [(found, each) for each, name in named if (found := fit(wanted, normalize(name))) is not None]
    return [each for _, each in sorted(without_scattered(fits), key=lambda pair: pair[0])]


def without_scattered(fits: Sequence[tuple[Fit, Id]]) -> Sequence[tuple[Fit, Id]]:
    """Return the matches without the scattered ones, unless there are no others."""
    whole = [pair for pair in fits if pair[0] is not Fit.SCATTERED]
    return whole or fits


class UnusableWords(ValueError):
    """Raised for typed words that can't be used; the text says why and what can, without a full stop."""


class NoSuchName(UnusableWords):
    """Raised when typed text names none of the choices, or several; the text lists candidates."""


def whole_name(typed: str, names: Mapping[StrId, str]) -> StrId | None:
    """Return an id by itself or by a whole name that only one has; None if it is neither."""
    wanted, ids = fold_name(typed), [each for each in names if each == typed.strip()]
    found = ids or [each for each, name in names.items() if wanted and fold_name(name) == wanted]
    return found[0] if len(found) == 1 else None


def find_named(typed: str, names: Mapping[StrId, str], what: str) -> StrId:
    """Find an id by the id itself, a whole name, or the one name that begins with or contains the text.

    Args:
        what: the kind of record in the refusal: `status`, `person`.

    Raises:
        NoSuchName: no name or several names match.
    """
    if (known := whole_name(typed, names)) is not None:
        return known
    wanted, folded = fold_name(typed), {each: fold_name(name) for each, name in names.items()}
    for means in (str.__eq__, str.startswith, _has_word, str.__contains__):
        found = [each for each, name in folded.items() if wanted and means(name, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NoSuchName(f"{typed.strip()} could be {_listed([names[each] for each in found], 'or')}")
    unknown = f"no {what} named {typed.strip()}" if typed.strip() else f"no {what} named"
    choices = f"choose from {_listed(list(names.values()), 'and')}" if names else "there are none yet"
    raise NoSuchName(f"{unknown}; {choices}")


def nearest(typed: str, known: Sequence[str]) -> list[str]:
    """Suggest corrections: all words with this beginning, else the most similar one."""
    begun = [each for each in known if typed and each.startswith(typed)]
    return begun or get_close_matches(typed, known, n=1)


def _has_word(name: str, wanted: str) -> bool:
    return any(word.startswith(wanted) for word in name.split())


def _listed(names: list[str], word: str) -> str:
    if is_private():
        return f"{len(names)} hidden names"
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} more"]
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def key_refusal(key: str, known: Sequence[str]) -> str:
    if near := nearest(key, known):
        return f"{key}: did you mean {' or '.join(f'{each}:' for each in near)}? Quote text with colons"
    return f"{key}: isn't one of {', '.join(f'{each}:' for each in known)}; quote text with colons"


def flag_refusal(value: str, known: Sequence[str]) -> str:
    if near := nearest(value, known):
        return f"is:{value}: did you mean {' or '.join(f'is:{each}' for each in near)}?"
    return f"is:{value} isn't one of {', '.join(known)}"


def may_be_id(value: str) -> bool:
    """Return whether an unknown value may be an id: one word with a digit or a sign that ids have."""
    return len(value.split()) == 1 and (has_digit(value) or any(sign in value for sign in "-_.:#@"))


def name_refusal(key: str, value: str, names: Collection[str]) -> str:
    """Describe an unknown value of `line:`, `agent:` and the like, with the closest names."""
    names, folded = list(dict.fromkeys(names)), value.casefold()
    held = [each for each in names if folded in each.casefold()]
    if len(held) > 1:
        return f"{key}:{value} could be {_listed(held, 'or')}"
    forms: dict[str, list[str]] = {}
    for each in names:
        for form in {each.casefold(), *each.casefold().split()}:
            forms.setdefault(form, []).append(each)
    near = list(
        dict.fromkeys(name for each in get_close_matches(folded, list(forms), n=3) for name in forms[each])
    )
    unknown = f"{key}:{value}: no {key} has that name"
    if near:
        return f"{unknown}; did you mean {_listed(near, 'or')}?"
    return f"{unknown}; choose from {_listed(names, 'and')}"


def text_refusal(written: str) -> str:
    return f"{written}: type letters or digits to search for"
