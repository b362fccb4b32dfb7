"""The kit of tables: what is declared once is read, refused with its path, skipped and written."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from frontdesk.config.settings import AlertSetting, Config, SavedView
from frontdesk.config.tables import ConfigError, TableReader, declare, keys_of, place, written


@dataclass(frozen=True, slots=True)
class Shelf:
    name: str = declare("Its name.", expected="a name", is_filled=True, unique=str.casefold, names_row=True)
    label: str = declare("Its label.", "", if_blank="name")
    kinds: tuple[str, ...] = declare("What is on it.", ("a",), choices=("a", "b"))
    most: int = declare("How many.", 3, maximum=10)
    where: str = place()

    def fault(self) -> str:
        return ".most: an a takes 5" if self.kinds == ("a",) and self.most > 5 else ""


@dataclass(frozen=True, slots=True)
class Room:
    is_strict: ClassVar = True

    title: str = declare("Its title.")
    shelves: tuple[Shelf, ...] = declare("Its shelves.", (), skips="shelf")
    notes: dict[str, str] = declare("Notes by name.", dict)
    owner: str | None = declare("Whose it is.", None)


def read(raw: Any) -> tuple[Room, list[str], list[str]]:
    reader = TableReader()
    return reader.table(Room, raw, "room"), reader.problems, reader.unknown


def test_what_is_written_is_what_is_read_without_the_defaults() -> None:
    raw = {
        "title": "Back",
        "shelves": [{"name": "Top", "kinds": ["b", "a"], "most": 2}, {"name": "Low", "label": "L"}],
        "notes": {"x": "y"},
    }
    room, problems, unknown = read(raw)
    assert (problems, unknown) == ([], [])
    assert [each.where for each in room.shelves] == ["room.shelves[0] (Top)", "room.shelves[1] (Low)"]
    assert written(room) == raw
    assert written(read({"title": "", "shelves": [{"name": "A", "most": 3}]})[0]) == {
        "title": "",
        "shelves": [{"name": "A"}],
    }


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (3, "room: expected a table"),
        ({}, "room.title: expected text"),
        ({"title": 3}, "room.title: expected text"),
        ({"title": "x", "shelfs": []}, "room.shelfs: unknown key; choose from notes, owner, shelves, title"),
        ({"title": "x", "notes": {"a": 1}}, "room.notes.a: expected text"),
        ({"title": "x", "notes": 1}, "room.notes: expected a table"),
    ],
)
def test_a_fault_names_its_key(raw: object, words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(raw)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([], "room.shelves[1]: expected a table"),
        ({"name": " "}, "room.shelves[1].name: expected a name"),
        ({"name": "TOP"}, "room.shelves[1].name: 'TOP' is already used"),
        ({"name": "B", "kinds": ["c"]}, "room.shelves[1] (B).kinds: expected a list with any of a, b"),
        ({"name": "B", "most": 11}, "room.shelves[1] (B).most: expected a number above 0, at most 10"),
        ({"name": "B", "most": 6}, "room.shelves[1] (B).most: an a takes 5"),
    ],
)
def test_a_row_that_cannot_be_used_is_skipped_where_its_list_says_so(row: object, words: str) -> None:
    room, problems, _ = read({"title": "x", "shelves": [{"name": "Top"}, row, {"name": "Last", "label": " "}]})
    assert [(each.name, each.label) for each in room.shelves] == [("Top", ""), ("Last", "Last")]
    assert problems == [f"{words}; this shelf is ignored"]


def test_unknown_keys_are_noted_where_the_table_is_not_strict() -> None:
    room, _, unknown = read({"title": "x", "shelves": [{"name": "Top", "colour": 1}]})
    assert len(room.shelves) == 1
    assert unknown == ["room.shelves[0].colour"]


def test_the_keys_of_an_inline_table_are_the_outer_tables() -> None:
    profile = keys_of(Config)["profiles"].item
    assert list(keys_of(profile))[:3] == ["base_url", "campaigns_url", "workflows_url"]
    assert keys_of(profile)["base_url"].is_needed
    assert not keys_of(profile)["ai_url"].is_needed


@pytest.mark.parametrize(
    "row", [AlertSetting("finished"), AlertSetting("failed > 3%", (), ("say",), True, 5), SavedView("a", "b")]
)
def test_a_row_of_the_config_is_read_as_it_was_written(row: object) -> None:
    assert TableReader().table(type(row), written(row), "x") == row
