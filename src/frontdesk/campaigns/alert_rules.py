"""Alert rules from the config, and their evaluation at each read of a campaign; pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from frontdesk.campaigns.counters import counter_doubt, finished_count
from frontdesk.campaigns.delivery_results import estimate
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, WatchInterval
from frontdesk.campaigns.throughput import MINUTE, rise_between, rises, watched_between
from frontdesk.config.settings import AlertSetting, ConfigError
from frontdesk_api.contract.values import CAMPAIGN_ENDED


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


class LimitUnit(StrEnum):
    """The unit of a limit: a share of the settled recipients, a rate, a number, or a time."""

    SHARE = "%"
    RATE = "/min"
    COUNT = ""
    SECONDS = "s"


_NO_SETTING = AlertSetting("")
EVENTS = frozenset({AlertMeasure.FINISHED, AlertMeasure.STARTS})


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One alert.

    Attributes:
        limit: in `unit`; 0 for events.
        setting: how it is raised.
    """

    measure: AlertMeasure
    unit: LimitUnit = LimitUnit.COUNT
    limit: float = 0.0
    setting: AlertSetting = _NO_SETTING

    @property
    def is_below(self) -> bool:
        return self.measure is AlertMeasure.SENT

    @property
    def key(self) -> str:
        """The condition in one spelling."""
        if self.measure in EVENTS:
            return self.measure.value
        return f"{self.measure.value} {'<' if self.is_below else '>'} {format_limit(self.limit)}{self.unit.value}"


STALLED_SECONDS = 60.0
"""Seconds without progress from which a campaign has stalled."""

FAILING_PERCENT = 3.0
"""Percent of recipients failed, or throttled, from which it is more than usual."""

BUILT_IN = (
    AlertRule(AlertMeasure.FAILED, LimitUnit.SHARE, FAILING_PERCENT),
    AlertRule(AlertMeasure.THROTTLED, LimitUnit.SHARE, FAILING_PERCENT),
    AlertRule(AlertMeasure.STALLED, LimitUnit.SECONDS, STALLED_SECONDS),
    AlertRule(AlertMeasure.FINISHED),
)
"""Alerts for measures that the config doesn't name."""


def format_limit(limit: float) -> str:
    return f"{limit:.6f}".rstrip("0").rstrip(".")


class RuleError(ValueError):
    """A condition can't be read; the text says why."""


def rules(settings: Sequence[AlertSetting]) -> tuple[AlertRule, ...]:
    """Return the alerts of the config, and built-in ones for measures it doesn't name; raises `ConfigError`."""
    asked: dict[str, AlertRule] = {}
    for at, setting in enumerate(settings):
        here = f"settings.alerts[{at}].when: {setting.when!r}"
        try:
            rule = parse(setting)
        except RuleError as error:
            raise ConfigError(f"{here}: {error}") from None
        if rule.key in asked:
            raise ConfigError(f"{here}: duplicate alert")
        asked[rule.key] = rule
    named = {each.measure for each in asked.values()}
    return (*(each for each in BUILT_IN if each.measure not in named), *asked.values())


def parse(setting: AlertSetting) -> AlertRule:
    """Parse the condition of a setting; raises `RuleError`."""
    match = re.fullmatch(_CONDITION, setting.when.strip())
    if match is None:
        raise RuleError('expected something like "failed > 3%", "stalled > 60s" or "finished"')
    word, sign, number, unit = match["what"].strip(), match["sign"], match["number"], match["unit"]
    measure = _MEASURES.get(re.sub(r"[\s_-]", "", word).casefold())
    if measure is None:
        raise RuleError(f"unknown value {word!r}; choose one of: {', '.join(AlertMeasure)}")
    spec = _SPECS[measure]
    if measure in EVENTS:
        if sign is not None:
            raise RuleError(f"{measure.value} is an event and takes no limit")
        return AlertRule(measure, LimitUnit.COUNT, 0.0, setting)
    if sign is None:
        if measure is not AlertMeasure.STALLED:
            raise RuleError(f'needs a limit, such as "{spec.example}"')
        return AlertRule(measure, LimitUnit.SECONDS, STALLED_SECONDS, setting)
    if (sign, unit) not in spec.allowed:
        raise RuleError(f'invalid comparison or unit; use something like "{spec.example}"')
    limit = float(number) * _SECONDS.get(unit, 1.0)
    if unit == "%" and limit >= 100:
        raise RuleError("a percentage must be below 100")
    if limit > _MAX_LIMIT:
        raise RuleError("the limit is too large")
    if limit <= 0 and (measure is AlertMeasure.STALLED or sign == "<"):
        raise RuleError("the limit must be above 0")
    return AlertRule(measure, _UNITS[unit], limit, setting)


# Compiled when there is an alert to read: a start of the inbox without any doesn't wait for it.
_CONDITION = (
    r"(?P<what>[A-Za-z][A-Za-z _-]{0,40}?)"
    r"\s*(?:(?P<sign>[<>])\s*(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(?P<unit>%|/min|s|min|h)?)?"
)
_MAX_LIMIT = 1e9
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_UNITS: dict[str | None, LimitUnit] = {
    "%": LimitUnit.SHARE,
    "/min": LimitUnit.RATE,
    None: LimitUnit.COUNT,
    **dict.fromkeys(_SECONDS, LimitUnit.SECONDS),
}


class _MeasureSpec(NamedTuple):
    """How a measure is written.

    Attributes:
        words: its spellings, without blanks and dashes.
        allowed: signs with units; empty for events.
        counter: the field of `Counters`; empty for others.
        name: in the alert; empty where it is the config's.
    """

    words: tuple[str, ...]
    allowed: frozenset[tuple[str, str | None]] = frozenset()
    example: str = ""
    counter: str = ""
    name: str = ""


_ABOVE = frozenset({(">", "%"), (">", "/min"), (">", None)})
_SPECS = {
    AlertMeasure.FAILED: _MeasureSpec(("failed",), _ABOVE, "failed > 3%", "failed"),
    AlertMeasure.OPT_OUT: _MeasureSpec(
        ("optout", "optouts", "optedout"), _ABOVE, "optOut > 1%", "opted_out", "opted out"
    ),
    AlertMeasure.DUPLICATE: _MeasureSpec(
        ("duplicate", "duplicates"), _ABOVE, "duplicate > 5%", "duplicates", "duplicates"
    ),
    AlertMeasure.THROTTLED: _MeasureSpec(
        ("throttled", "toomanyrequests"), _ABOVE, "throttled > 100/min", "too_many"
    ),
    AlertMeasure.SENT: _MeasureSpec(("sent",), frozenset({("<", "/min")}), "sent < 20/min", "sent"),
    AlertMeasure.STALLED: _MeasureSpec(("stalled",), frozenset((">", each) for each in _SECONDS), "stalled > 60s"),
    AlertMeasure.FINISHED: _MeasureSpec(("finished",)),
    AlertMeasure.STARTS: _MeasureSpec(("starts", "started")),
}
_MEASURES = {word: measure for measure, spec in _SPECS.items() for word in spec.words}

STALL_MARGIN_SECONDS = 0.01
"""After a limit, so that a read then is beyond it however the sum is rounded."""

CLEAR_MARGIN = 0.1
"""The part of the limit by which a value must be better than it to clear the alert."""

MIN_HITS = 2
"""A single recipient is no share, however few there are."""

_MANY = 10**9
"""Recipients of a campaign whose total isn't known."""


class AlertState(StrEnum):
    """Whether a rule has raised its alert for a campaign."""

    ARMED = "armed"
    RAISED = "told"


AlertStates = Mapping[str, AlertState]
"""By the rule's key."""


@dataclass(frozen=True, slots=True)
class AlertMatch:
    """A rule that holds for a campaign; `value` is the measured number or status, for commands."""

    rule: AlertRule
    value: str
    words: str


def current_matches(rules: Sequence[AlertRule], history: CampaignHistory) -> tuple[AlertMatch, ...]:
    """Return the rules that hold at the last read, raised or not; events are left out."""
    if not _is_read(history.record):
        return ()
    return tuple(
        found
        for rule in rules
        if rule.measure not in EVENTS and (found := _evaluate(rule, history)[0]) is not None
    )


def advance(
    rules: Sequence[AlertRule], history: CampaignHistory, before: AlertStates
) -> tuple[AlertStates, tuple[AlertMatch, ...]]:
    """Return the states after the last read, and the alerts to raise now.

    A rule that sees a campaign for the first time raises nothing about the past: of an ended one nothing at all,
    of a running one only what holds now.

    Args:
        history: its samples cover `lookback_seconds` and the one before.
    """
    if not _is_read(history.record):
        return before, ()
    after, matches = dict(before), []
    for rule in rules:
        found, has_cleared = _evaluate(rule, history)
        state = before.get(rule.key)
        if found is None:
            if state is None or (state is AlertState.RAISED and rule.setting.again and has_cleared):
                after[rule.key] = AlertState.ARMED
        elif state is not AlertState.RAISED:
            after[rule.key] = AlertState.RAISED
            is_old = state is None and (rule.measure in EVENTS or history.record.status in CAMPAIGN_ENDED)
            matches += [] if is_old else [found]
    return after, tuple(matches)


def lookback_seconds(rules: Sequence[AlertRule]) -> float:
    """How long before the last read samples are needed."""
    longest = max((each.limit for each in rules if each.measure is AlertMeasure.STALLED), default=0.0)
    return max(2 * MINUTE, longest + MINUTE)


def stalled_seconds(history: CampaignHistory) -> float:
    """Seconds up to the last read in which nothing was sent; 0 for a campaign that doesn't run."""
    since = _still_since(history)
    return 0.0 if since is None else max(0.0, (history.record.read_at or 0.0) - since)


def next_stall_at(rules: Sequence[AlertRule], history: CampaignHistory) -> float | None:
    """Return when a read that finds nothing sent would raise the next alert; None where none would."""
    since = _still_since(history)
    if since is None:
        return None
    stalled = stalled_seconds(history)
    limits = [each.limit for each in rules if each.measure is AlertMeasure.STALLED and each.limit > stalled]
    return since + min(limits) + STALL_MARGIN_SECONDS if limits else None


def _still_since(history: CampaignHistory) -> float | None:
    record, moved_at = history.record, history.last_moved_at
    if record.status != "inProgress" or record.read_at is None or moved_at is None:
        return None
    return max(moved_at, record.started_at or 0.0)


def counter_rate(history: CampaignHistory, counter: str) -> float:
    """How much a counter grew in the minute before the last read, without what grew while nobody watched."""
    at = history.record.read_at or 0.0
    rose = rises(history.samples, _watched(history), attrgetter(counter))
    return rise_between(rose, at - MINUTE, at)


_DECIDED_BEFORE = frozenset({AlertMeasure.OPT_OUT, AlertMeasure.DUPLICATE})
"""Decided before anything is sent: a share of all, since a share of the settled would be large at first."""

_EVENT_WORDS = {"inProgress": "started", "failed": "failed", "stopped": "stopped"}


def _is_read(record: CampaignRecord) -> bool:
    return record.read_at is not None and not record.problem


def _watched(history: CampaignHistory) -> Sequence[WatchInterval]:
    if history.intervals or not history.samples:
        return history.intervals
    return (WatchInterval(history.samples[0].at, history.record.read_at or history.samples[-1].at),)


def _evaluate(rule: AlertRule, history: CampaignHistory) -> tuple[AlertMatch | None, bool]:
    """Return the match, if the rule holds, and whether it has cleared by some margin."""
    record = history.record
    if rule.measure is AlertMeasure.FINISHED:
        return _event(rule, record, record.status in CAMPAIGN_ENDED)
    if rule.measure is AlertMeasure.STARTS:
        return _event(rule, record, record.status == "inProgress" or record.started_at is not None)
    if rule.unit is LimitUnit.SHARE:
        return _evaluate_share(rule, record)
    if (value := _measured(rule, history)) is None:
        return None, False
    margin = rule.limit * CLEAR_MARGIN
    if rule.is_below:
        holds, has_cleared = value < rule.limit, value >= rule.limit + margin
    elif rule.measure is AlertMeasure.STALLED:
        holds, has_cleared = value >= rule.limit, value < rule.limit
    else:
        holds, has_cleared = value > rule.limit, value <= rule.limit - margin
        # What grew in a minute of which nobody saw all may be more than what was seen of it.
        has_cleared = has_cleared and (rule.unit is not LimitUnit.RATE or _is_minute_watched(history))
    return (_finding(rule, value) if holds else None), has_cleared


def _evaluate_share(rule: AlertRule, record: CampaignRecord) -> tuple[AlertMatch | None, bool]:
    """Evaluate a share by the lower end of its interval; once all are settled, that is the share itself."""
    counters, is_decided = record.counters, rule.measure in _DECIDED_BEFORE
    count: float | None = getattr(counters, _SPECS[rule.measure].counter)
    of = counters.total if is_decided else finished_count(counters)
    if count is None or not of or of < rule.setting.least or counter_doubt(counters):
        return None, False
    whole = of
    if not is_decided and record.status not in CAMPAIGN_ENDED:
        left_out = (counters.opted_out or 0.0) + (counters.duplicates or 0.0)
        whole = counters.total - left_out if counters.total else _MANY
    found, limit = estimate(round(count), round(of), round(whole)), rule.limit / 100
    if found is None:
        return None, False
    has_cleared = found.share <= limit * (1 - CLEAR_MARGIN)
    if count < MIN_HITS or found.low <= limit:
        return None, has_cleared
    shown, name = _digits(found.share * 100, rule), _SPECS[rule.measure].name or rule.measure.value
    share = f"{shown}% not reached: throttled" if rule.measure is AlertMeasure.THROTTLED else f"{name} {shown}%"
    words = f"{share} ({count:,.0f} of {of:,.0f}), limit {format_limit(rule.limit)}%"
    return AlertMatch(rule, shown, words), has_cleared


def _event(rule: AlertRule, record: CampaignRecord, has_happened: bool) -> tuple[AlertMatch | None, bool]:
    if not has_happened:
        return None, True
    return AlertMatch(rule, record.status, _EVENT_WORDS.get(record.status, record.status)), False


def _measured(rule: AlertRule, history: CampaignHistory) -> float | None:
    if rule.measure is AlertMeasure.STALLED:
        return stalled_seconds(history)
    name, counters = _SPECS[rule.measure].counter, history.record.counters
    if rule.unit is LimitUnit.RATE:
        return None if rule.is_below and not _should_send(history) else counter_rate(history, name)
    count: float | None = getattr(counters, name)
    return count


def _should_send(history: CampaignHistory) -> bool:
    record, at = history.record, history.record.read_at or 0.0
    return (
        record.status == "inProgress"
        and bool(record.counters.pending)
        and (record.started_at or 0.0) <= at - MINUTE
        and _is_minute_watched(history)
    )


def _is_minute_watched(history: CampaignHistory) -> bool:
    at = history.record.read_at or 0.0
    return watched_between(_watched(history), at - MINUTE, at) >= MINUTE


def _finding(rule: AlertRule, value: float) -> AlertMatch:
    name = _SPECS[rule.measure].name or rule.measure.value
    if rule.measure is AlertMeasure.STALLED:
        return AlertMatch(rule, f"{value:.0f}", f"stalled for at least {format_limit(rule.limit)} s")
    shown = _digits(value, rule)
    unit, bound = rule.unit.value, "minimum" if rule.is_below else "limit"
    return AlertMatch(rule, shown, f"{name} {shown}{unit}, {bound} {format_limit(rule.limit)}{unit}")


def _digits(value: float, rule: AlertRule) -> str:
    least = 1 if rule.unit is LimitUnit.SHARE else 0
    texts = [f"{value:.{digits}f}" for digits in range(least, 5)]
    return next((each for each in texts if float(each) != rule.limit), texts[-1])
