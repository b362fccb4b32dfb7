"""The names of a profile as rows: what is saved is what is loaded, and the rest of the config stays."""

from pathlib import Path

import pytest

from frontdesk.config.catalogue_rows import (
    CATALOGUES,
    NotSaved,
    Row,
    can_delete,
    field_fault,
    rows_of,
    save_rows,
    with_rows,
)
from frontdesk.config.settings import BUILT_IN_STATUSES, load_config

CONFIG = """\
[profiles.acme]
base_url = "https://api.acme.test"  # the platform

# the shop
[[profiles.acme.lines]]
id = "1"
label = "Shop"  # days only
own = "kept"

[profiles.other]
base_url = "https://other.test"
"""
LINES, PEOPLE, STATUSES, TAGS = CATALOGUES
ROWS = {
    "lines": [{"id": "1", "label": "Shop!"}, {"id": "2", "label": "Night"}],
    "agents": [{"id": "a", "name": "Noa"}],
    "statuses": [
        {"id": "open", "name": "New"},
        {"id": "late", "name": "Late"},
        {"id": "standby", "name": "Doing"},
    ],
    "tags": [{"id": "t", "title": "VIP", "color": "#f00"}, {"id": "u", "title": "Late", "associated_to": "b-1"}],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("kind", CATALOGUES, ids=lambda kind: kind.key)
def test_what_is_saved_is_what_is_loaded_and_shown(path: Path, kind: object) -> None:
    catalogue = next(each for each in CATALOGUES if each is kind)
    rows = [*ROWS[catalogue.key]]
    if catalogue is STATUSES:
        rows.append({"id": "completed", "name": "Done"})
    before = load_config(path)
    save_rows(path, catalogue, lambda _: rows, "acme")
    after = load_config(path)
    assert rows_of(after.profiles["acme"], catalogue) == rows
    assert with_rows(before.profiles["acme"], catalogue, rows) == after.profiles["acme"]
    assert after.profiles["other"] == before.profiles["other"]
    text = path.read_text()
    assert all(words in text for words in ("# the platform", "# the shop", 'own = "kept"'))


def test_a_row_that_goes_takes_its_own_lines_along(path: Path) -> None:
    save_rows(path, LINES, lambda _: [], "acme")
    text = path.read_text()
    assert "[[" not in text
    assert "# the shop" in text


def test_the_platform_s_statuses_as_they_are_need_no_table(path: Path) -> None:
    rows = [{"id": each.id, "name": each.name} for each in BUILT_IN_STATUSES]
    save_rows(path, STATUSES, lambda _: [*rows[:2], {"id": "late", "name": "Late"}, rows[2]], "acme")
    assert "statuses" in path.read_text()
    save_rows(path, STATUSES, lambda _: rows, "acme")
    assert path.read_text() == CONFIG
    assert not can_delete(STATUSES, rows[0])
    assert can_delete(LINES, {"id": "open", "label": "Open"})


def test_a_config_that_cannot_be_changed_stays_as_it_is(path: Path) -> None:
    with pytest.raises(NotSaved, match="no profile nobody"):
        save_rows(path, LINES, lambda _: [], "nobody")
    path.write_text("[a")
    with pytest.raises(NotSaved, match="not valid TOML"):
        save_rows(path, LINES, lambda _: [], "acme")
    assert path.read_text() == "[a"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("id", "", "required"),
        ("title", " ", "required"),
        ("title", "\u3164", "required"),
        ("color", "", ""),
        ("id", "t", "another tag has this id"),
        ("id", "t2", ""),
        ("title", "a\nb", "line break"),
        ("title", "x" * 201, "longer than 200"),
    ],
)
def test_a_wrong_value_is_named(key: str, value: str, words: str) -> None:
    others: list[Row] = [{"id": "t", "title": "VIP"}]
    fault = field_fault(TAGS, key, value, others)
    assert words in fault
    assert bool(fault) == bool(words)
