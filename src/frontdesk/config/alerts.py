"""Alerts of the config, `[[settings.alerts]]`; `campaigns.alert_rules` parses `when`."""

import re
from dataclasses import dataclass
from functools import partial

from frontdesk.config.tables import declare, expect

BY = ("bell", "title", "notify")

PLACEHOLDERS = ("campaign_id", "name", "value", "words")
"""Matches words in braces in the arguments of a command: `{name}`."""

TIMEOUT_SECONDS = 30.0
"""Default timeout of a program in seconds."""

PLACEHOLDER = r"\{([a-z_]+)\}"


def check_command(run: tuple[str, ...], path: str, placeholders: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return a program and its arguments, or none, if it can be run.

    Args:
        placeholders: the words in braces that its arguments may have; None if braces mean nothing.

    Raises:
        ConfigError: it can't.
    """
    expect(not run or run[0].strip() != "", f"{path}: the program is empty")
    expect(not any("\0" in each for each in run), f"{path}: an argument contains a NUL character")
    if run and placeholders is not None:
        is_plain = not re.search(PLACEHOLDER, run[0])
        expect(is_plain, f"{path}: the program's name can't contain a placeholder")
        known = ", ".join(f"{{{each}}}" for each in placeholders)
        for name in (name for argument in run for name in re.findall(PLACEHOLDER, argument)):
            expect(name in placeholders, f"{path}: unknown placeholder {{{name}}}; choose from {known}")
    return run


declare_command = partial(declare, expected='a list of strings, ["program", "argument"]; no shell is used')


@dataclass(frozen=True, slots=True)
class AlertSetting:
    """An alert of the config; without `by`, the general settings for notifications apply."""

    when: str = declare(
        "The condition, such as `failed > 3%`.",
        see="configuration.md#alerts-on-campaigns",
        expected='text, like "failed > 3%"',
        names_row=True,
    )
    by: tuple[str, ...] | None = declare(
        "How: `bell`, `title` (counted as `!2`) and `notify`; `[]` for none. If `notify` is `off` in the "
        "settings, `osc9` is used.",
        None,
        choices=BY,
        without="as in the settings",
    )
    run: tuple[str, ...] = declare_command(
        "A program and its arguments, with `{campaign_id}`, `{name}`, `{value}` and `{words}`.",
        (),
        without="none",
        check=partial(check_command, placeholders=PLACEHOLDERS),
    )
    again: bool = declare(
        "`true` reports it again each time, provided the value has recovered by a tenth of the limit in "
        "between, such as `failed > 3%` after it was below 2.7%.",
        False,
    )
    least: int = declare("How many recipients must have an outcome before a share counts.", 1, maximum=1_000_000)
