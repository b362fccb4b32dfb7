"""Waiting times under an hour are minutes, and a minute repaints the rows whose words differ."""

import re
from datetime import UTC

import pytest

from frontdesk.api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Hosts, Profile
from frontdesk.inbox.store import threads
from frontdesk.storage.database import Store
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.context import AppContext
from sample_json import raw_message
from services import Services
from tui.running_app import Running
from tui.widgets.hosts import text_of, until

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
WAITED = {"C1": 3 * 3_600.0, "C2": 2 * 3_600.0, "C3": 58.5 * 60, "C4": 7.5 * 60}


async def test_a_minute_repaints_only_the_rows_whose_words_differ(store: Store) -> None:
    now = [NOW]
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), clock=lambda: now[0])
    for customer, seconds in WAITED.items():
        services.inbox.open_conversation(LineId("L1"), CustomerId(customer)).result()
        here, page = ConversationId(f"L1#{customer}"), [raw_message(1, createdAt=(NOW - seconds) * 1000)]
        store.write(lambda db, here=here, page=page: threads.put_page(
            db, here, page, start=None, has_more=False, now=NOW)).result()  # fmt: skip
    context = AppContext(services.store, services.outbox, glyphs(False), UTC, lambda: now[0], keymap=KEYMAP)
    app = FrontdeskApp(context)
    async with app.run_test(size=(140, 30)) as pilot:
        at = Running(app, pilot)
        await until(lambda: waits(app) == ["3h wait", "2h wait", "58m wait", "7m wait"])
        before = [each.line for each in at.inbox.list.rows.frame()]
        now[0] += 60
        app.refresh_times()
        await until(lambda: waits(app) == ["3h wait", "2h wait", "59m wait", "8m wait"])
        after = [each.line for each in at.inbox.list.rows.frame()]
        assert [place for place, line in enumerate(after) if line != before[place]] == [4, 6], "two first lines"


def waits(app: FrontdeskApp) -> list[str]:
    return re.findall(r"\S+ wait\b", "\n".join(text_of(app)))
