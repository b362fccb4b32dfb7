"""Where exactly a credential is cut out of a text: neither too little nor what stands around it."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_api.redaction import HIDDEN, Redactor

ONE, TWO = "abcdefghijkl-4711", "ghijkl-4711-mnopq"
"""Two keys, the second of which begins within the first."""


def redactor(*keys: str) -> Redactor:
    made = Redactor()
    made.add([("api_key", key) for key in keys])
    return made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, HIDDEN),
        (f"{ONE} {ONE}", f"{HIDDEN} {HIDDEN}"),
        (f"x{ONE}y{TWO}z", f"x{HIDDEN}y{HIDDEN}z"),
        (f"x{ONE}{TWO}z", f"x{HIDDEN}z"),
        ("abcdefghijkl-4711-mnopq", HIDDEN),
        ("<abcdefghijkl-4711-mnopq>", f"<{HIDDEN}>"),
        (ONE[:-1], ONE[:-1]),
        (f"{ONE[:-1]}%31!", f"{HIDDEN}!"),
        (r"\u0061" + ONE[1:] + r"\n", HIDDEN + r"\n"),
    ],
)
def test_values_that_overlap_or_touch_are_one_gap(text: str, expected: str) -> None:
    assert redactor(ONE, TWO).redact(text) == expected


@pytest.mark.parametrize(("levels", "is_found"), [(1, True), (2, True), (3, True), (4, False)])
def test_a_value_is_found_however_it_is_escaped_up_to_three_times(levels: int, is_found: bool) -> None:
    escaped = "".join(f"%{ord(letter):02x}" for letter in ONE)
    for _ in range(levels - 1):
        escaped = escaped.replace("%", "%25")
    expected = f"<{HIDDEN}>" if is_found else f"<{escaped}>"
    assert redactor(ONE).redact(f"<{escaped}>") == expected
    assert redactor(ONE).redact_json([escaped]) == ([HIDDEN] if is_found else [escaped])


@given(st.binary(max_size=7), st.binary(max_size=7), st.booleans())
def test_all_of_the_base64_around_a_value_goes_and_nothing_else(
    before: bytes, after: bytes, is_safe: bool
) -> None:
    encode = base64.urlsafe_b64encode if is_safe else base64.b64encode
    inside = encode(before + ONE.encode() + after).decode()
    assert redactor(ONE).redact(f"a «{inside}», b") == f"a «{HIDDEN}», b"


@pytest.mark.parametrize("escape", [r"\n", r"\t", r"\u00e9", r"\u05d0", "\n"])
def test_an_escape_before_base64_stays_whole(escape: str) -> None:
    inside = base64.b64encode(ONE.encode()).decode()
    assert redactor(ONE).redact(f"x{escape}{inside} y") == f"x{escape}{HIDDEN} y"
    assert redactor(ONE).redact(f"{inside}{escape}") == f"{HIDDEN}{escape}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad abcdefgh", f"bad {HIDDEN}"),
        ("bad abcdefg", "bad abcdefg"),
        ("bad abcdefghij?", f"bad {HIDDEN}?"),
        ("bad abcdefghiX", f"bad {HIDDEN}X"),
        ("abcdefgh, abcdefghi", f"{HIDDEN}, {HIDDEN}"),
        (f"bad {ONE}x", f"bad {HIDDEN}x"),
    ],
)
def test_in_a_refusal_a_long_token_goes_as_far_as_it_is_quoted(text: str, expected: str) -> None:
    assert redactor(ONE).redact_refusal(text) == expected
    assert (HIDDEN in redactor(ONE).redact(text)) is (ONE in text)


@pytest.mark.parametrize("around", ["{}", "({})", "x {}.", "_{}_", "é{}é"])
def test_a_word_is_cut_out_of_a_refusal_only_as_a_whole_word(around: str) -> None:
    made = redactor("supervis")
    assert made.redact_refusal(around.format("supervis")) == around.format(HIDDEN)
    for within in ("a{}", "{}r", "1{}", "{}1", "{}Z"):
        assert made.redact_refusal(within.format("supervis")) == within.format("supervis")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("4711471147114711", {"n": 4711471147114711}, {"n": HIDDEN}),
        ("4711471147114711", [4711471147114711, 4711471147114712], [HIDDEN, 4711471147114712]),
        ("4711471147114711", ["x", (4711471147114711,)], ["x", [HIDDEN]]),
        ("4711471147114711", {"a": True, "b": 4711471147114711.0}, {"a": True, "b": 4711471147114711.0}),
        ("4711471147114711", "4711471147114711", HIDDEN),
        ("4711471147114711", 4711471147114711, HIDDEN),
        ("1" * 99, [int("1" * 99)], [HIDDEN]),
        ("1" * 100, [int("1" * 100)], [int("1" * 100)]),
        (ONE, ["a", {"b": [{ONE: (ONE, None)}]}], ["a", {"b": [{HIDDEN: [HIDDEN, None]}]}]),
        (ONE, {1: ONE, None: ONE}, {1: HIDDEN, None: HIDDEN}),
    ],
)
def test_texts_keys_and_numbers_of_json_are_redacted_at_any_level(key: str, value: Any, expected: Any) -> None:
    assert redactor(key).redact_json(value) == expected


def test_a_field_that_stays_is_one_of_the_outermost_object_and_is_not_made_up() -> None:
    value = {"next": {"id": ONE}, "rows": [{"next": ONE}]}
    found = redactor(ONE).redact_json(value, keep=["next", "missing"])
    assert found == {"next": {"id": ONE}, "rows": [{"next": HIDDEN}]}
    assert redactor(ONE).redact_json([ONE], keep=["next"]) == [HIDDEN]


def test_what_was_known_stays_known_and_what_is_public_stays_readable() -> None:
    made = redactor(ONE)
    made.add([("bearer", TWO)])
    made.add([("cookie", f"me={'a1b2c3d4' * 2}; sid={'q8Zk2vT7' * 3}")], public=["a1b2c3d4" * 2])
    made.add([], public=["noa"])
    assert made.redact(f"{ONE} {TWO} {'a1b2c3d4' * 2} {'q8Zk2vT7' * 3}") == (
        f"{HIDDEN} {HIDDEN} {'a1b2c3d4' * 2} {HIDDEN}"
    )
    made.add([("cookie", "me=noa; s=x")])
    assert made.redact_refusal("me=noa") == "me=noa", "public ids that came before the Cookie count, too"


def test_without_a_token_nothing_is_searched() -> None:
    value = {"a": ["the supervisor"]}
    assert redactor("supervis").redact_json(value) is value
    assert redactor("supervis").redact("supervis") == "supervis"
