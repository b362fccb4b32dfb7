"""Which texts of a credential are found, which are left alone, and what remains readable."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canary.echo_server import BEARER, COOKIE, KEY, encodings, leaks
from frontdesk.cli.output import print_json
from frontdesk.config.credentials import describe_hidden_cookie_parts, load_credentials, public_ids, short_words
from frontdesk.config.settings import Profile, TagLabel, parse_hosts
from frontdesk.workflows.workflow_files import write_workflow
from frontdesk_api import redaction
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.contract.ids import AgentId, TagId
from frontdesk_api.credential_values import cookie_pairs, cookie_parts
from frontdesk_api.credentials import CredentialSet, Secret, remember
from frontdesk_api.redaction import HIDDEN, KNOWN, Redactor


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
    environ = {
        "FRONTDESK_COOKIE": "uid=agent-noa-4711; session=canary-secret-4711",
        "FRONTDESK_API_KEY": "canary-key",
    }
    environ["FRONTDESK_BEARER"] = "canary-bearer"
    remember(load_credentials(profile, environ))
    assert KNOWN.redact("agent-noa-4711 canary-secret-4711") == f"agent-noa-4711 {HIDDEN}"


def test_nothing_shows_what_a_redactor_knows() -> None:
    remember(CredentialSet(Secret(COOKIE), Secret(KEY), Secret(BEARER)))
    assert not leaks(repr(KNOWN) + repr(KNOWN._known) + repr(KNOWN._known.values))


ORDINARY = (
    "theme=dark-mode; tz=America%2FArgentina%2FBuenos_Aires; plan=Business; sort=lastModified; tab=isActive; "
    "order=associatedToBusinessName; last=2026-03-01; seen=2026-03-01T10:00:00.000Z; when=20260301T100000Z; "
    "phone=%2B4917612345678; id=123456789012345678; mail=noa.4711%40a1b2c3d4.example; "
    "back=https%3A%2F%2Fapp.test%2Ft%2Fa1b2c3d4e5; recent=cmp-spring-2026-v2-reminder; view=lastModified2026Desc; "
    f"lang=de-AT; sid={'q8Zk2vT7' * 3}"
)


def test_ordinary_parts_of_a_cookie_leave_data_as_it_is() -> None:
    made = redactor(ORDINARY)
    words = [value for pair in cookie_pairs(ORDINARY) if pair.name != "sid" for value in pair.texts]
    data = {
        "associatedToBusinessId": "Business class upgrade",
        "rows": [{"id": word, "lastModified": 1, "isActive": word, "name": f"about {word}."} for word in words],
        **dict.fromkeys(words, 123456789012345678),
    }
    before = json.dumps(data)
    assert made.redact_json(data) is data
    assert json.dumps(data) == before
    assert made.redact(before) is before
    for word in words:
        assert len(word) < 6 or HIDDEN in made.redact_refusal(f"bad {word}!"), word
    assert made.redact("q8Zk2vT7" * 3) == HIDDEN


@pytest.mark.parametrize(
    "token",
    [
        "550e8400-e29b-41d4-a716-446655440000",
        "5f8d0d55b54764421b7156c9",
        "JBSWY3DPEHPK3PXPJBSW",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.dGhlLXNpZ25hdHVyZQ",
        "Fe26.2**0cdd607945dd1dffb7da0b0bf5f1a7da",
        "s%3Aq8Zk2vT7q8Zk2vT7.Zm9v%2BYmFy",
    ],
)
def test_a_token_among_several_parts_is_replaced_anywhere_whatever_its_name(token: str) -> None:
    made = redactor(f"lang=de; x={token}")
    assert made.redact_json({f"a{token}b": [f"a{token}b"]}) == {f"a{HIDDEN}b": [f"a{HIDDEN}b"]}


@pytest.mark.parametrize(
    ("kind", "value", "is_everywhere"),
    [
        ("api_key", "supervisor", False),
        ("api_key", "the-supervisor", True),
        ("bearer", "972737001200", False),
        ("bearer", "9727370012009727", True),
        ("cookie", "plan=Business", False),
        ("cookie", "t=the-supervisor", True),
        ("cookie", "the-supervisor", True),
        ("cookie", "a=b; t=the-supervisor", False),
        ("cookie", "a=b; csrf=the-supervisor-4711", True),
        ("cookie", "a=b; c=the-supervisor-4711", False),
    ],
)
def test_keys_bearers_and_lone_pairs_are_secret_whatever_their_shape(
    kind: str, value: str, is_everywhere: bool
) -> None:
    made = Redactor()
    made.add([(kind, value)])
    text = f"x{value.rpartition('=')[2]}x"
    assert (HIDDEN in made.redact(text)) is is_everywhere


def test_keys_of_the_interface_stay_and_none_are_merged() -> None:
    made = redactor("sort=lastModified", "123456789012-key")
    value = {"lastModified": 1, "x-lastModified": 2, "x-123456789012-key": 3, f"x-{HIDDEN}": 4}
    found = {"lastModified": 1, f"x-{HIDDEN}": 2, f"x-{HIDDEN} 2": 3, f"x-{HIDDEN} 3": 4}
    before = json.dumps(value)
    assert made.redact_json(value) == found
    assert json.dumps(value) == before, "what was passed is the caller's"


def test_what_holds_escapes_and_no_credential_is_read_once_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    made = redactor("; ".join(f"p{number}={'q8Zk2vT7' * 3}{number:02}" for number in range(12)))
    levels: list[str] = []
    read = redaction.unescape

    def counted(parts: list[str]) -> str:
        levels.append("")
        return read(parts)

    monkeypatch.setattr(redaction, "unescape", counted)
    monkeypatch.setattr(redaction, "_spans", lambda *_, **__: pytest.fail("places are looked for"))
    value = {"rows": [{f"a&amp;{number}": "50%25 &amp;amp; \\\\"} for number in range(500)]}
    assert made.redact_json(value) is value
    assert len(levels) <= 3


def profile_with_ids() -> Profile:
    tag = TagLabel(TagId("t"), "T", associated_to="5f8d0d55b54764421b7156c9")
    return Profile("p", parse_hosts({"base_url": "https://a.test"}), tags=(tag, TagLabel(TagId("u"), "U")))


def test_the_account_that_a_tag_names_stays_readable_without_loading_first() -> None:
    account = "5f8d0d55b54764421b7156c9"
    cookie = Secret(f"account={account}; sid={'q8Zk2vT7' * 3}")
    profile = profile_with_ids()
    PlatformClient(profile.hosts, CredentialSet(cookie, Secret(KEY), public=public_ids(profile)))
    assert KNOWN.redact(f"{account} {'q8Zk2vT7' * 3}") == f"{account} {HIDDEN}"


def test_credentials_that_are_loaded_bring_the_public_ids_along() -> None:
    environ = {"FRONTDESK_COOKIE": "account=5f8d0d55b54764421b7156c9; lang=de", "FRONTDESK_API_KEY": KEY}
    loaded = load_credentials(profile_with_ids(), environ | {"FRONTDESK_BEARER": BEARER})
    KNOWN.__init__()  # type: ignore[misc]
    PlatformClient(profile_with_ids().hosts, loaded)
    assert KNOWN.redact("5f8d0d55b54764421b7156c9") == "5f8d0d55b54764421b7156c9"
    assert KNOWN.redact(KEY) == HIDDEN


def test_the_parts_of_a_cookie_are_told_by_name_and_never_by_value() -> None:
    assert cookie_parts(COOKIE + "; lang=de; me=noa", {"noa"}) == (["session", "csrf"], ["lang"])
    assert describe_hidden_cookie_parts(CredentialSet(Secret(COOKIE + "; lang=de"))) == (
        "frontdesk hides session, csrf everywhere, and lang in error messages only"
    )
    assert (
        describe_hidden_cookie_parts(CredentialSet(Secret("lang=de")))
        == "frontdesk hides lang in error messages only"
    )
    for bare in ("QUJDREVGR0hJSktMTQ==", "QUJDREVGR0hJSktMTU4=", "QUJDREVGR0hJSktMTU5P"):
        assert (
            describe_hidden_cookie_parts(CredentialSet(Secret(bare)))
            == "frontdesk hides an unnamed part everywhere"
        )


def test_short_keys_are_told_by_name_and_never_by_value() -> None:
    long = Secret("k3y-4f9a-77b1-x")
    assert short_words(CredentialSet(Secret("a=b"), long, long)) == ""
    assert short_words(CredentialSet(api_key=Secret("sandbox-key"), bearer=long)).startswith("the x-api-key is")
    digits = short_words(CredentialSet(api_key=Secret("1" * 15), bearer=Secret("canary-b")))
    assert digits.startswith("the x-api-key and the Bearer token are too short")
    assert "canary" not in digits


def test_printed_json_stays_json_where_a_number_is_a_credential(capsys: pytest.CaptureFixture[str]) -> None:
    remember(CredentialSet(api_key=Secret("4711471147114711")))
    print_json({"n": 4711471147114711, "text": "4711471147114711 \u202e"})
    assert json.loads(capsys.readouterr().out) == {"n": HIDDEN, "text": f"{HIDDEN} \u202e"}


def test_an_exported_workflow_stays_json_where_a_number_is_a_credential(tmp_path: Path) -> None:
    remember(CredentialSet(api_key=Secret("4711471147114711")))
    write_workflow({"id": "w1", "lastModified": 1, "workflow": {"n": 4711471147114711}}, tmp_path / "w.json")
    assert json.loads((tmp_path / "w.json").read_text())["workflow"] == {"n": HIDDEN}
