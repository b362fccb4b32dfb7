"""The shift report: what the watched campaigns did in a time, as Markdown for whoever comes next; pure.

Called by `frontdesk campaigns report` and by the key that writes it. Names are strangers' text: nothing in
them is taken for Markdown.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import NamedTuple

from frontdesk.api.contract.states import CAMPAIGN_ENDED
from frontdesk.api.contract.times import UnixSeconds, seconds_to_datetime
from frontdesk.campaigns.metrics.comparison import CampaignHistory, holes
from frontdesk.campaigns.metrics.counters import corrections, funnel
from frontdesk.campaigns.metrics.throughput import rate_since_start
from frontdesk.campaigns.models import CampaignRecord, Counters, Sample, WatchInterval
from frontdesk.text.display_text import show_line

_MARKUP = re.compile(r"([\\`*_\[\]{}<>&|~!()#:@$^=])|(?<=www)(\.)", re.IGNORECASE)
_MAX_LINES = 20
"""Corrections and holes of one campaign that are listed one by one."""

_MIN_HOLE = 5.0
"""Seconds that lie between two reads anyway."""


def escaped(text: object, limit: int = 120) -> str:
    """Outside text as words of a Markdown paragraph, heading or table cell, and nothing else."""
    return _MARKUP.sub(lambda found: f"\\{found[0]}", show_line(text, limit).text)


class Fired(NamedTuple):
    """An alert that was raised; `words` are frontdesk's own."""

    campaign_id: str
    at: float
    words: str


def shift_report(
    histories: Sequence[CampaignHistory],
    *,
    profile: str,
    since: float,
    now: float,
    zone: tzinfo,
    fired: Sequence[Fired] = (),
) -> str:
    """What campaigns did from `since` to `now`; those that did nothing then are counted only.

    Args:
        fired: the alerts of that time, by their time; of one rule and campaign the latest.
    """
    active = [each for each in histories if _did_something(each, since)]
    lines = [
        "# Shift report",
        "",
        f"{escaped(profile)}: campaigns from {_moment(since, zone)} to {_moment(now, zone)}.",
        "",
    ]
    if active:
        lines += [
            "| Campaign | State | Recipients | Sent | Delivered | Read | Failed |",
            "|---|---|--:|--:|--:|--:|--:|",
            *(_table_row(each.record) for each in active),
            "",
            "Sent and failed are shares of all, delivered of sent, read of delivered.",
            "",
        ]
        for history in active:
            of_this = [
                each for each in fired if each.campaign_id == history.record.campaign_id and each.at >= since
            ]
            lines += [*_section(history, since, now, zone, of_this), ""]
    if not histories:
        lines += ["No campaign is watched.", ""]
    rest = [each for each in histories if not _did_something(each, since)]
    unread = sum(each.end < since and each.record.status not in CAMPAIGN_ENDED for each in rest)
    for count, one, more in (
        (len(rest) - unread, "campaign did nothing", "campaigns did nothing"),
        (unread, "campaign was not read", "campaigns were not read"),
    ):
        if count:
            lines += [f"{count} other watched {one if count == 1 else more} in this time.", ""]
    return "\n".join(lines)


def _did_something(history: CampaignHistory, since: float) -> bool:
    record = history.record
    times = (record.started_at, record.completed_at, record.failed_at)
    moved = len(history.samples) > 1 and history.samples[-1].at >= since
    return record.status == "inProgress" or moved or any(each is not None and each >= since for each in times)


def _table_row(record: CampaignRecord) -> str:
    steps = {each.label: each for each in funnel(record.counters)}
    cells = [escaped(record.name or record.campaign_id), escaped(record.status or "not read")]
    for label in ("recipients", "sent", "delivered", "read", "failed"):
        step = steps[label]
        share = "" if step.share is None else f" ({step.share * 100:.1f} %)"
        cells.append(_number(step.value) + share)
    return f"| {' | '.join(cells)} |"


def _section(
    history: CampaignHistory, since: float, now: float, zone: tzinfo, fired: Sequence[Fired]
) -> list[str]:
    record = history.record
    lines = [f"## {escaped(record.name or record.campaign_id)}", ""]
    facts = [("Id", escaped(record.campaign_id)), ("Workflow", escaped(record.workflow_name))]
    times = (
        ("Scheduled for", record.scheduled_at),
        ("Started", record.started_at),
        ("Completed", record.completed_at),
        ("Failed", record.failed_at),
    )
    facts += [(label, _moment(at, zone)) for label, at in times if at is not None]
    facts.append(("Because", escaped(record.failure_reason, 200)))
    facts.append(("In this time", ", ".join(_gained(history.samples, since, record.counters))))
    rate = rate_since_start(record, record.read_at or now)
    facts.append(("Sent a minute since the start", "" if rate is None else f"{rate:,.0f}"))
    others = [
        f"{step.value:,.0f} {step.label}"
        for step in funnel(record.counters)
        if step.value and step.label in ("pending", "in flight", "opted out", "duplicate", "throttled")
    ]
    facts.append(("Also", ", ".join(others)))
    lines += [f"- {label}: {words}" for label, words in facts if words]
    lines += _listed("Alert", (f"{escaped(each.words)} at {_moment(each.at, zone)}" for each in fired))
    fallen = [each for each in corrections(history.samples) if each.at >= since]
    lines += _listed(
        "Correction", (f"{each.label} fell by {each.by:,.0f} at {_moment(each.at, zone)}" for each in fallen)
    )
    ended_at = record.completed_at or record.failed_at if record.status in CAMPAIGN_ENDED else now
    unwatched = [
        each
        for each in holes(history, min(now, ended_at if ended_at is not None else history.end))
        if each.until > since and each.until - each.since > _MIN_HOLE
    ]
    lines += _listed("Not watched", (_as_hole(each, zone) for each in unwatched))
    if record.read_at is not None:
        lines.append(f"- As of {_moment(record.read_at, zone)}")
    return lines


def _as_hole(hole: WatchInterval, zone: tzinfo) -> str:
    minutes = (hole.until - hole.since) / 60
    return f"{_moment(hole.since, zone)} to {_moment(hole.until, zone)} ({minutes:,.0f} min)"


def _gained(samples: Sequence[Sample], since: float, last: Counters) -> Iterable[str]:
    """By how much the counters rose since then, where it is known how they stood then."""
    before = next((each.counters for each in reversed(samples) if each.at <= since), None)
    if before is None and samples:
        before = samples[0].counters
    for label in ("sent", "delivered", "read", "failed"):
        was, now = getattr(before, label, None), getattr(last, label)
        if was is not None and now is not None and now != was:
            yield f"{now - was:+,.0f} {label}"


def _listed(label: str, words: Iterable[str]) -> list[str]:
    found = list(words)
    lines = [f"- {label}: {each}" for each in found[:_MAX_LINES]]
    if len(found) > _MAX_LINES:
        lines.append(f"- {label}: {len(found) - _MAX_LINES} more")
    return lines


def _moment(at: float | None, zone: tzinfo) -> str:
    found = None if at is None else seconds_to_datetime(UnixSeconds(at))
    try:
        return "no known time" if found is None else f"{found.astimezone(zone):%a %d %b %Y %H:%M %Z}"
    except OverflowError:  # the last hours of the year 9999
        return "no known time"


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.0f}"
