"""Waiting times under an hour are minutes, and a minute repaints the rows whose words differ."""

import re

import pytest

from frontdesk.inbox.store import threads
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId
from kit import NOW, At, Clock, profile, running
from sample_json import raw_message
from services import Services

pytestmark = pytest.mark.anyio
WAITED = {"C1": 3 * 3_600.0, "C2": 2 * 3_600.0, "C3": 58.5 * 60, "C4": 7.5 * 60}


async def test_a_minute_repaints_only_the_rows_whose_words_differ(store: Store) -> None:
    clock = Clock()
    services = Services(store, profile(), clock=clock)
    for customer, seconds in WAITED.items():
        services.inbox.open_conversation(LineId("L1"), CustomerId(customer)).result()
        here, page = ConversationId(f"L1#{customer}"), [raw_message(1, createdAt=(NOW - seconds) * 1000)]
        store.write(lambda db, here=here, page=page: threads.put_page(
            db, here, page, start=None, has_more=False, now=NOW)).result()  # fmt: skip
    async with running(store, clock=clock, fills=False) as at:
        await at.until(lambda: waits(at) == ["3h wait", "2h wait", "58m wait", "7m wait"])
        before = [each.line for each in at.inbox.list.rows.frame()]
        clock.now += 60
        at.app.refresh_times()
        await at.until(lambda: waits(at) == ["3h wait", "2h wait", "59m wait", "8m wait"])
        after = [each.line for each in at.inbox.list.rows.frame()]
        assert [place for place, line in enumerate(after) if line != before[place]] == [4, 6], "two first lines"


def waits(at: At) -> list[str]:
    return re.findall(r"\S+ wait\b", at.text)
