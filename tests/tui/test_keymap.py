"""The one table of keys: no clash, no forbidden key, the same on every layout."""

import re
from pathlib import Path

import pytest
from textual.binding import Binding

import frontdesk
from frontdesk.config.actions import Action
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.records import Connection
from frontdesk.tui.keymap import FORBIDDEN, PUSHED, SCREENS, KeymapClash, KeymapError
from frontdesk.tui.status_bar import STATE_ACTIONS, hints
from frontdesk_lines.keyboard_layouts import (
    LOWER_ROWS,
    POSITIONS,
    SHIFTED,
    UPPER_ROWS,
    layout_characters,
    with_layout_keys,
)
from frontdesk_lines.list_keys import WIDGETS

CONTEXTS = ("app", *WIDGETS, *SCREENS, *PUSHED)


def test_ids_are_distinct_and_every_context_is_known() -> None:
    assert len({key.id for key in KEYMAP}) == len(KEYMAP.table)
    for key in KEYMAP:
        assert set(key.contexts) <= set(CONTEXTS)
        assert key.help[0].isupper()
        assert not key.help.endswith(".")


@pytest.mark.parametrize("key", KEYMAP, ids=lambda key: key.id)
def test_no_help_is_cut_in_two_columns(key: Action) -> None:
    # So many cells the dialog has for it at 140 columns.
    assert len(key.help) <= 42


def test_the_keys_that_hands_know_are_in_the_table() -> None:
    wanted = "j k g G ctrl+d ctrl+u tab h l 1 2 3 4 5 6 / escape q : ctrl+p ? f1 r R L w a A t d s c < >"
    wanted += " space v V m u y Y i z ctrl+l ctrl+z ctrl+q P"
    have = {name for key in KEYMAP for name in key.keys}
    assert set(wanted.split()) <= have


def test_no_forbidden_key_and_nothing_only_by_a_hard_one() -> None:
    for key in KEYMAP:
        assert not FORBIDDEN & set(key.keys)
        assert not re.match(r"alt\+|f\d|ctrl\+enter", key.keys[0])


def test_an_override_takes_the_place_of_its_key() -> None:
    keymap = KEYMAP.with_overrides({"task.assign": "B, f5"})
    assert keymap["task.assign"].keys == ("B", "f5")
    keys = keymap.textual_keymap()["task.assign"].split(",")
    assert keys[0] == "B"
    assert "И" in keys
    assert "a" not in keys


def test_a_clash_names_both() -> None:
    with pytest.raises(KeymapClash, match=r"t is assigned to both 'task.assign' and 'conversation.tag'"):
        KEYMAP.with_overrides({"task.assign": "t"})
    with pytest.raises(KeymapClash, match=r"'move.down'"):
        KEYMAP.with_overrides({"task.assign": "down"})
    with pytest.raises(KeymapClash, match=r"'change.undo'"):
        KEYMAP.with_overrides({"campaign.watch": "u"})


def test_two_screens_may_share_a_key() -> None:
    assert KEYMAP.with_overrides({"campaign.watch": "a"})["campaign.watch"].keys == ("a",)


def test_faults_in_the_config_are_said() -> None:
    with pytest.raises(KeymapError, match="unknown action 'task-x'"):
        KEYMAP.with_overrides({"task-x": "x"})
    with pytest.raises(KeymapError, match=r"ctrl\+b is reserved"):
        KEYMAP.with_overrides({"task.assign": "ctrl+b"})
    with pytest.raises(KeymapError, match="needs a key"):
        KEYMAP.with_overrides({"task.assign": " , "})


@pytest.mark.parametrize("name", ["ctrl+foo", "hyper+x", "nokey", "ctrl+", "f99"])
def test_a_key_that_no_keyboard_has_is_refused(name: str) -> None:
    with pytest.raises(KeymapError, match="unknown key"):
        KEYMAP.with_overrides({"task.assign": name})


@pytest.mark.parametrize("name", ["B", "f5", "ctrl+g", "insert", "number_sign", "+", "ctrl+shift+up", "é"])
def test_a_key_that_keyboards_have_is_taken(name: str) -> None:
    assert KEYMAP.with_overrides({"campaign.watch": name})["campaign.watch"].keys == (name,)


def test_layouts_agree_with_the_positions() -> None:
    for row in LOWER_ROWS:
        assert len(row) == len(POSITIONS)
    for row in UPPER_ROWS:
        assert len(row) == len(SHIFTED)
    assert layout_characters("j") == ("ח", "ت", "о", "ξ")
    assert layout_characters("G") == ("П", "Γ", "\ufef7")
    assert "ד" in layout_characters("s")
    assert "і" in layout_characters("s")


# What the keys of a US keyboard type with another layout on, as xkeyboard-config has it (il, ara, ru, ua, gr).
PLAIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
SHIFT_KEYS = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?'
TYPED = {
    "Hebrew": ("/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ.", 'QWERTYUIOP}{ASDFGHJKL:"ZXCVBNM><?'),
    "Arabic": (
        "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرﻻىةوزظ",
        '\u064e\u064b\u064f\u064cﻹإ‘÷×؛<>\u0650\u064d][ﻷأـ،/:"~\u0652}{ﻵآ’,.؟',
    ),
    "Russian": ("йцукенгшщзхъфывапролджэячсмитьбю.", "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"),
    "Ukrainian": ("йцукенгшщзхїфівапролджєячсмитьбю.", "ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ,"),
    "Greek": (";ςερτυθιοπ[]ασδφγηξκλ'\"ζχψωβνμ,./", ':ΣΕΡΤΥΘΙΟΠ{}ΑΣΔΦΓΗΞΚΛ:"ΖΧΨΩΒΝΜ<>?'),
}
# Shift+w types the capital that Shift+s has too.
AMBIGUOUS = {("Greek", "W")}


@pytest.mark.parametrize("layout", TYPED)
def test_every_key_of_the_table_and_of_dialogs_works_with_another_layout_on(layout: str) -> None:
    dialogs = set("yqhljkrRnY0123456789")
    wanted = {name for key in KEYMAP for name in key.keys if len(name) == 1} | dialogs
    missing = []
    for keys, typed in zip((PLAIN_KEYS, SHIFT_KEYS), TYPED[layout], strict=True):
        assert len(keys) == len(typed)
        for latin, letter in zip(keys, typed, strict=True):
            # What types ASCII means what it says: no layout can be told from another then.
            if latin not in wanted or letter.isascii() or (layout, latin) in AMBIGUOUS:
                continue
            (twin,) = Binding.make_bindings([Binding(letter, "")])
            if twin.key not in with_layout_keys(latin).split(","):
                missing.append((latin, letter))
    assert not missing


@pytest.mark.parametrize("layout", TYPED)
def test_few_keys_mean_something_else_with_another_layout_on(layout: str) -> None:
    wanted = {name for key in KEYMAP for name in key.keys if len(name) == 1}
    plain = zip(PLAIN_KEYS + SHIFT_KEYS, "".join(TYPED[layout]), strict=True)
    other = {latin: typed for latin, typed in plain if latin in wanted and typed.isascii() and typed != latin}
    known = {
        "Hebrew": {"q": "/", "w": "'", "[": "]", "]": "[", "/": ".", "<": ">", ">": "<"},
        "Arabic": {"L": "/", "C": "}", "V": "{", "<": ",", ">": ".", "F": "[", "D": "]", "Z": "~"},
        "Russian": {"/": ".", "?": ","},
        "Ukrainian": {"/": ".", "?": ","},
        "Greek": {"q": ";", "Q": ":"},
    }
    assert other.items() <= known[layout].items()


def test_a_letter_of_another_layout_means_one_key() -> None:
    owner: dict[str, str] = {}
    for key in POSITIONS + SHIFTED:
        for letter in layout_characters(key):
            assert not letter.isascii()
            assert owner.setdefault(letter, key) == key


def test_bindings_carry_ids_and_names_textual_knows() -> None:
    for context in CONTEXTS:
        for binding in Binding.make_bindings(KEYMAP.bindings_for(context)):
            assert binding.id in {key.id for key in KEYMAP}
            assert binding.key not in ("/", ":", "?", "<", ">", "[", "]")
    assert "slash" in {binding.key for binding in Binding.make_bindings(KEYMAP.bindings_for("inbox"))}


def test_help_names_what_is_live() -> None:
    groups = dict(KEYMAP.help_for("campaigns"))
    live = {key.id for keys in groups.values() for key in keys}
    assert {"campaign.watch", "app.quit"} <= live
    assert not {"task.assign", "move.down", "card.left"} & live


def test_help_begins_with_what_people_do_and_ends_with_moves() -> None:
    groups = KEYMAP.help_for("inbox", "list")
    (first, acts), *_, (last, moves) = groups
    assert (first, last) == ("Act", "Move")
    assert [key.label for key in acts[:6]] == ["assign", "tag", "due", "status", "complete", "undo"]
    assert {key.id.split(".")[0] for key in moves} == {"move", "pane"}
    assert [key.label for key in dict(KEYMAP.help_for("activity"))["Act"][:4]] == [
        "resend",
        "discard",
        "next to decide",
        "undo",
    ]


def test_the_same_keys_are_hinted_in_the_same_order_in_every_state_of_inbox_and_board() -> None:
    order = [key.id for key in KEYMAP.hinted("inbox", "board", "list")]
    for state, names in STATE_ACTIONS.items():
        if state.startswith(("inbox.", "board.")):
            ranked = [name for name in names.split() if name in order[:5]]
            assert ranked == [name for name in order if name in ranked], state


def test_hints_stand_in_their_order() -> None:
    labels = [key.label for key in KEYMAP.hinted("inbox", "list")]
    assert labels[:2] == ["assign", "tag"]
    assert labels[-1] == "keys"


def test_delivery_results_are_offered_only_where_there_can_be_any() -> None:
    def names(activity: str) -> list[str]:
        return [each.id for each in hints(KEYMAP, "campaigns", activity, ("campaigns", "list"), Connection.LIVE)]

    assert "campaign.outcomes" in names("list")
    assert "campaign.outcomes" not in names("tags")
    assert set(names("list")) - set(names("tags")) == {"campaign.outcomes"}


def test_no_colour_and_no_markup_outside_their_modules() -> None:
    sources = Path(frontdesk.__file__).parent
    paths = [
        path
        for path in sources.rglob("*.py")
        if "tui" in path.relative_to(sources).parts and path.name != "themes.py"
    ]
    assert len(paths) > 50
    for path in paths:
        text = path.read_text()
        assert not re.search(r"#[0-9a-fA-F]{6}\b", text), path
        assert not re.search(r"from_markup|markup=True|\bescape\(", text), path


def test_only_what_differs_is_given_to_textual_which_goes_through_it_on_every_key() -> None:
    assert KEYMAP.textual_keymap() == {}
    assert set(KEYMAP.with_overrides({"task.assign": "B"}).textual_keymap()) == {"task.assign"}
