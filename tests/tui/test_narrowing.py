"""What a board is narrowed to, below its screen."""

from datetime import UTC

from frontdesk.desk.desk import Desk
from frontdesk.present.glyphs import glyphs
from frontdesk.store import tasks
from frontdesk.store.filtering import Field
from frontdesk.store.store import Store
from frontdesk.tui.narrowing import Narrowing
from frontdesk.tui.room import Room
from raws import raw_task

DUE = 2_000_000_000


def test_what_is_overdue_is_told_by_the_rooms_clock_alone(store: Store, desk: Desk) -> None:
    store.write(lambda db: tasks.put(db, [raw_task(1, dueDate=DUE), raw_task(2, dueDate=DUE + 60)])).result()
    now = DUE - 1.0
    narrowing = Narrowing(Room(desk, glyphs(False), UTC, lambda: now), [[Field.OVERDUE, "overdue", False]])
    for moment, listed in ((DUE - 1.0, {}), (DUE + 1.0, {"open": ["t1"]}), (DUE + 61.0, {"open": ["t1", "t2"]})):
        now = moment
        narrowing.read()
        assert narrowing.listed == listed
