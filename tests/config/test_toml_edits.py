"""Edits of TOML files: what is wanted is what is read, and comments and everything else stay."""

import re
import stat
import tomllib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.toml_edits import MAX_KEYS, NoUsableToml, edit_toml, parse_toml, update_file

CONFIG = """\
# my config
default_profile = "a"  # mostly

[profiles.a]
base_url = "https://a"   # the platform
# all lines
[[profiles.a.lines]]
id = "1"
label = "A"

# the night line
[[profiles.a.lines]]
id = "2"
label = "B"   # nights

# all statuses
[[profiles.a.statuses]]
id = "open"
name = "Open"

# how it looks
[settings]
theme = 'dark'

# out of order
[[profiles.a.tags]]
id = "t"
title = "T"

[profiles.b]
base_url = "https://b"
agents = [
  {id = "1", name = "x"}, # one
  # the others
  {id = "2", name = "y"}, # two
]
# the end
"""

Change = Callable[[dict[str, Any]], object]


def edited(change: Change, text: str = CONFIG) -> str:
    wanted = tomllib.loads(text)
    change(wanted)
    after = edit_toml(text, wanted)
    assert after is not None
    assert tomllib.loads(after) == wanted
    return after


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_a_deleted_row_takes_only_its_own_lines_along() -> None:
    after = edited(lambda content: content["profiles"]["a"]["lines"].pop(0))
    gone = ["[[profiles.a.lines]]", 'id = "1"', 'label = "A"']
    before = lines_of(CONFIG)
    at = before.index("[[profiles.a.lines]]")
    assert before[at : at + 3] == gone
    assert lines_of(after) == [*before[:at], *before[at + 3 :]]


def test_a_row_that_moves_takes_the_comments_above_and_on_it_along() -> None:
    after = lines_of(edited(lambda content: content["profiles"]["a"]["lines"].reverse()))
    at = after.index("# the night line")
    assert after[at : at + 4] == ["# the night line", "[[profiles.a.lines]]", 'id = "2"', 'label = "B"   # nights']
    assert after[at + 4] == "# all lines"


def test_the_comments_above_deleted_rows_stay() -> None:
    after = edited(lambda content: content["profiles"]["a"].pop("lines"))
    assert [line for line in lines_of(after) if line.startswith("# ")] == [
        line for line in lines_of(CONFIG) if line.startswith("# ")
    ]


def test_new_keys_and_tables_come_before_the_comments_of_the_next_table() -> None:
    def change(content: dict[str, Any]) -> None:
        content["profiles"]["a"]["agent_id"] = "me"
        content["profiles"]["a"]["agents"] = [{"id": "1", "name": "Noa"}]

    after = lines_of(edited(change))
    assert after[after.index('agent_id = "me"') + 1] == "# all lines"
    assert after[after.index("# how it looks") + 1] == "[settings]"
    assert after[after.index("# all statuses") + 1] == "[[profiles.a.statuses]]"


def test_a_changed_value_keeps_its_comment_and_a_row_of_a_list_its_line() -> None:
    def change(content: dict[str, Any]) -> None:
        content["profiles"]["a"]["base_url"] = "https://new"
        content["profiles"]["b"]["agents"] = [{"id": "2", "name": "z"}, {"id": "3", "name": "new"}]

    after = lines_of(edited(change))
    assert 'base_url = "https://new"   # the platform' in after
    assert next(line for line in after if "# two" in line).count('"z"') == 1
    assert "  # the others" in after


NAMES = st.sampled_from(["a", "b", "c d", "ש"])
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6),
    st.integers(-9, 9),
    st.booleans(),
    st.lists(st.integers(0, 3), max_size=3),
)
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from("1234"), "name": st.text("xyz", max_size=3)}),
    max_size=3,
    unique_by=lambda row: row["id"],
)
CONTENT = st.dictionaries(
    NAMES, st.one_of(VALUES, ROWS, st.dictionaries(NAMES, st.one_of(VALUES, ROWS), max_size=3)), max_size=4
)


def written(content: dict[str, Any], draw_bool: Callable[[], bool], path: tuple[str, ...] = ()) -> list[str]:
    """Write a table in one of TOML's forms, with a numbered comment wherever there may be one."""
    import tomlkit

    def key(name: str) -> str:
        return name if name.isascii() and name.isalnum() else f'"{name}"'

    def inline(value: object) -> str:
        return (
            tomlkit.item(value).as_string() if not isinstance(value, list) else f"[{', '.join(map(one, value))}]"
        )

    def one(value: object) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{key(name)} = {inline(each)}" for name, each in value.items()) + " }"
        return inline(value)

    lines, tables = [], []
    for name, value in content.items():
        is_rows = isinstance(value, list) and value != [] and all(isinstance(each, dict) for each in value)
        if isinstance(value, dict) and draw_bool():
            tables.append((f"[{'.'.join(map(key, (*path, name)))}]", value, name))
        elif is_rows and draw_bool():
            header = f"[[{'.'.join(map(key, (*path, name)))}]]"
            tables += [(header, each, name) for each in value]
        elif is_rows and draw_bool():
            lines += [f"{key(name)} = [", *(f"  {one(each)}, # in" for each in value), "]"]
        else:
            lines += ["# above" * draw_bool(), f"{key(name)} = {one(value)}" + "  # beside" * draw_bool()]
    for header, table, name in tables:
        lines += ["# over" * draw_bool(), "" * draw_bool(), header + " # at" * draw_bool()]
        lines += written(table, draw_bool, (*path, name))
    return lines


def comments(text: str) -> list[str]:
    """List the comments that have a line of their own."""
    return sorted(re.findall(r"^\s*(#.*)", text, re.MULTILINE))


@settings(max_examples=40)
@given(before=CONTENT, data=st.data())
def test_any_edit_is_exact_and_keeps_the_comments(before: dict[str, Any], data: st.DataObject) -> None:
    lines = written(before, lambda: data.draw(st.booleans()))
    numbered = (re.sub(r"(# \w+)$", rf"\1 {at}", line) for at, line in enumerate(lines))
    text = "\n".join(numbered) + "\n"
    assert tomllib.loads(text) == before
    wanted = deepcopy(before)
    for key in data.draw(st.lists(NAMES, min_size=1, max_size=2)):
        place = wanted
        inner = [name for name, value in wanted.items() if isinstance(value, dict)]
        if inner and data.draw(st.booleans()):
            place = wanted[data.draw(st.sampled_from(inner))]
        rows = place.get(key)
        if isinstance(rows, list) and rows and data.draw(st.booleans()):
            place[key] = data.draw(st.permutations(rows))[data.draw(st.integers(0, 1)) :]
        elif key in place and data.draw(st.booleans()):
            del place[key]
        else:
            place[key] = data.draw(st.one_of(VALUES, ROWS))
    after = edit_toml(text, wanted)
    assert after is not None
    assert tomllib.loads(after) == wanted
    gone = [path for path in _paths(before) if path not in _paths(wanted)]
    if not gone:
        assert comments(after) == comments(text)


def _paths(content: dict[str, Any], path: tuple[object, ...] = ()) -> set[tuple[object, ...]]:
    """Return the paths of keys and named rows, with the form of each value: a comment is within what it is of."""
    found: set[tuple[object, ...]] = set()
    for key, value in content.items():
        here = (*path, key, type(value).__name__)
        found.add(here)
        if isinstance(value, dict):
            found |= _paths(value, here)
        elif isinstance(value, list):
            for row in value:
                found.add((*here, row["id"] if isinstance(row, dict) else repr(row)))
    return found


def own_file(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


def test_a_file_is_made_for_its_owner_alone_and_an_equal_one_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    update_file(path, lambda content: content.update(a=1))
    assert path.read_text() == "a = 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written_at = path.stat().st_mtime_ns, path.stat().st_ino
    update_file(path, lambda content: content.update(a=1))
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == written_at


@pytest.mark.parametrize("text", ["[a", "a = 1\na = 2\n"])
def test_a_file_that_is_no_toml_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = own_file(tmp_path, text)
    with pytest.raises(tomllib.TOMLDecodeError):
        update_file(path, lambda content: content.update(b=1))
    assert path.read_text() == text


def test_a_file_that_others_can_change_is_not_edited(tmp_path: Path) -> None:
    path = own_file(tmp_path, "a = 1\n")
    path.chmod(0o666)
    with pytest.raises(OpenToOthers):
        update_file(path, lambda content: content.update(a=2))
    assert path.read_text() == "a = 1\n"


@pytest.mark.parametrize("is_secret", [False, True])
def test_a_layout_that_cannot_be_edited_is_written_anew_beside_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_secret: bool
) -> None:
    monkeypatch.setattr("frontdesk.config.toml_edits.edit_toml", lambda *_: None)
    text = "# mine\na = 1\nb = 3\n"
    path = own_file(tmp_path, text)
    update_file(path, lambda content: content.update(a=2), is_secret=is_secret)
    assert tomllib.loads(path.read_text()) == {"a": 2, "b": 3}
    kept = tmp_path / "config.toml.bak"
    assert (not kept.exists()) if is_secret else kept.read_text() == text


def test_a_failed_write_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own_file(tmp_path, CONFIG)

    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="no space"):
        update_file(path, lambda content: content.clear())
    assert path.read_text(encoding="utf-8") == CONFIG
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\nb = " + "9" * 5_000, "a number has more than 4,300 digits (at line 2)"),
        ("a = 1\nb = -" + "9_" * 5_000 + "9", "a number has more than 4,300 digits (at line 2)"),
        ("a = 1\nb = " + "[" * 9_000 + "]" * 9_000, "nested more than 20 levels deep (at line 2)"),
        ("a = 1\nb = " + "{a=" * 30 + "1" + "}" * 30, "nested more than 20 levels deep (at line 2)"),
        ("a = 1\n" + ".".join("b" * 30_000) + " = 1", "nested more than 20 levels deep (at line 2)"),
        ("[" + " . ".join("b" * 30_000) + "]", "nested more than 20 levels deep (at line 1)"),
        ("".join(f"k{number} = 1\n" for number in range(70_000)), "about 70,000 keys, tables and lists"),
    ],
)
def test_more_than_a_config_may_hold_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(NoUsableToml, match=re.escape(words)):
        parse_toml(text)


def test_what_a_large_config_holds_is_read() -> None:
    rows = "".join(f'[[lines]]\nid = "{number}"\nlabel = "a.b.c. [{{["\n' for number in range(MAX_KEYS // 6))
    assert len(parse_toml(rows)["lines"]) == MAX_KEYS // 6
