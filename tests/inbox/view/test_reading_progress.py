"""The words above the list while threads are read: how many are left, and how long that takes."""

from frontdesk.inbox.view.thread import MIN_LEFT, ReadingProgress
from frontdesk.storage.coverage import Coverage
from frontdesk_lines.glyphs import UNICODE


def read(progress: ReadingProgress, done: int, at: float, known: int = 245, *, is_listed: bool = True) -> None:
    progress.update(Coverage(done, known, is_listed=is_listed), at)


def words(
    progress: ReadingProgress, now: float, width: int = 100, above: int = 0, *, by_threads: bool = True
) -> tuple[str, str]:
    return progress.words(width, now, UNICODE, above, by_threads=by_threads)


def test_the_time_left_is_that_of_the_pace_seen_and_no_number_before() -> None:
    progress = ReadingProgress()
    read(progress, 8, 0.0)
    assert words(progress, 1.0) == ("Loading conversations: 237 of 245 left.", "The order may still change.")
    for second in range(1, 31):
        read(progress, 8 + second, float(second))
    assert progress.seconds_left(30.0) == 207.0
    assert words(progress, 30.0)[0] == "Loading conversations: 207 of 245 left, about 3 min."
    assert progress.seconds_left(200.0) is None, "nothing was read for minutes"


def test_it_ends_when_all_is_read_and_daily_traffic_does_not_begin_it() -> None:
    progress = ReadingProgress()
    read(progress, 245 - MIN_LEFT + 1, 0.0)
    assert not progress.is_going
    read(progress, 245 - MIN_LEFT, 1.0)
    read(progress, 244, 2.0)
    assert progress.is_going
    read(progress, 245, 3.0)
    assert not progress.is_going


def test_a_narrow_list_has_shorter_words_and_cuts_no_number() -> None:
    progress = ReadingProgress()
    for second in range(11):
        read(progress, 100 * second, float(second), known=10_000, is_listed=False)
    assert words(progress, 10.0, 40) == ("Loading: 9,000 of 10,000+ left, ~2 min.", "The order may still change.")
    assert words(progress, 10.0, 32)[0] == "9,000 of 10,000+ left"
    assert words(progress, 10.0, 40, 12)[1] == "↑ 12 above"
    assert words(progress, 10.0, 60)[0] == "Loading conversations: 9,000 of 10,000+ left, about 2 min."
    assert words(progress, 10.0, 40, by_threads=False)[1] == "This list may still change."
