"""The forms in which one credential is searched for: its parts, their escapes, and how ordinary each looks."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_api.credential_values import (
    ESCAPE,
    CookiePair,
    CredentialValue,
    Grade,
    cookie_pairs,
    cookie_parts,
    credential_values,
    unescape,
)
from frontdesk_api.redaction import HIDDEN, Redactor

TOKEN = "q8Zk2vT7" * 3


def value_of(text: str, kind: str = "api_key") -> CredentialValue:
    (found,) = credential_values(kind, text, ())
    return found


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("abcdefghijkl", Grade.TOKEN),
        ("abcdefghijk", Grade.WORD),
        ("1234567890123456", Grade.TOKEN),
        ("123456789012345", Grade.WORD),
        ("abcdefgh", Grade.WORD),
        ("abcdefg", Grade.NAMED),
        ("abcde1", Grade.WORD),
        ("abcdeF", Grade.WORD),
        ("abcde-", Grade.WORD),
        ("ABCDE1", Grade.WORD),
        ("1234-6", Grade.WORD),
        ("abcdef", Grade.NAMED),
        ("ABCDEFG", Grade.NAMED),
        ("1234567", Grade.NAMED),
        ("------", Grade.NAMED),
        ("abc1-", Grade.NAMED),
    ],
)
def test_a_key_is_a_token_a_word_or_found_behind_its_name_alone(text: str, grade: Grade) -> None:
    assert value_of(text).grade is grade


@pytest.mark.parametrize(("text", "prefix"), [("a" * 16, "a" * 8), ("a" * 15, ""), ("1" * 15, ""), ("a" * 11, "")])
def test_only_a_long_token_is_known_by_its_beginning(text: str, prefix: str) -> None:
    assert value_of(text).prefix == prefix


def test_a_short_value_is_not_searched_for_inside_base64() -> None:
    assert value_of("abcdefg").cores == ()
    assert len(value_of("abcdefgh").cores) == 4, "three alignments, and hex"


@given(st.binary(min_size=8, max_size=40).map(lambda data: data.hex()[:40]), st.sampled_from([0, 1, 2, 3, 4, 5]))
def test_a_core_is_all_of_its_base64_that_does_not_depend_on_what_is_around_it(text: str, before: int) -> None:
    """Between zeros and between ones every letter differs that has a bit of what is around."""
    zeros, ones = (
        base64.b64encode(filler * before + text.encode() + filler * 3).decode() for filler in (b"\0", b"\xff")
    )
    same = "".join(one for one, other in zip(zeros, ones, strict=True) if one == other and one != "=")
    assert same in value_of(text).cores


def test_base64_for_addresses_is_searched_for_where_it_differs() -> None:
    text = "~~~???~~~???"
    plain, safe = base64.b64encode(text.encode()).decode(), base64.urlsafe_b64encode(text.encode()).decode()
    assert plain != safe
    assert {plain, safe} <= set(value_of(text).cores)
    assert len(value_of("abcdefghijkl").cores) == 5, "one for each alignment where the alphabets agree, and hex"


def test_hex_is_searched_for_in_either_case() -> None:
    hexadecimal = b"jklmnopqrstu".hex()
    assert {hexadecimal, hexadecimal.upper()} <= set(value_of("jklmnopqrstu").cores)


@pytest.mark.parametrize(
    ("escaped", "meant"),
    [
        ("%41%7a%2F", "Az/"),
        (r"\u0041\u00e9", "Aé"),
        (r"\"\'\\\/", "\"'\\/"),
        ("&#x41;&#X7a;&#x0000041;", "AzA"),
        ("&#65;&#065;&#122;", "AAz"),
        ("&quot;&amp;&lt;&gt;&apos;", "\"&<>'"),
        ("%4 \\u01 &#; &nbsp; \\n", "%4 \\u01 &#; &nbsp; \\n"),
        ("%2541", "%41"),
        ("", ""),
    ],
)
def test_escapes_are_read_once(escaped: str, meant: str) -> None:
    assert unescape(ESCAPE.split(escaped)) == meant


@pytest.mark.parametrize(
    ("cookie", "expected"),
    [
        ("", []),
        (" ; ;", []),
        ("a=b", [("a", ("b",))]),
        ("a = b ; c=d;", [("a", ("b",)), ("c", ("d",))]),
        ('a="b c"; d=', [("a", ("b c",)), ("", ("d=",))]),
        ("a=b=c==", [("a", ("b=c==",))]),
        ("QUJD==", [("", ("QUJD==",))]),
        ("bare", [("", ("bare",))]),
        ("a=x%2541y; b=%41", [("a", ("x%2541y", "xAy")), ("b", ("%41", "A"))]),
        ('a=""; b=c', [("b", ("c",))]),
    ],
)
def test_the_pairs_of_a_cookie_are_read_as_written_and_unescaped(
    cookie: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(each.name, each.texts) for each in cookie_pairs(cookie)] == expected


def token_among_others(name: str, value: str) -> bool:
    return cookie_pairs(f"lang=de; {name}={value}")[1].is_token


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("x", "a1b2c3d4e5f6g7h8", True),
        ("x", "a1b2c3d4e5f6g7h", False),  # of 15 letters
        ("x", "a1b2c3a1b2c3a1b2c3", False),  # six different ones
        ("x", "a1b2c3d4a1b2c3d4", True),  # eight
        ("x", "a1b2c3da1b2c3da1b2c3d", False),  # seven
        ("x", "spring-sale-2026-ab1cd2e", False),  # seven in pieces that mix letters and digits
        ("x", "spring-sale-2026-ab1cd2ef", True),
        ("x", "spring-sale-2026-cd1-ab2c3", True),  # eight of them in two pieces
        ("x", "abcdefghijklmnop", False),
        ("session", "abcdefghijklmnop", False),
        ("session", "abcdefgh-2026-04", True),
        ("sid", "abcdefgh-2026-04", True),
        ("app-csrf", "abcdefgh-2026-04", True),
        ("auth_id", "abcdefgh-2026-04", True),
        ("sessions", "abcdefgh-2026-04", False),
        ("session", "1234567890-12345", False),
        ("session", "2026-03-01T10:00:00.000Z", False),
        ("session", "noa.4711@a1b2c3d4.example", False),
        ("session", "https://app.test/t/a1b2c3d4e5", False),
    ],
)
def test_one_of_several_parts_is_a_token_by_its_shape_or_under_a_telling_name(
    name: str, value: str, expected: bool
) -> None:
    assert token_among_others(name, value) is expected


@pytest.mark.parametrize(
    ("value", "expected"), [("abcdefghijkl", True), ("abcdefghijk", False), ("1" * 15, False)]
)
def test_the_only_part_is_a_token_by_its_length_alone(value: str, expected: bool) -> None:
    assert cookie_pairs(f"x={value}") == [CookiePair("x", (value,), expected)]


def test_the_values_of_a_cookie_are_itself_in_both_forms_and_its_secret_parts() -> None:
    cookie = f"me=noa; lang=de; sid={TOKEN}"
    found = list(credential_values("cookie", cookie, {"noa"}))
    assert [each.text for each in found] == [cookie, cookie.replace(" ", "+"), "de", TOKEN]
    assert [each.prefix for each in found] == ["", "", "", TOKEN[:8]], "a Cookie begins with a name"
    assert [each.name for each in found] == ["cookie", "cookie", "lang", "sid"]
    assert [each.grade for each in found] == [Grade.TOKEN, Grade.TOKEN, Grade.NAMED, Grade.TOKEN]
    assert cookie_parts(cookie, {"noa"}) == (["sid"], ["lang"])
    assert cookie_parts(cookie) == (["sid"], ["me", "lang"])
    (whole, bare) = credential_values("cookie", "de", ())
    assert (whole.text, bare.name) == ("de", "cookie"), "a part without a name is found behind the Cookie's"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("api_key", "X-Api-Key: {}"),
        ("api_key", "xapikey={}"),
        ("api_key", "API key '{}'"),
        ("bearer", "Authorization: Bearer {}"),
        ("bearer", "bearer {}"),
        ("cookie", "Cookie: {}"),
    ],
)
def test_a_short_value_is_found_behind_its_name_and_nowhere_else(kind: str, words: str) -> None:
    made = Redactor()
    made.add([(kind, "k9")])
    assert made.redact_refusal(f"{words.format('k9')} of seat k9") == f"{words.format(HIDDEN)} of seat k9"
    assert made.redact_refusal(words.format("k99")) == words.format("k99")
    assert made.redact_refusal(f"k9 {words.format('')}") == f"k9 {words.format('')}"


def test_nothing_of_a_value_is_in_its_repr() -> None:
    (found,) = cookie_pairs(f"sid={TOKEN}")
    assert (repr(found), repr(value_of(TOKEN))) == ("CookiePair(***)", "CredentialValue(***)")
