"""A platform that sends back what it was sent, and `frontdesk` aimed at it."""

from collections.abc import Iterator

import pytest

from canary import echo_server
from canary.echo_server import ENVIRON, Echo
from cli.commandline import Frontdesk
from frontdesk_api.client import client
from frontdesk_api.client.transport import RetryPolicy


@pytest.fixture
def echo() -> Iterator[Echo]:
    yield from echo_server.running()


@pytest.fixture
def frontdesk(nowhere: Frontdesk, echo: Echo, monkeypatch: pytest.MonkeyPatch) -> Frontdesk:
    """`frontdesk` with the canary's credentials; it tries again at once."""
    monkeypatch.setattr(client, "RetryPolicy", lambda: RetryPolicy(attempts=2, base_seconds=0, retry_after_cap=0))
    nowhere.environ |= {"FRONTDESK_BASE_URL": echo.url, **ENVIRON}
    return nowhere
