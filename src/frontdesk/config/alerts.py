"""Alerts of the config, `[[settings.alerts]]`; `campaigns.alert_rules` parses `when`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from frontdesk.config.hosts import ConfigError
from frontdesk.config.key_meaning import Meaning, keys_of

BY = ("bell", "title", "notify")

PLACEHOLDERS = ("campaign_id", "name", "value", "words")
"""Matches words in braces in the arguments of a command: `{name}`."""

TIMEOUT_SECONDS = 30.0
"""Default timeout of a program in seconds."""

PLACEHOLDER = r"\{([a-z_]+)\}"


@dataclass(frozen=True, slots=True)
class AlertSetting:
    """An alert of the config; without `by`, the general settings for notifications apply."""

    when: Annotated[
        str, Meaning("The condition, such as `failed > 3%`.", see="configuration.md#alerts-on-campaigns")
    ]
    by: Annotated[
        tuple[str, ...] | None,
        Meaning(
            "How: `bell`, `title` (counted as `!2`) and `notify`; `[]` for none. If `notify` is `off` in the "
            "settings, `osc9` is used.",
            choices=BY,
            default="as in the settings",
        ),
    ] = None
    run: Annotated[
        tuple[str, ...],
        Meaning(
            "A program and its arguments, with `{campaign_id}`, `{name}`, `{value}` and `{words}`.", default="none"
        ),
    ] = ()
    again: Annotated[
        bool,
        Meaning(
            "`true` reports it again each time, provided the value has recovered by a tenth of the limit in "
            "between, such as `failed > 3%` after it was below 2.7%."
        ),
    ] = False
    least: Annotated[
        int, Meaning("How many recipients must have an outcome before a share counts.", above=0, maximum=1_000_000)
    ] = 1


def read_alerts(raw: object, where: str, note: Callable[[str], object]) -> tuple[AlertSetting, ...]:
    """Parse the alerts of the config.

    Args:
        where: the key's path.
        note: called with the path of each unknown key.

    Raises:
        ConfigError: an alert can't be used.
    """
    expect(isinstance(raw, list), f"{where}: expected a list of tables")
    return tuple(_alert(row, f"{where}[{at}]", note) for at, row in enumerate(raw))  # type: ignore[arg-type, var-annotated]


def _alert(row: Any, path: str, note: Callable[[str], object]) -> AlertSetting:
    expect(isinstance(row, dict), f"{path}: expected a table")
    for key in row:
        if key not in keys_of(AlertSetting):
            note(f"{path}.{key}")
    when = row.get("when")
    expect(isinstance(when, str), f'{path}.when: expected text, like "failed > 3%"')
    path = f"{path} ({when})"
    by = row.get("by")
    expect(by is None or _is_texts(by), f"{path}.by: expected a list with any of {', '.join(BY)}")
    for each in by or ():
        expect(each in BY, f"{path}.by: {each!r} isn't one of {', '.join(BY)}")
    run = read_command(row.get("run", []), f"{path}.run")
    check_placeholders(run, f"{path}.run", PLACEHOLDERS)
    again, least = row.get("again", False), row.get("least", 1)
    expect(isinstance(again, bool), f"{path}.again: expected true or false")
    is_whole = isinstance(least, int) and not isinstance(least, bool)
    expect(is_whole and 0 < least <= 1_000_000, f"{path}.least: expected a whole number from 1 to 1000000")
    return AlertSetting(str(when), None if by is None else tuple(by), run, again, least)


def read_command(raw: Any, path: str) -> tuple[str, ...]:
    """Parse a program and its arguments; empty for none.

    Raises:
        ConfigError: the program can't be run.
    """
    expect(_is_texts(raw), f'{path}: expected a list of strings, ["program", "argument"]; no shell is used')
    expect(not raw or raw[0].strip() != "", f"{path}: the program is empty")
    expect(not any("\0" in each for each in raw), f"{path}: an argument contains a NUL character")
    return tuple(raw)


def check_placeholders(run: tuple[str, ...], path: str, names: tuple[str, ...]) -> None:
    """Check the placeholders of a command's arguments.

    Raises:
        ConfigError: the program's name has a placeholder, or a placeholder isn't among the names.
    """
    expect(
        not run or not re.search(PLACEHOLDER, run[0]), f"{path}: the program's name can't contain a placeholder"
    )
    for argument in run:
        for name in re.findall(PLACEHOLDER, argument):
            known = ", ".join(f"{{{each}}}" for each in names)
            expect(name in names, f"{path}: unknown placeholder {{{name}}}; choose from {known}")


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def expect(holds: bool, problem: str) -> None:
    """Raise a ConfigError unless the condition holds."""
    if not holds:
        raise ConfigError(problem)
