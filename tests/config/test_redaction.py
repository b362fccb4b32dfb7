"""Which texts of a credential are found, which are left alone, and what remains readable."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canary.echoing import BEARER, COOKIE, KEY, encodings, leaks
from frontdesk.config import Profile, parse_hosts
from frontdesk.contract.ids import AgentId
from frontdesk.redaction import HIDDEN, KNOWN, Redactor
from frontdesk.secrets import CredentialSet, Secret, load_credentials, remember


def redactor(cookie: str = COOKIE, key: str = KEY, bearer: str = BEARER) -> Redactor:
    made = Redactor()
    made.add([("cookie", cookie), ("api_key", key), ("bearer", bearer)])
    return made


@pytest.mark.parametrize("value", [COOKIE, *(pair.partition("=")[2] for pair in COOKIE.split("; ")), KEY, BEARER])
def test_each_encoding_is_replaced_and_what_stands_around_it_stays(value: str) -> None:
    for each in encodings(value):
        clean = redactor().redact(f"before «{each}» behind")
        assert clean.startswith("before «")
        assert clean.endswith("» behind")
        assert HIDDEN in clean
        assert not leaks(clean), each


def test_what_holds_no_credential_is_the_same_object() -> None:
    for text in ("", "50% off & more \\ %41%42", "a" * 5000, "QUJDREVGR0hJSktM" * 9):
        assert redactor().redact(text) is text
        assert Redactor().redact(text) is text


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(encodings(KEY)))
def test_no_text_around_it_keeps_it_from_being_found(before: str, behind: str, form: str) -> None:
    assert KEY not in redactor().redact(before + form + behind)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from([KEY, BEARER]))
def test_json_stays_json(before: str, behind: str, value: str) -> None:
    for part in (value, base64.b64encode(value.encode()).decode()):
        for ascii_only in (True, False):
            text = json.dumps({"a": f"{before}\n{part}\n{behind}"}, ensure_ascii=ascii_only)
            assert value not in json.loads(redactor().redact(text))["a"]


def test_decoded_json_is_redacted_in_texts_keys_and_numbers_but_not_in_a_cursor() -> None:
    made = redactor(key="1234567890123456")
    found = made.redact_json(
        {"a": [{BEARER: [BEARER, 1, None, True]}], "n": 1234567890123456, "next": {"id": BEARER}}, keep=["next"]
    )
    assert found == {"a": [{HIDDEN: [HIDDEN, 1, None, True]}], "n": HIDDEN, "next": {"id": BEARER}}


def test_json_that_is_nested_deep_is_walked() -> None:
    value: object = KEY
    for _ in range(5000):
        value = [value]
    value = redactor().redact_json(value)
    for _ in range(5000):
        assert isinstance(value, list)
        (value,) = value
    assert value == HIDDEN


@pytest.mark.parametrize(
    ("cookie", "text", "data", "refusal"),
    [
        # A word or a number of the business: only a refusal's words lose it, and only as a whole word.
        ("role=supervisor", "the supervisor", "the supervisor", f"the {HIDDEN}"),
        ("role=supervisor", "supervisors", "supervisors", "supervisors"),
        ("uid=12345678", "order 12345678", "order 12345678", f"order {HIDDEN}"),
        # Shorter ones are left out only behind their names.
        ("token=1", "1 message, token=1", "1 message, token=1", f"1 message, {HIDDEN}"),
        ("token=1", '{"token": "1"} of 1', '{"token": "1"} of 1', f'{{"token": "{HIDDEN}"}} of 1'),
        ("token=sandbox", "the sandbox", "the sandbox", "the sandbox"),
        # Together with its name it is long enough.
        ("token=sandbox", "Cookie: token=sandbox", f"Cookie: {HIDDEN}", f"Cookie: {HIDDEN}"),
        # A beginning, as of a message that was cut.
        ("s=abcdefgh-ijklmnop", "bad abcdefgh-i...", "bad abcdefgh-i...", f"bad {HIDDEN}..."),
        ("session=abcdefgh-ijklmnop", "the session=old", "the session=old", "the session=old"),
    ],
)
def test_how_much_is_replaced_depends_on_the_value(cookie: str, text: str, data: str, refusal: str) -> None:
    made = Redactor()
    made.add([("cookie", cookie)])
    assert made.redact(text) == data
    assert made.redact_refusal(text) == refusal


def test_short_keys_and_bearers_are_left_out_behind_their_names() -> None:
    made = redactor("t=1", "k9", "b7")
    words = 'x-api-key: k9, "apiKey":"k9", Authorization: Bearer b7; k9 and b7 are seats'
    hidden = f'x-api-key: {HIDDEN}, "apiKey":"{HIDDEN}", Authorization: Bearer {HIDDEN}; k9 and b7 are seats'
    assert made.redact_refusal(words) == hidden


def test_what_the_config_names_openly_stays_readable() -> None:
    profile = Profile("p", parse_hosts({"base_url": "https://a.test"}), agent_id=AgentId("agent-noa-4711"))
    environ = {"FRONTDESK_COOKIE": "uid=agent-noa-4711; s=canary-4711-xyz", "FRONTDESK_API_KEY": "canary-key"}
    environ["FRONTDESK_BEARER"] = "canary-bearer"
    remember(load_credentials(profile, environ))
    assert KNOWN.redact("agent-noa-4711 canary-4711-xyz") == f"agent-noa-4711 {HIDDEN}"


def test_nothing_shows_what_a_redactor_knows() -> None:
    remember(CredentialSet(Secret(COOKIE), Secret(KEY), Secret(BEARER)))
    assert not leaks(repr(KNOWN) + repr(KNOWN._known) + repr(KNOWN._known.values))
