"""What `when` of an alert says, and the alerts that are there without being asked for.

Called by `services` and `sync` with what `config` read. Judged are the rules in `alerts`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.config.settings import AlertSetting, ConfigError


class AlertMeasure(StrEnum):
    """What an alert looks at; the values are the words of the config."""

    FAILED = "failed"
    OPT_OUT = "optOut"
    DUPLICATE = "duplicate"
    THROTTLED = "throttled"
    SENT = "sent"
    STALLED = "stalled"
    FINISHED = "finished"
    STARTS = "starts"


class Unit(StrEnum):
    """In what a limit is given: a share of the settled recipients, a rate, a number, or a time."""

    SHARE = "%"
    RATE = "/min"
    COUNT = ""
    SECONDS = "s"


EVENTS = frozenset({AlertMeasure.FINISHED, AlertMeasure.STARTS})
"""What happens once, instead of being so for a while."""


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One alert.

    Attributes:
        limit: in `unit`; 0 for what simply happens.
        by: how it is told; None: in the ways in which news are told.
        run: a program and its arguments; empty for none.
        again: whether it is told again after it was well again.
        least: so many recipients must be settled before a share of them counts.
    """

    measure: AlertMeasure
    unit: Unit = Unit.COUNT
    limit: float = 0.0
    by: tuple[str, ...] | None = None
    run: tuple[str, ...] = ()
    again: bool = False
    least: int = 20

    @property
    def is_below(self) -> bool:
        """Whether it is about too little."""
        return self.measure is AlertMeasure.SENT

    @property
    def key(self) -> str:
        """The condition in one spelling: what was told is known by it."""
        if self.measure in EVENTS:
            return self.measure.value
        return f"{self.measure.value} {'<' if self.is_below else '>'} {plain(self.limit)}{self.unit.value}"


BUILT_IN = (
    AlertRule(AlertMeasure.FAILED, Unit.SHARE, 3.0),
    AlertRule(AlertMeasure.STALLED, Unit.SECONDS, 60.0),
    AlertRule(AlertMeasure.FINISHED),
)
"""Alerts that are there until the config has one on the same thing."""


def plain(limit: float) -> str:
    """A limit as people write it, without an exponent."""
    return f"{limit:.6f}".rstrip("0").rstrip(".")


class RuleError(ValueError):
    """A condition can't be read; the text says why."""


def rules(settings: Sequence[AlertSetting]) -> tuple[AlertRule, ...]:
    """The alerts of the config, and those built in on what the config says nothing of.

    Raises:
        ConfigError: a condition can't be read, or is given twice.
    """
    asked: dict[str, AlertRule] = {}
    for at, setting in enumerate(settings):
        here = f"settings.alerts[{at}].when: {setting.when!r}"
        try:
            rule = parse(setting)
        except RuleError as error:
            raise ConfigError(f"{here}: {error}") from None
        if rule.key in asked:
            raise ConfigError(f"{here}: given twice")
        asked[rule.key] = rule
    named = {each.measure for each in asked.values()}
    return (*(each for each in BUILT_IN if each.measure not in named), *asked.values())


def parse(setting: AlertSetting) -> AlertRule:
    """The rule that a setting means.

    Raises:
        RuleError: its condition can't be read.
    """
    match = re.fullmatch(_CONDITION, setting.when.strip())
    if match is None:
        raise RuleError('expected something like "failed > 3%", "stalled > 60s" or "finished"')
    word, sign, number, unit = match["what"].strip(), match["sign"], match["number"], match["unit"]
    measure = _WORDS.get(re.sub(r"[\s_-]", "", word).casefold())
    if measure is None:
        raise RuleError(f"{word!r} is not known; there are {', '.join(AlertMeasure)}")
    rest = (setting.by, setting.run, setting.again, setting.least)
    if measure in EVENTS:
        if sign is not None:
            raise RuleError(f"{measure.value} happens or does not; it takes no number")
        return AlertRule(measure, Unit.COUNT, 0.0, *rest)
    if sign is None:
        if measure is not AlertMeasure.STALLED:
            raise RuleError(f'a limit is missing, as in "{_EXAMPLES[measure]}"')
        return AlertRule(measure, Unit.SECONDS, 60.0, *rest)
    if (sign, unit) not in _ALLOWED[measure]:
        raise RuleError(f'{measure.value} is written as in "{_EXAMPLES[measure]}"')
    limit = float(number) * _SECONDS.get(unit, 1.0)
    if unit == "%" and limit >= 100:
        raise RuleError("a share is less than 100 %")
    if limit > _LARGEST:
        raise RuleError("the limit is too large")
    if limit <= 0 and (measure is AlertMeasure.STALLED or sign == "<"):
        raise RuleError("the limit must be above 0")
    return AlertRule(measure, _UNITS[unit], limit, *rest)


# Compiled when there is an alert to read: a start of the inbox without any doesn't wait for it.
_CONDITION = (
    r"(?P<what>[A-Za-z][A-Za-z _-]{0,40}?)"
    r"\s*(?:(?P<sign>[<>])\s*(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(?P<unit>%|/min|s|min|h)?)?"
)
_WORDS = {
    "failed": AlertMeasure.FAILED,
    "optout": AlertMeasure.OPT_OUT,
    "optouts": AlertMeasure.OPT_OUT,
    "optedout": AlertMeasure.OPT_OUT,
    "duplicate": AlertMeasure.DUPLICATE,
    "duplicates": AlertMeasure.DUPLICATE,
    "throttled": AlertMeasure.THROTTLED,
    "toomanyrequests": AlertMeasure.THROTTLED,
    "sent": AlertMeasure.SENT,
    "stalled": AlertMeasure.STALLED,
    "finished": AlertMeasure.FINISHED,
    "starts": AlertMeasure.STARTS,
    "started": AlertMeasure.STARTS,
}
_LARGEST = 1e9
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_UNITS: dict[str | None, Unit] = {
    "%": Unit.SHARE,
    "/min": Unit.RATE,
    None: Unit.COUNT,
    **dict.fromkeys(_SECONDS, Unit.SECONDS),
}
_OF_TROUBLE = frozenset({(">", "%"), (">", "/min"), (">", None)})
_ALLOWED: dict[AlertMeasure, frozenset[tuple[str, str | None]]] = {
    **dict.fromkeys(
        (AlertMeasure.FAILED, AlertMeasure.OPT_OUT, AlertMeasure.DUPLICATE, AlertMeasure.THROTTLED), _OF_TROUBLE
    ),
    AlertMeasure.SENT: frozenset({("<", "/min")}),
    AlertMeasure.STALLED: frozenset({(">", each) for each in _SECONDS}),
}
_EXAMPLES = {
    AlertMeasure.FAILED: "failed > 3%",
    AlertMeasure.OPT_OUT: "optOut > 1%",
    AlertMeasure.DUPLICATE: "duplicate > 5%",
    AlertMeasure.THROTTLED: "throttled > 100/min",
    AlertMeasure.SENT: "sent < 20/min",
    AlertMeasure.STALLED: "stalled > 60s",
}
