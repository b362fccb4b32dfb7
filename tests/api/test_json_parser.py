"""Strict JSON: what Python's decoder lets through is refused, with the place of the fault."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_api.json_parser import (
    MAX_LEVELS,
    DuplicateKey,
    NotUtf8,
    TooDeep,
    describe_error,
    parse_answer,
    parse_file,
    parse_file_values,
    replace_surrogates,
)

LETTERS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=3),
    max_leaves=12,
)
BLANKS = st.text(" \t\r\n", max_size=3)


@given(VALUES, BLANKS, BLANKS, st.booleans())
def test_what_json_writes_is_read_back_with_blanks_around_it(
    value: object, before: str, after: str, is_ascii: bool
) -> None:
    body = (before + json.dumps(value, ensure_ascii=is_ascii) + after).encode()
    assert parse_answer(body) == parse_file(body) == parse_file(b"\xef\xbb\xbf" + body) == value
    assert parse_file_values(b"\xef\xbb\xbf" + body) == [value]


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_the_values_of_a_file_are_all_read(values: list[object]) -> None:
    assert parse_file_values("\n".join(map(json.dumps, values)).encode()) == values


@pytest.mark.parametrize(
    ("body", "kind", "line", "column", "message"),
    [
        (b'{"a":\n NaN}', json.JSONDecodeError, 2, 2, "NaN isn't valid JSON"),
        (b'["NaN \\" NaN", -Infinity]', json.JSONDecodeError, 1, 16, "-Infinity isn't valid JSON"),
        (b'["\\\\", Infinity]', json.JSONDecodeError, 1, 8, "Infinity isn't valid JSON"),
        (b'{"a": 1}\n{"a": 2}', json.JSONDecodeError, 2, 1, "extra data after the end"),
        (b'[1, "\xff"]', NotUtf8, 1, 6, "this isn't valid UTF-8"),
        (b"[\n" + b"1" * 5000 + b"]", json.JSONDecodeError, 2, 1, "the number is too long"),
        (b"[1, x]", json.JSONDecodeError, 1, 5, "Expecting value"),
        (b"", json.JSONDecodeError, 1, 1, "Expecting value"),
        (b" \n" + b"[" * 100_000 + b"]" * 100_000, TooDeep, 2, 1, "it is nested too deeply"),
    ],
)
@pytest.mark.parametrize("parse", [parse_answer, parse_file])
def test_what_is_no_json_is_refused_at_its_place(
    parse: object, body: bytes, kind: type[json.JSONDecodeError], line: int, column: int, message: str
) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        parse(body)  # type: ignore[operator]
    error = raised.value
    assert (type(error), error.lineno, error.colno, error.msg) == (kind, line, column, message)
    assert describe_error(error) == f" isn't valid JSON (line {line}, column {column}: {message})"


@pytest.mark.parametrize(
    ("body", "line", "column", "key"),
    [
        (b'{"a": 1, "a": 2}', 1, 10, "a"),
        (b'{"a": {"a": ["a", {"a": 1}]},\n "b" : 1, "b"\t: 2}', 2, 11, "b"),
        (b'[{"a": 1}, {"a": "}", "b": "a", "c": {"x": 1}, "c": 1}]', 1, 48, "c"),
        (b'{"a": {"x": 1}, "b": [{"y": 1}], "\\u0061": 2}', 1, 34, "a"),
        (b'{"x\\"": 1, "x\\"": 2}', 1, 12, 'x"'),
        (b'\n{"%s": 1, "%s": 2}' % (b"k" * 90, b"k" * 90), 2, 99, "k" * 40),
        ('{"ключ": 1, "ключ": 2}'.encode(), 1, 13, "ключ"),
    ],
)
def test_a_key_that_comes_twice_is_named_where_it_comes_again(
    body: bytes, line: int, column: int, key: str
) -> None:
    with pytest.raises(DuplicateKey) as raised:
        parse_file(body)
    quoted = json.dumps(key, ensure_ascii=False)
    assert (raised.value.lineno, raised.value.colno, raised.value.msg) == (line, column, quoted)
    assert describe_error(raised.value) == f" has a duplicate key (line {line}, column {column}: {quoted})"
    with pytest.raises(DuplicateKey):
        parse_file_values(b'{"a": 1}\n' + body)
    assert parse_answer(body)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_file_may_nest_so_deep_and_no_deeper(opening: str, closing: str) -> None:
    whole, deeper = (
        (opening * levels + "1" + closing * levels).encode() for levels in (MAX_LEVELS - 1, MAX_LEVELS)
    )
    assert parse_file(whole) == json.loads(whole)
    assert parse_file_values(whole) == [json.loads(whole)]
    assert parse_answer(deeper) == json.loads(deeper)
    for parse in (parse_file, parse_file_values):
        with pytest.raises(TooDeep) as raised:
            parse(b"\n " + deeper)
        assert (raised.value.lineno, raised.value.colno) == (2, 2)


def test_half_a_character_by_an_escape_is_replaced_wherever_it_is() -> None:
    body = rb'{"a\ud800": ["\udfff!", {"b": "\ud83d\ude00"}, 1, null]}'
    assert parse_answer(body) == {"a\ufffd": ["\ufffd!", {"b": "\U0001f600"}, 1, None]}
    assert replace_surrogates("\ud800") == "\ufffd"
