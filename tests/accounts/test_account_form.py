"""What the form of an account says of each field: wrong, tried, accepted, and never fine without an answer."""

import json

import pytest

from frontdesk.accounts.account_form import ACCOUNT, AccountForm, TrialResult, Verdict, taken_names
from frontdesk.accounts.host_checks import HostCheck, HostFault
from frontdesk.config.hosts import HOST_KEYS

URL, ELSEWHERE = "https://api.acme.test", "https://campaigns.acme.test"
SECRETS = {"cookie": "token=abc", "api_key": "key-1"}


def filled(**typed: str) -> AccountForm:
    return AccountForm(typed={"name": "acme", "base_url": URL} | SECRETS | typed)


def answer(form: AccountForm, fault: HostFault = HostFault.NONE, message: str = "", **faults: HostFault) -> None:
    """Let the hosts answer what is typed now."""
    trial = form.trial()
    assert trial is not None
    checks = [
        HostCheck(
            key, url := getattr(trial.profile.hosts, key), faults.get(key, fault), f"{url} said it", 0, message
        )
        for key in HOST_KEYS
    ]
    form.tried, form.result = trial, TrialResult(checks)


def verdicts(form: AccountForm) -> dict[str, Verdict]:
    return {key: form.status(key).verdict for key in ACCOUNT}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("name", "my company", "letters, digits"),
        ("name", "demo", "this name is reserved for the demo"),
        ("name", "taken", "profile taken already exists"),
        ("name", "left", "old profile left"),
        ("base_url", "api.acme.test", "not a URL"),
        ("base_url", "http://api.acme.test", "show your credentials to the network"),
        ("base_url", "https://me@api.acme.test", "without a user name"),
        ("api_key", "two words", "a space"),
        ("cookie", "token=é", "not allowed in a header"),
        ("cookie", "x" * 8_200, "longer than 8192"),
        ("agent_id", "me", "isn't an agent id"),
    ],
)
def test_a_wrong_value_is_named_as_it_is_typed(key: str, value: str, words: str) -> None:
    form = filled(**{key: value})
    form.taken = taken_names(["taken"], ["left"])
    assert words in form.fault(key)
    assert form.status(key).verdict is Verdict.WRONG
    assert form.first_fault() == key


def test_http_to_this_machine_is_an_address() -> None:
    assert filled(base_url="http://127.0.0.1:8787").first_fault() is None


def test_nothing_is_fine_before_an_answer() -> None:
    form = filled(agent_id="agent-1", bearer="b")
    good = [key for key, each in verdicts(form).items() if each is Verdict.ACCEPTED]
    assert good == ["name"]
    form.confirm("base_url")
    form.running = form.trial()
    assert form.status("cookie").words.text == "trying…"
    form.running = None
    answer(form)
    form.typed["api_key"] = "key-2"
    assert verdicts(form)["api_key"] is Verdict.NOT_TRIED


def test_credentials_are_tried_only_with_addresses_that_were_confirmed() -> None:
    form = filled(campaigns_url=ELSEWHERE)
    assert form.unconfirmed() == ["base_url", "campaigns_url"]
    for key in ("base_url", "campaigns_url"):
        trial = form.trial()
        assert trial is not None
        assert not trial.has_credentials
        assert form.status(key).words.text.endswith(f"to {form.value(key)}")
        form.confirm(key)
    trial = form.trial()
    assert trial is not None
    assert trial.has_credentials


@pytest.mark.parametrize("changed", ["https://other.test", "http://127.0.0.1:1", f"{URL}:8443"])
def test_another_address_has_to_be_confirmed_again(changed: str) -> None:
    form = filled()
    form.confirm("base_url")
    form.typed["base_url"] = changed
    trial = form.trial()
    assert form.unconfirmed() == ["base_url"]
    assert trial is not None
    assert not trial.has_credentials


def test_a_wrong_address_is_never_confirmed() -> None:
    form = filled(base_url="http://api.acme.test")
    form.confirm("base_url")
    assert form.confirmed == frozenset()


def test_what_the_hosts_say_reaches_the_fields() -> None:
    form = filled(bearer="b", agent_id="agent-1")
    form.confirm("base_url")
    answer(form)
    form.result = TrialResult(form.result.checks, has_tasks=True)
    assert {key for key, each in verdicts(form).items() if each is Verdict.ACCEPTED} == {
        *("name", "base_url", "cookie", "api_key", "agent_id")
    }
    assert verdicts(form)["bearer"] is Verdict.NOT_TRIED
    form.result = TrialResult(form.result.checks, has_tasks=False)
    assert verdicts(form)["agent_id"] is Verdict.DOUBTFUL


def test_a_refusal_names_the_credential_that_it_can_mean() -> None:
    form = filled()
    form.confirm("base_url")
    answer(form, HostFault.CREDENTIALS, "Unknown token in the Cookie.")
    found = verdicts(form)
    assert (found["cookie"], found["api_key"]) == (Verdict.WRONG, Verdict.ANSWERED)
    assert "Unknown token in the Cookie." in form.status("cookie").words.text
    answer(form, HostFault.CREDENTIALS, "Unauthorized")
    assert verdicts(form)["api_key"] is Verdict.WRONG


def test_an_address_that_fails_says_nothing_about_credentials() -> None:
    form = filled()
    form.confirm("base_url")
    answer(form, HostFault.ADDRESS)
    found = verdicts(form)
    assert found["base_url"] is Verdict.WRONG
    assert (found["cookie"], found["api_key"]) == (Verdict.NOT_TRIED, Verdict.NOT_TRIED)


def test_an_address_of_its_own_is_judged_by_its_own_answer() -> None:
    form = filled(campaigns_url=ELSEWHERE)
    for key in ("base_url", "campaigns_url"):
        form.confirm(key)
    answer(form, campaigns_url=HostFault.ADDRESS)
    assert verdicts(form)["base_url"] is Verdict.ACCEPTED
    assert verdicts(form)["campaigns_url"] is Verdict.WRONG
    form.typed["campaigns_url"] = ""
    answer(form, campaigns_url=HostFault.ADDRESS)
    assert verdicts(form)["base_url"] is Verdict.WRONG


def test_a_refusal_for_the_account_s_plan_is_named_and_no_fault() -> None:
    form = filled()
    form.confirm("base_url")
    answer(form, ai_url=HostFault.REFUSED)
    assert form.status("base_url").verdict is Verdict.ACCEPTED
    assert "but refuses a request: said it" in form.status("base_url").words.text


def test_a_trial_that_could_not_begin_says_why() -> None:
    form = filled()
    form.confirm("base_url")
    form.tried, form.result = form.trial(), TrialResult(failure="couldn't be tried: no certificates")
    assert form.status("base_url").words.text == "couldn't be tried: no certificates"
    assert verdicts(form)["cookie"] is not Verdict.ACCEPTED


def test_a_variable_that_beats_what_is_saved_is_named() -> None:
    form = filled()
    form.environ = {"FRONTDESK_COOKIE": "token=other"}
    assert form.status("cookie").words.text == "FRONTDESK_COOKIE is set and overrides what you save here"


def test_a_draft_has_everything_but_credentials() -> None:
    form = filled(bearer="b", agent_id="agent-1", campaigns_url=ELSEWHERE)
    assert json.loads(form.draft()) == {
        "name": "acme",
        "base_url": URL,
        "campaigns_url": ELSEWHERE,
        "agent_id": "agent-1",
    }
    again = AccountForm()
    again.read_draft(form.draft())
    assert again.value("agent_id") == "agent-1"
    assert again.confirmed == frozenset()
