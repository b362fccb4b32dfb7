"""Fixtures of the tests of widgets and dialogs."""

import pytest

from tui.widgets.hosts import wire

__all__ = ["wire"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
