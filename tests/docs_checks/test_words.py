"""Words that must not come back into what people read: each was found where a native speaker stops."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

from shown_texts import reads_as_words, shown_texts
from source_tree import PACKAGE, PACKAGES, SOURCE

from .pages import ALL_PAGES
from .source_prose import Module, exceptions_of, parse_module

ROOT = Path(__file__).parents[2]

BANNED = (
    r"deeds?",  # action, bulk change
    r"known that matches",
    r"(is|are) called so",
    r"none is (known|called|named|told)",
    r"taken? (it |them )?off",  # removed, cleared
    r"(given|added|changed|tags|created|made) from here",
    r"(?<!there )is no (?!longer|more|one|reason|good)\w+",  # isn't a
    r"there is nobody",
    r"parted by",
    r"by now",
    r"said (yes|no)",
    r"(isn't|not) said",
    r"what (became|becomes) of",
    r"of who\b",
    r"in words of its own",
    r"what is sent of",
    r"turned back",
    r"well again",
    r"it was so already",
    r"nothing speaks against",
    r"gave? (it )?up for",
    r"mend (it|them|these)",
    r"of its own accord",
    r"meanwhile by",
    r"told there",
    r"asked for now",
    r"the flight deck",
    r"of those tried",
    r"service clocks?",  # SLA
    r"taken up",  # accepted
    r"(enter|esc|tab|backspace|ctrl\+[a-z]) (opens|shows|lists|clears|discards|undoes|loads) (it|them)",
)
STORED = {"{…} taken up", "service clocks"}
"""Not shown: what this version or an earlier one writes into the store."""

PATTERN = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)

DONE = (*PACKAGES[1:], "config", "outbox", "storage", "sync", "text")
"""Folders of the source whose docstrings and comments keep the rules below."""

TICS = (
    r"anew",  # again
    r"whoever",  # the person who
    r"meanwhile",  # in the meantime
    r"so (many|much) (of|as)|so (many|long) (is|are)|after so (many|long)|for so long",  # maximum, number of
    r"stands? (for|behind|beside|before|at|in|on|there|still)|standing",  # is
    r"behind \w+",  # after, below
    r"(none|empty|nothing|0|false|true|only|also) where",  # if
    r"where (it|they|there|none|nothing|nobody|one|that)",  # if
    r"(?<!which (they|text) )(is|are|was|were|be|been|never|ever|last) read(?!-| out)",  # loaded
    r"can't be read|(each|every|its|last|next|one) reads?(?!-)",  # a fetch, a poll, a query
    r"faults? of ours",  # a bug
    r"(?<!front)desks?(?!:)",  # a machine
    r"service clocks?",  # SLA
    r"taken up",  # accepted
    r"left out",  # skipped
)
"""Words of docstrings and comments, each with a plainer one."""

TIC_PATTERN = re.compile(rf"\b({'|'.join(TICS)})\b|; returns ", re.IGNORECASE)

WEAK_START = re.compile(
    r"(What|Who|Whose|Whom|Whoever|Whatever|Where|When|Whether|Which|That which|How|So|Of|Between|It|They|Kept)\b"
    r"|Read (?!to the end)"
)
"""Matches a docstring that doesn't begin with its head noun or with a verb."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", sorted([*(path.parent.name for path in PACKAGE.glob("*/__init__.py")), *PACKAGES[1:]])
)
def test_texts_of_the_program_have_no_banned_words(folder: str) -> None:
    hits = [
        f"{each.path.relative_to(ROOT)}:{each.line}: {each.text!r} ({match[0]})"
        for each in shown_texts(_path(folder))
        if each.text not in STORED and (match := PATTERN.search(each.text))
    ]
    assert not hits, "\n".join(hits)


def _path(folder: str) -> Path:
    return (SOURCE if folder in PACKAGES else PACKAGE) / folder


@cache
def parsed(folder: str) -> list[Module]:
    return [parse_module(path, path.read_text("utf-8")) for path in sorted(_path(folder).rglob("*.py"))]


def find_tics(modules: Collection[Module], exceptions: Collection[str]) -> Iterator[str]:
    for each in [prose for module in modules for prose in module.prose]:
        place = f"{each.path}:{each.line}"
        yield from (
            f"{place}: {found[0]!r}" for found in [*PATTERN.finditer(each.text), *TIC_PATTERN.finditer(each.text)]
        )
        if each.is_docstring and (found := WEAK_START.match(each.text)):
            yield f"{place}: begins with {found[0]!r}"
        if each.of_class in exceptions and not each.text.startswith("Raised "):
            yield f"{place}: an exception's docstring begins with 'Raised'"


@pytest.mark.parametrize("folder", DONE)
def test_docstrings_and_comments_follow_the_rules(folder: str) -> None:
    exceptions = exceptions_of(module for each in DONE for module in parsed(each))
    hits = [*find_tics(parsed(folder), exceptions)]
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Load it anew."""', ["'anew'"]),
        ('"""What a row shows."""', ["begins with 'What'"]),
        ("x = 1  # `anew` is a name", []),
        ("# the row that\n# stands behind it", ["'stands behind'"]),
        ('class Lost(OSError):\n    """The file is gone."""', ["an exception's docstring begins with 'Raised'"]),
        ('class Lost(OSError):\n    """Raised when the file is gone."""', []),
        (
            'class A(OSError): ...\nclass B(A):\n    """A fault."""',
            ["an exception's docstring begins with 'Raised'"],
        ),
        ('class A:\n    x = 1\n    """So many rows."""', ["begins with 'So'"]),
    ],
)
def test_a_tic_is_found(source: str, found: list[str]) -> None:
    module = parse_module(Path("a.py"), source)
    hits = [*find_tics([module], exceptions_of([module]))]
    assert [hit.split(": ", 1)[1] for hit in hits] == found


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_pages_have_no_banned_words(page: Path) -> None:
    hits = [
        f"{page.name}:{number}: {line.strip()} ({match[0]})"
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        if (match := PATTERN.search(re.sub(r"`[^`]*`", "", line)))
    ]
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize("text", ["Stop the deed", "no workflow is called so", "3 tags given from here"])
def test_a_banned_word_is_found(text: str) -> None:
    assert PATTERN.search(text)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("No conversation matches", True),
        ("{…} of {…} sent", True),
        ("Cancel", True),
        ("SELECT id FROM tasks WHERE id = ?", False),
        ("workflow.export", False),
        ("width: 1fr; height: 1fr;", False),
        ("utf-8", False),
    ],
)
def test_texts_are_told_from_code(text: str, reads: bool) -> None:
    assert reads_as_words(text) is reads
