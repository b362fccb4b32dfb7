"""What is said above: how much of it is on the screen at once, and that nothing of it is lost unread."""

import pytest
from textual.notifications import Notification, SeverityLevel

from frontdesk_lines.textual_compat.toasts import MAX_SHOWN, MAX_WAITING, Toasts


def said(words: str, severity: SeverityLevel = "information") -> Notification:
    return Notification(words, severity=severity, timeout=60)


def shown(toasts: Toasts) -> list[str]:
    return [each.message for each in toasts]


def test_what_was_done_last_takes_the_place_of_what_was_done_before() -> None:
    toasts = Toasts()
    for words in ("one", "two", "three"):
        toasts.add(said(words))
    assert shown(toasts) == ["three"]


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_an_error_stays_beside_what_is_done_after_it(severity: SeverityLevel) -> None:
    toasts = Toasts()
    toasts.add(said("failed", severity))
    toasts.add(said("one"))
    toasts.add(said("two"))
    assert shown(toasts) == ["failed", "two"]
    toasts.add(said("failed too", "error"))
    assert shown(toasts) == ["failed", "failed too"]


def test_what_has_no_room_is_shown_as_soon_as_there_is_with_its_whole_time() -> None:
    toasts = Toasts()
    first, *others = [said(str(at), "error") for at in range(4)]
    for each in (first, *others):
        toasts.add(each)
    assert shown(toasts) == ["0", "1"]
    others[1].raised_at = 0.0  # it has waited for longer than it is shown
    del toasts[first]
    assert shown(toasts) == ["1", "2"]
    assert toasts.has_waiting
    others[0].timeout = -1
    assert shown(toasts) == ["2", "3"]
    assert not toasts.has_waiting


@pytest.mark.parametrize("severity", ["information", "warning", "error"])
def test_what_is_said_again_is_said_once_with_its_whole_time(severity: SeverityLevel) -> None:
    toasts = Toasts()
    for words in ("no task", "other", "no task"):
        toasts.add(said(words, severity))
    again = said("no task", severity)
    toasts.add(again)
    assert shown(toasts).count("no task") == 1
    assert list(toasts)[-1] is again
    waiting = said("third", "error")
    for each in (said("first", "error"), said("second", "error"), waiting, said("third", "error")):
        toasts.add(each)
    while toasts.has_waiting:
        del toasts[next(iter(toasts))]
    assert shown(toasts).count("third") == 1


def test_ever_so_many_are_bounded_and_can_be_cleared() -> None:
    toasts = Toasts()
    for at in range(100):
        toasts.add(said(str(at), "warning"))
        assert len(toasts) <= MAX_SHOWN
    last = list(toasts)
    seen = []
    while last:
        seen += [each.message for each in last]
        for each in last:
            del toasts[each]
        last = list(toasts)
    assert seen == ["0", "1", *map(str, range(100 - MAX_WAITING, 100))]
    toasts.add(said("one more", "error"))
    toasts.clear()
    assert shown(toasts) == []
