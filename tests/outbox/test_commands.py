"""What the outbox keeps of a person for later runs: the first start, screens' states, privacy, notifications."""

from pathlib import Path

from frontdesk.outbox import queue
from frontdesk.outbox.commands import FORGET_SECONDS, NOTIFIED, claim_notifications
from frontdesk.storage.database import Store
from frontdesk_lines.privacy import is_private, set_private
from services import Services


def test_only_the_first_start_of_a_profile_is_one(services: Services, store: Store, folder: Path) -> None:
    assert services.outbox.claim_first_start()
    store.write(lambda _: None).result()
    assert not services.outbox.claim_first_start()
    with Store(folder) as again:
        assert not Services(again, services.store.profile).outbox.claim_first_start()


def test_each_screen_has_its_own_state_and_the_last_one_counts(services: Services, store: Store) -> None:
    outbox = services.outbox
    assert outbox.saved_view_state("inbox") is None
    outbox.save_view_state("inbox", {"row": 1})
    outbox.save_view_state("inbox", {"row": 2})
    outbox.save_view_state("board", ["a"])
    store.write(lambda _: None).result()
    assert (outbox.saved_view_state("inbox"), outbox.saved_view_state("board")) == ({"row": 2}, ["a"])


def test_privacy_outlasts_a_run_and_a_run_that_hides_goes_on_to_hide(services: Services, store: Store) -> None:
    outbox = services.outbox
    outbox.restore_privacy()
    assert not is_private()
    for hides in (True, False):
        outbox.keep_privacy(hides)
        assert is_private() is hides
        store.write(lambda _: None).result()
        set_private(False)
        outbox.restore_privacy()
        assert is_private() is hides
    set_private(True)
    outbox.restore_privacy()
    assert is_private()


def test_an_event_is_claimed_once_and_a_newer_one_of_the_same_again(store: Store) -> None:
    now = 5_000_000.0

    def claim(at: float, **moments: float) -> set[str]:
        return set(store.write(lambda db: claim_notifications(db, moments, at)).result())

    assert claim(now, a=10.0, b=20.0, never=0.0) == {"a", "b"}
    assert claim(now, a=10.0, b=20.5, c=1.0) == {"b", "c"}
    assert claim(now, a=9.0, b=20.5) == set()
    assert queue.all_kept(store.reading, NOTIFIED) == {"a": 10.0, "b": 20.5, "c": 1.0}
    assert claim(now + FORGET_SECONDS, d=1.0) == {"d"}
    assert set(queue.all_kept(store.reading, NOTIFIED)) == {"a", "b", "c", "d"}
    assert claim(now + FORGET_SECONDS + 1, d=1.0) == set()
    assert set(queue.all_kept(store.reading, NOTIFIED)) == {"a", "b", "c", "d"}
    assert claim(now + FORGET_SECONDS + 1, e=1.0) == {"e"}
    assert set(queue.all_kept(store.reading, NOTIFIED)) == {"d", "e"}
