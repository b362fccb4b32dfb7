"""Why this machine can't store: the pause of the polls doubles to its bound, and a success ends it."""

import apsw
import pytest

from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable, unusable
from frontdesk.sync.store_write_errors import StoreTrouble


def test_the_pause_doubles_with_each_failure_up_to_a_minute_and_begins_again_after_a_success(store: Store) -> None:
    trouble = StoreTrouble(store)
    assert (trouble.reason, trouble.until) == ("", 0.0)
    for pauses in ([2, 4, 8, 16, 32] + [60] * 12, [2, 4]):
        now, found = 1000.0, []
        for _ in pauses:
            trouble.note(StoreUnusable("no room"), now)
            found.append(trouble.until - now)
            now = trouble.until
        assert found == pauses
        assert trouble.reason == "no room"
        trouble.clear()
        assert trouble.reason == ""


@pytest.mark.parametrize("error", [apsw.FullError("database or disk is full"), apsw.ReadOnlyError("readonly")])
def test_sqlites_words_become_those_for_a_person(store: Store, error: apsw.Error) -> None:
    trouble = StoreTrouble(store)
    trouble.note(error, 1.0)
    assert trouble.reason == str(unusable(error, store.folder))
    assert str(store.folder) in trouble.reason
    trouble.note(StoreUnusable(), 1.0)
    assert trouble.reason == "StoreUnusable"
