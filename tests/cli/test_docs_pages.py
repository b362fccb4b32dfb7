"""Which pages come with the program, and what a topic names."""

from pathlib import Path

import pytest

from frontdesk.cli import docs_pages
from frontdesk.cli.docs_pages import (
    NoSuchPage,
    NoSuchTopic,
    headings,
    read_topic,
    search,
    topics,
    topics_by_group,
)

DOCS = Path(__file__).parents[2] / "docs"


def test_every_page_is_a_topic_and_no_two_have_the_same_name() -> None:
    pages = sorted(DOCS.rglob("*.md"))
    assert sorted(topics().values()) == sorted([*pages, DOCS / "reference" / docs_pages.SCHEMA])


def test_the_list_has_every_topic_but_the_index_itself() -> None:
    listed = [name for _, rows in topics_by_group() for name, _ in rows]
    assert len(listed) == len(set(listed))
    assert set(topics()) - {*listed, docs_pages.SCHEMA} == {docs_pages.INDEX}


@pytest.mark.parametrize("typed", ["configuration", "Configuration.md", "docs/configuration.md"])
def test_a_page_is_found_as_it_is_typed(typed: str) -> None:
    assert read_topic([typed]).startswith("# Configuration\n")


def test_a_page_of_several_words_is_found() -> None:
    assert read_topic(["own", "commands"]).startswith("# Your own commands")
    assert "Made by docs/make.py" in read_topic(["reference/keys"])


def test_a_part_of_a_page_ends_at_the_next_heading() -> None:
    text = read_topic(["configuration#saved-views"])
    assert text.startswith("## Saved views\n")
    assert "\n## " not in text


def test_every_heading_of_every_page_can_be_named() -> None:
    for name, path in topics().items():
        if path.suffix == ".md":
            for each in headings(path.read_text(encoding="utf-8")):
                assert read_topic([f"{name}#{each.anchor}"]).startswith("#" * each.level + " ")


@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("saved views", "configuration#saved-views"),
        ("configuratoin", "configuration"),
        ("certificate", "troubleshooting#the-network-and-certificates"),
    ],
)
def test_words_find_a_title_a_heading_or_a_text(typed: str, best: str) -> None:
    with pytest.raises(NoSuchPage):
        read_topic([typed])
    assert search(typed)[0].topic == best


def test_a_word_that_is_nowhere_finds_nothing() -> None:
    assert search("qqxzzy") == []


def test_an_unknown_part_names_those_of_the_page() -> None:
    with pytest.raises(NoSuchTopic, match="has no section 'nowhere'; it has configuration#"):
        read_topic(["configuration#nowhere"])


def test_an_installation_without_pages_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(docs_pages, "FOLDERS", (tmp_path,))
    with pytest.raises(NoSuchTopic, match="has no docs"):
        docs_pages.docs_folder()
