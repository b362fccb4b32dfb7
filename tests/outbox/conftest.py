"""Fixtures of the outbox's tests."""

from collections.abc import Iterator

import apsw
import pytest

from outbox.rows import outbox_in_memory


@pytest.fixture
def db() -> Iterator[apsw.Connection]:
    with outbox_in_memory() as connection:
        yield connection
