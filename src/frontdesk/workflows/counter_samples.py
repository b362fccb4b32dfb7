"""Samples of a workflow's counters, so that they can be told of a period and not only since the last reset.

A sample is kept when a whole workflow was read and a quarter of an hour has passed, its graph has changed, or its
counters fell: they start at zero after a reset.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import apsw

from frontdesk.storage.sql import first, rows
from frontdesk_api.json_access import mapping, number
from frontdesk_flows.traffic import CountedPeriod, TrafficPeriod

EVERY_SECONDS = 900.0
DAY = 86_400.0
KEEP_ALL_SECONDS, KEEP_DAYS_SECONDS = 2 * DAY, 90 * DAY
"""So long every sample is kept; after that the last one of each day."""
MAX_MARKED = 50
"""Samples of graph changes and resets kept of each workflow, however old."""

TOTALS = ("totalStarted", "totalCompleted", "totalDropped")
PARTS = ("nodeStats", "edgeStats", "buttonStats")

SCHEMA_7 = """
CREATE TABLE workflow_samples (workflow_id TEXT NOT NULL, at REAL NOT NULL, graph TEXT NOT NULL,
    analytics TEXT NOT NULL, is_marked INTEGER NOT NULL, PRIMARY KEY (workflow_id, at)) WITHOUT ROWID;
"""


def graph_digest(raw: Mapping[str, Any]) -> str:
    """Return a digest of what runs: trigger, nodes and settings, without the canvas."""
    parts = [raw.get(name) for name in ("trigger", "parsedData", "settings")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def keep_sample(
    db: apsw.Connection, workflow_id: str, raw: Mapping[str, Any], before: str | None, read_at: float, now: float
) -> None:
    """Keep the counters of a workflow that was read whole, if it is time; `before` was read at `read_at`."""
    analytics = raw.get("analytics")
    if not isinstance(analytics, dict):
        return
    graph = graph_digest(raw)
    last = first(
        db,
        "SELECT at, graph, analytics FROM workflow_samples WHERE workflow_id = ? ORDER BY at DESC LIMIT 1",
        (workflow_id,),
    )
    if last is not None and now <= last[0]:
        return
    was_reset = last is not None and _fell(_parse(last[2]), analytics)
    if before is not None and (old := mapping(_parse(before).get("analytics"))) and _fell(old, analytics):
        was_reset = True
        if last is None or last[0] < read_at < now:
            # The last that was counted before the reset, which no later read can tell.
            _put(db, workflow_id, read_at, graph if last is None else last[1], old, is_marked=True)
    if was_reset:
        db.execute(
            "UPDATE workflow_samples SET is_marked = 1 WHERE workflow_id = ?1 AND at ="
            " (SELECT max(at) FROM workflow_samples WHERE workflow_id = ?1)",
            (workflow_id,),
        )
    is_new_graph = last is not None and last[1] != graph
    if last is None or was_reset or is_new_graph or now - last[0] >= EVERY_SECONDS:
        _put(db, workflow_id, now, graph, analytics, is_marked=was_reset or is_new_graph)
        _thin(db, workflow_id, now)


def count_period(
    db: apsw.Connection, workflow_id: str, current: Mapping[str, Any], period: TrafficPeriod, now: float
) -> CountedPeriod:
    analytics = current.get("analytics")
    if period is TrafficPeriod.RESET or not isinstance(analytics, dict):
        return CountedPeriod(period, analytics if isinstance(analytics, dict) else None)
    found = rows(
        db, "SELECT at, graph, analytics FROM workflow_samples WHERE workflow_id = ? ORDER BY at", (workflow_id,)
    )
    samples = [(float(row[0]), str(row[1]), _parse(row[2])) for row in found]
    start, reaches_back = _begin(samples, graph_digest(current), period, now)
    if start is None:
        return CountedPeriod(period, None, None, reaches_back=False)
    series = [each for _, _, each in samples[start:]] + [analytics]
    base: Mapping[str, Any] = {} if period is TrafficPeriod.EVER and reaches_back else series[0]
    counted: dict[str, Any] = {}
    resets = 0
    for earlier, later in pairwise(series):
        if _fell(earlier, later):
            counted, base, resets = _add(counted, _less(earlier, base)), {}, resets + 1
    counted = _add(counted, _less(analytics, base))
    counted["lastUpdated"] = analytics.get("lastUpdated")
    return CountedPeriod(period, counted, samples[start][0], reaches_back, resets)


_Sample = tuple[float, str, Mapping[str, Any]]


def _begin(samples: Sequence[_Sample], graph: str, period: TrafficPeriod, now: float) -> tuple[int | None, bool]:
    """Return the sample with which a period begins, and whether the samples reach back to its beginning."""
    if not samples:
        return None, False
    if period is TrafficPeriod.EVER:
        return 0, True
    if period is TrafficPeriod.YESTERDAY:
        old = [at for at, each in enumerate(samples) if each[0] <= now - DAY]
        return (old[-1], True) if old else (0, False)
    start = len(samples)
    while start > 0 and samples[start - 1][1] == graph:
        start -= 1
    if start == len(samples):
        return None, False
    return start, start > 0


def _parse(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _put(
    db: apsw.Connection, workflow_id: str, at: float, graph: str, analytics: Mapping[str, Any], *, is_marked: bool
) -> None:
    kept = {name: analytics[name] for name in (*TOTALS, *PARTS) if name in analytics}
    db.execute(
        "INSERT OR REPLACE INTO workflow_samples VALUES (?, ?, ?, ?, ?)",
        (workflow_id, at, graph, json.dumps(kept, separators=(",", ":")), is_marked),
    )


def _thin(db: apsw.Connection, workflow_id: str, now: float) -> None:
    last_of_days = (
        "SELECT max(at) FROM workflow_samples WHERE workflow_id = ?1 GROUP BY CAST(at / 86400 AS INTEGER)"
    )
    db.execute(
        "DELETE FROM workflow_samples WHERE workflow_id = ?1 AND NOT is_marked AND at < ?2"
        f" AND (at < ?3 OR at NOT IN ({last_of_days}))",
        (workflow_id, now - KEEP_ALL_SECONDS, now - KEEP_DAYS_SECONDS),
    )
    db.execute(
        "DELETE FROM workflow_samples WHERE workflow_id = ?1 AND at IN (SELECT at FROM workflow_samples WHERE"
        " workflow_id = ?1 AND is_marked ORDER BY at DESC LIMIT -1 OFFSET ?2)",
        (workflow_id, MAX_MARKED),
    )


def _fell(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether counters were reset: those of the whole workflow never fall otherwise."""
    was, is_now = number(before.get(TOTALS[0])), number(after.get(TOTALS[0]))
    return was is not None and is_now is not None and is_now < was


def _less(after: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    return _combine(after, before, lambda one, other: max(0, one - other))


def _add(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found = _combine(other, one, lambda each, before: each + before)
    for name in PARTS:
        left = {key: value for key, value in mapping(one.get(name)).items() if key not in mapping(found.get(name))}
        if left:
            found[name] = {**mapping(found.get(name)), **left}
    return found


def _combine(one: Mapping[str, Any], other: Mapping[str, Any], apply: Any) -> dict[str, Any]:
    """Combine each count of `one` with that of `other`, which is 0 where it has none."""

    def counts(value: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for name, each in value.items():
            is_count = isinstance(each, int | float) and not isinstance(each, bool)
            found[name] = apply(each, number(before.get(name)) or 0) if is_count else each
        return found

    found = counts({name: one[name] for name in TOTALS if name in one}, other)
    for name in PARTS:
        if name in one:
            before = mapping(other.get(name))
            found[name] = {
                key: counts(value, mapping(before.get(key))) if isinstance(value, dict) else value
                for key, value in mapping(one[name]).items()
            }
    return found
