"""Actions on the desk's numbers."""

from functools import partial

from frontdesk.config.actions import Group, key_action

_find = partial(key_action, Group.FIND, ("numbers",))
ACTIONS = (
    _find("numbers.days", "d", "choose_days", "days", "Choose days: today, 7, or a range", "stats"),
    _find(
        "numbers.earlier",
        "left_square_bracket",
        "step_days(-1)",
        "fewer days",
        "Today, yesterday, 7 or 28 days",
        "stats",
    ),
    _find(
        "numbers.later",
        "right_square_bracket",
        "step_days(1)",
        "more days",
        "Today, yesterday, 7 or 28 days",
        "stats",
    ),
    _find("numbers.by", "b", "next_dimension", "by", "Break down by hour, day, agent or line", "stats"),
)
