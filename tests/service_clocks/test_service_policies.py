"""The service policies of a config: their filters, and what is said at the start where they can't be used."""

from dataclasses import replace
from typing import Any

import pytest

from frontdesk.config.settings import Profile, Settings
from frontdesk.registry.service_policies import load_policies, policy_warnings
from frontdesk_api.contract.ids import LineId
from frontdesk_lines.privacy import set_private
from services import Services

GOOD: dict[str, Any] = {
    "name": "Service",
    "zone": "Europe/Rome",
    "hours": ["mon-fri 09:00-18:00"],
    "first_response": "1h",
}


@pytest.fixture
def profile(services: Services) -> Profile:
    return replace(services.store.profile, lines={LineId("4420"): "Service"})


@pytest.mark.parametrize("match", ["line:service", "tag:vip !is:unassigned", "status:open is:task agent:noa", ""])
def test_a_filter_by_what_stays_chooses_a_policy(profile: Profile, match: str) -> None:
    found = load_policies(Settings(sla=[GOOD | {"match": match}]), profile)
    assert (len(found.all), policy_warnings(found)) == (1, [])


@pytest.mark.parametrize(
    ("match", "words"),
    [
        ("waiting>1h", "sla[0].match: waiting>1h can't choose an SLA"),
        ("sla<15m", "sla[0].match: sla<15m can't choose an SLA"),
        ("is:mine", "sla[0].match: is:mine can't choose an SLA"),
        ("agent:me", "sla[0].match: agent:me can't choose an SLA"),
        ("refund", "sla[0].match: refund can't choose an SLA"),
        ("lyne:service", "sla[0].match: lyne: did you mean line:?"),
        ("line:servize", "sla[0].match: line:servize"),
    ],
)
def test_a_filter_that_time_or_a_reader_changes_is_refused(profile: Profile, match: str, words: str) -> None:
    found = load_policies(Settings(sla=[GOOD | {"match": match}]), profile)
    assert (found.all, found.faults[0].startswith(words)) == ((), True), found.faults


def test_a_fault_is_told_at_the_start_and_privacy_doesnt_hide_it(profile: Profile) -> None:
    found = load_policies(Settings(sla=[GOOD | {"zone": "Mars/Base"}]), profile)
    set_private(True)
    try:
        (said,) = policy_warnings(found)
    finally:
        set_private(False)
    assert said.text.startswith("config.toml: sla[0].zone: 'Mars/Base' isn't a time zone known here")
    assert said.text.endswith("its deadlines are unknown until this is fixed.")


def test_a_profile_without_a_policy_of_its_own_has_no_view_of_deadlines(services: Services) -> None:
    profile = services.store.profile
    for name, has_sla in ((profile.name, True), ("other", False)):
        settings = Settings(sla=[GOOD | {"profile": name}], profile_names=("other", profile.name))
        assert len(load_policies(settings, profile).all) == has_sla
        assert bool(settings.of_profile(profile.name).sla) is has_sla
    assert load_policies(replace(settings, sla=[GOOD | {"profile": "othr"}]), profile).faults
