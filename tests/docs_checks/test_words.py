"""Words that must not come back into what people read: each was found where a native speaker stops."""

import re
from pathlib import Path

import pytest

from shown_texts import SOURCE, reads_as_words, shown_texts

from .pages import ALL_PAGES

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
)
STORED = {"deed: {…}"}
"""Not shown: what an earlier version wrote into the store and this one reads."""

PATTERN = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", sorted(each.name for each in SOURCE.iterdir() if (each / "__init__.py").exists())
)
def test_texts_of_the_program_have_no_banned_words(folder: str) -> None:
    hits = [
        f"{each.path.relative_to(ROOT)}:{each.line}: {each.text!r} ({match[0]})"
        for each in shown_texts(SOURCE / folder)
        if each.text not in STORED and (match := PATTERN.search(each.text))
    ]
    assert not hits, "\n".join(hits)


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
