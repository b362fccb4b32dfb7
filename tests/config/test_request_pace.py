"""How many requests an engine may make: by the hosts of its profile, and what the config sets."""

import pytest

from frontdesk.config.hosts import are_local, parse_hosts
from frontdesk.config.request_pace import RequestLimits, request_limits
from frontdesk.config.settings import Settings

HERE, THERE = "http://127.0.0.1:8787", "https://api.acme.test"


@pytest.mark.parametrize(
    ("settings", "base_url", "expected"),
    [
        (Settings(), THERE, RequestLimits(5.0, 300, 120)),
        (Settings(requests_per_minute=600), THERE, RequestLimits(5.0, 600, 120)),
        (Settings(requests_per_minute=60, requests_per_second=1.0), THERE, RequestLimits(1.0, 60, 60)),
        (Settings(), HERE, RequestLimits(50.0, 3_000, 3_000)),
        (Settings(requests_per_minute=200), HERE, RequestLimits(50.0, 200, 200)),
    ],
)
def test_what_is_set_is_the_most_and_a_remote_platform_is_learned(
    settings: Settings, base_url: str, expected: RequestLimits
) -> None:
    assert request_limits(settings, parse_hosts({"base_url": base_url})) == expected


@pytest.mark.parametrize(
    ("base_url", "is_local"),
    [
        ("http://localhost:1", True),
        ("http://127.3.2.1", True),
        ("http://[::1]:9", True),
        ("https://localhost", True),
        ("https://localhost.acme.test", False),
        ("https://127.acme.test", False),
    ],
)
def test_a_platform_is_local_by_the_names_of_all_its_hosts(base_url: str, is_local: bool) -> None:
    assert are_local(parse_hosts({"base_url": base_url})) is is_local
    assert not are_local(parse_hosts({"base_url": base_url, "ai_url": THERE})), "one of them isn't"
