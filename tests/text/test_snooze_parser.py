"""How long something is snoozed, in words."""

from datetime import UTC, datetime

import pytest

from frontdesk.text.due_parser import DueNotUnderstood, parse_snooze
from frontdesk.text.due_presets import snooze_presets
from frontdesk.text.snooze_until import SnoozeWish

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
FRIDAY = datetime(2026, 11, 27, 17, 0, tzinfo=UTC)
MORNING = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("tomorrow 9am", SnoozeWish(MORNING, on_message=True)),
        ("until tomorrow 9am", SnoozeWish(MORNING, on_message=True)),
        ("Fri or they write", SnoozeWish(FRIDAY, on_message=True)),
        ("fri or until they write", SnoozeWish(FRIDAY, on_message=True)),
        ("fri or when they reply", SnoozeWish(FRIDAY, on_message=True)),
        ("fri only", SnoozeWish(FRIDAY)),
        ("fri even if they write", SnoozeWish(FRIDAY)),
        ("until they write", SnoozeWish(on_message=True)),
        ("They  reply", SnoozeWish(on_message=True)),
        ("off", SnoozeWish()),
        ("0", SnoozeWish()),
    ],
)
def test_words_say_what_wakes_it(words: str, wish: SnoozeWish) -> None:
    assert parse_snooze(words, NOW) == wish


@pytest.mark.parametrize("words", ["yesterday", "banana", "never", "until", "8/9", "", "only", "they write only"])
def test_what_is_no_time_ahead_is_refused(words: str) -> None:
    with pytest.raises(DueNotUnderstood, match=r"try |write "):
        parse_snooze(words, NOW)


def test_presets_are_all_ahead_and_one_wakes() -> None:
    late = datetime(2026, 11, 27, 18, 0, tzinfo=UTC)
    for now in (NOW, late):
        made = snooze_presets(now)
        assert [each.digit for each in made[:-1]] == [str(digit) for digit in range(1, len(made))]
        assert all(each.wish.until is None or each.wish.until > now for each in made)
        assert (made[-1].digit, made[-1].wish.is_off) == ("0", True)
        assert made[-2].wish == SnoozeWish(on_message=True)
    assert "today 17:00" not in [each.label for each in snooze_presets(late)]
