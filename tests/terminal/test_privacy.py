"""With `--privacy`, no byte that a terminal gets has a customer's name or number."""

import re

import pytest

from frontdesk_api.contract.ids import AgentId
from frontdesk_sandbox import fixtures
from new_store import open_store
from terminal.conftest import Open
from terminal.service import Home, Service

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]


def people(home: Home, service: Service) -> "re.Pattern[bytes]":
    """Match a customer's name or number, or an agent's name but the reader's own."""
    with open_store(home.store(service)) as store:
        rows = list(store.reading.execute("SELECT name, number FROM conversations"))
    told = {each for row in rows for each in row if each and len(each) > 3}
    told |= {agent.name for agent in fixtures.AGENTS if AgentId(agent.id) != fixtures.ME.id}
    assert len(told) > 100
    return re.compile(b"|".join(re.escape(each.encode()) for each in sorted(told)))


def test_nobodys_name_or_number_is_in_the_bytes_of_a_private_run(
    opened: Open, filled_home: Home, service: Service
) -> None:
    words = people(filled_home, service)
    terminal = opened("--privacy", columns=170)
    terminal.wait_for("● live")
    terminal.wait_for("privacy on")
    for key in ("j", "y", "/", "\x1b", "?", "\x1b", "2", "3", "5", "6", "1"):
        terminal.press_and_settle(key)
    assert "Customer 1" in terminal.text
    assert b"\x1b]52;" not in terminal.raw, "nothing is copied"
    assert not words.search(terminal.raw)
    terminal.press_and_settle("H")
    terminal.wait_for(lambda: words.search(terminal.raw))
