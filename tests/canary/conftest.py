"""A platform that sends back what it was sent, and `frontdesk` aimed at it."""

from collections.abc import Iterator

import pytest

from canary import echoing
from canary.echoing import ENVIRON, Echo
from cli.commandline import Frontdesk
from cli.conftest import home, nowhere
from frontdesk.client import client
from frontdesk.client.retries import RetryPolicy
from linear.conftest import at
from tui.widgets.hosts import wire

__all__ = ["at", "home", "nowhere", "wire"]


@pytest.fixture
def echo() -> Iterator[Echo]:
    yield from echoing.running()


@pytest.fixture
def frontdesk(nowhere: Frontdesk, echo: Echo, monkeypatch: pytest.MonkeyPatch) -> Frontdesk:
    """`frontdesk` with the canary's credentials; it tries again at once."""
    monkeypatch.setattr(client, "RetryPolicy", lambda: RetryPolicy(attempts=2, base_seconds=0, retry_after_cap=0))
    nowhere.environ |= {"FRONTDESK_BASE_URL": echo.url, **ENVIRON}
    return nowhere
