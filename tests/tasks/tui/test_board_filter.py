"""What a board is narrowed to, below its screen."""

from datetime import UTC

from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.task_filter import TermField
from frontdesk.tasks.tui.board_filter import BoardFilter
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import NAVIGATION, Keymap
from frontdesk_lines.glyphs import glyphs
from sample_json import raw_task
from services import Services

DUE = 2_000_000_000


def test_what_is_overdue_is_told_by_the_rooms_clock_alone(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1, dueDate=DUE), raw_task(2, dueDate=DUE + 60)])).result()
    now = DUE - 1.0
    narrowing = BoardFilter(
        AppContext(services.store, services.outbox, glyphs(False), UTC, lambda: now, Keymap(NAVIGATION)),
        [[TermField.OVERDUE, "overdue", False]],
    )
    for moment, listed in ((DUE - 1.0, {}), (DUE + 1.0, {"open": ["t1"]}), (DUE + 61.0, {"open": ["t1", "t2"]})):
        now = moment
        narrowing.read()
        assert narrowing.listed == listed
