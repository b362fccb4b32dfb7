"""Watched campaigns, the samples of their counters, and their lists of recipients.

The interface has no list of campaigns: these are the ones made here or watched by id.
Each read brings the whole list along, megabytes; it is written once, apart from what a screen draws.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import apsw

from frontdesk.campaigns.counters import Counters, fallen_counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk.outbox import queue
from frontdesk.storage import change_feed, clients, record_lookup
from frontdesk.storage.records import Json
from frontdesk.storage.sql import Row, first, rows
from frontdesk.text.fuzzy import fold_name, shared_names, shorten_id
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import COUNTERS
from frontdesk_api.json_access import canonical
from frontdesk_lines.display_text import visible_name

WATCHED = "watched"
"""Kept a campaign that a person watches."""


READ_AGAIN_SECONDS = 60.0
"""How old the time may be at which an unchanged campaign was read."""

HOLE_SECONDS = 90.0
"""Reads further apart than this leave a hole: an unchanged one is written once a minute only."""

COARSE_SECONDS = 7_200.0
"""So far before the recent samples older ones are read for a row."""

LIST_FIELD = "customerList"
_WORDS = {"true": True, "false": False, "null": None}


def watch(db: apsw.Connection, campaign_ids: Iterable[CampaignId], now: float) -> None:
    """Watch these from now on; those watched already stay as they are."""
    for each in campaign_ids:
        if queue.kept(db, WATCHED, each) is None:
            queue.keep(db, WATCHED, each, True, now)
        db.execute("INSERT OR IGNORE INTO campaigns (campaign_id, raw) VALUES (?, '{}')", (each,))
        change_feed.append(db, change_feed.CAMPAIGN, [each])


def unwatch(db: apsw.Connection, campaign_id: CampaignId) -> None:
    """Stop watching; its samples stay until the store is thrown away, its list of recipients for a week."""
    queue.forget(db, WATCHED, campaign_id)
    change_feed.append(db, change_feed.CAMPAIGN, [campaign_id])


class StoredAudience(NamedTuple):
    """A list of recipients as JSON, and its digest."""

    text: str
    digest: str


class PreparedCampaign(NamedTuple):
    """A campaign apart from its list of recipients, which is megabytes and the same with each read."""

    text: str
    counters: Counters
    audience: StoredAudience | None


def prepare(raw: Json) -> PreparedCampaign:
    """Split a campaign for storing. Walks its whole list: never on a screen's loop."""
    rest, audience = _without_audience(raw)
    return PreparedCampaign(canonical(rest), counters_of(raw), audience)


def put(
    db: apsw.Connection,
    campaign_id: CampaignId,
    raw: Json | PreparedCampaign,
    now: float,
    same_at: float | None = None,
    *,
    is_needed: bool = False,
) -> bool:
    """Store a campaign; return whether it differs. A sample is kept when counters moved.

    Args:
        same_at: when an unchanged read was last seen but not written: what moved since moved after that.
        is_needed: an alert needs the time of this read.
    """
    prepared = raw if isinstance(raw, PreparedCampaign) else prepare(raw)
    if known(db, campaign_id, prepared, now, is_needed=is_needed) is not None:
        return False
    row = first(db, "SELECT raw, problem, read_at FROM campaigns WHERE campaign_id = ?", (campaign_id,))
    has_same_list = _is_known_audience(db, campaign_id, prepared.audience)
    db.execute(
        "INSERT INTO campaigns (campaign_id, raw, read_at) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (campaign_id) DO UPDATE SET raw = ?2, read_at = ?3, problem = ''",
        (campaign_id, prepared.text, now),
    )
    if not has_same_list:
        put_audience(db, campaign_id, prepared.audience)
    read_before = max((each for each in (same_at, row[2] if row else None) if each is not None), default=None)
    _extend_watch_interval(db, campaign_id, now, read_before)
    last = _last_sample(db, campaign_id)
    if last is None or last.counters != prepared.counters:
        if last is not None and read_before is not None and last.at < read_before < now:
            _put_sample(db, campaign_id, read_before, last.counters)
        _put_sample(db, campaign_id, now, prepared.counters)
    differs = row is None or row[:2] != (prepared.text, "") or not has_same_list
    if differs:
        change_feed.append(db, change_feed.CAMPAIGN, [campaign_id])
    return differs


def known(
    db: apsw.Connection,
    campaign_id: CampaignId,
    raw: Json | PreparedCampaign,
    now: float,
    *,
    is_needed: bool = False,
) -> bool | None:
    """Return False where storing this would write nothing, else None.

    The same data is written once a minute, and where an alert needs the time of this read.
    """
    prepared = raw if isinstance(raw, PreparedCampaign) else prepare(raw)
    row = first(db, "SELECT raw, problem, read_at FROM campaigns WHERE campaign_id = ?", (campaign_id,))
    if row is None or row[:2] != (prepared.text, "") or row[2] is None:
        return None
    if not _is_known_audience(db, campaign_id, prepared.audience):
        return None
    has_aged = is_needed or not row[2] <= now < row[2] + READ_AGAIN_SECONDS
    last = _last_sample(db, campaign_id)
    return None if has_aged or last is None or last.counters != prepared.counters else False


def _without_audience(raw: Json) -> tuple[Json, StoredAudience | None]:
    if LIST_FIELD not in raw:
        return raw, None
    text = json.dumps(raw[LIST_FIELD], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {name: value for name, value in raw.items() if name != LIST_FIELD}, StoredAudience(text, digest)


def has_audience(db: apsw.Connection, campaign_id: CampaignId, digest: str) -> bool:
    """Whether a campaign's stored list of recipients has this digest; an empty one is for none."""
    return _is_known_audience(db, campaign_id, StoredAudience("", digest) if digest else None)


def note_unchanged(db: apsw.Connection, read_at: Mapping[CampaignId, float]) -> None:
    """Store that campaigns were read at these times and hadn't changed."""
    for campaign_id, at in read_at.items():
        row = first(
            db, "SELECT raw, read_at FROM campaigns WHERE campaign_id = ? AND problem = ''", (campaign_id,)
        )
        if row is None or row[1] is None or at <= row[1]:
            continue
        digest = first(db, "SELECT digest FROM audiences WHERE campaign_id = ?", (campaign_id,))
        audience = None if digest is None else StoredAudience("", digest[0])
        prepared = PreparedCampaign(row[0], counters_of(json.loads(row[0])), audience)
        put(db, campaign_id, prepared, at, is_needed=True)


def _is_known_audience(db: apsw.Connection, campaign_id: CampaignId, audience: StoredAudience | None) -> bool:
    row = first(db, "SELECT digest FROM audiences WHERE campaign_id = ?", (campaign_id,))
    return row is None if audience is None else row == (audience.digest,)


def put_audience(db: apsw.Connection, campaign_id: CampaignId, audience: StoredAudience | None) -> None:
    if audience is None:
        db.execute("DELETE FROM audiences WHERE campaign_id = ?", (campaign_id,))
    else:
        db.execute(
            "INSERT OR REPLACE INTO audiences VALUES (?, ?, ?)", (campaign_id, audience.digest, audience.text)
        )


def _extend_watch_interval(
    db: apsw.Connection, campaign_id: CampaignId, now: float, read_before: float | None = None
) -> None:
    """Extend the current interval, or begin a new one after a hole."""
    last = first(
        db,
        "SELECT since, until FROM watch_stretches WHERE campaign_id = ? ORDER BY since DESC LIMIT 1",
        (campaign_id,),
    )
    if last is not None:
        until = max(last[1], read_before) if read_before is not None and read_before <= now else last[1]
        if 0 <= now - until <= HOLE_SECONDS and until - last[1] <= HOLE_SECONDS:
            db.execute(
                "UPDATE watch_stretches SET until = ? WHERE campaign_id = ? AND since = ?",
                (now, campaign_id, last[0]),
            )
            return
    db.execute("INSERT OR REPLACE INTO watch_stretches VALUES (?, ?, ?)", (campaign_id, now, now))


def put_problem(db: apsw.Connection, campaign_id: CampaignId, problem: str) -> bool:
    """Store why a campaign couldn't be read; what was read before stays."""
    if known_problem(db, campaign_id, problem) is None:
        db.execute(
            "INSERT INTO campaigns (campaign_id, raw, problem) VALUES (?1, '{}', ?2)"
            " ON CONFLICT (campaign_id) DO UPDATE SET problem = ?2",
            (campaign_id, problem),
        )
        change_feed.append(db, change_feed.CAMPAIGN, [campaign_id])
    return False


def known_problem(db: apsw.Connection, campaign_id: CampaignId, problem: str) -> bool | None:
    """Return False where that is stored already, else None."""
    row = first(db, "SELECT problem FROM campaigns WHERE campaign_id = ?", (campaign_id,))
    return False if row == (problem,) else None


def _last_sample(db: apsw.Connection, campaign_id: CampaignId) -> Sample | None:
    row = first(
        db, "SELECT at, counters FROM samples WHERE campaign_id = ? ORDER BY at DESC LIMIT 1", (campaign_id,)
    )
    return None if row is None else _sample(row)


def _put_sample(db: apsw.Connection, campaign_id: CampaignId, at: float, counters: Counters) -> None:
    db.execute("INSERT OR REPLACE INTO samples VALUES (?, ?, ?)", (campaign_id, at, json.dumps(counters)))


def watched(db: apsw.Connection) -> list[CampaignRecord]:
    """Return the watched campaigns, in the order in which they were added."""
    return [_read(db, each) for each in watched_ids(db)]


def stored(db: apsw.Connection) -> list[CampaignRecord]:
    """Return every campaign that was ever loaded or watched."""
    return [_record(row) for row in rows(db, "SELECT campaign_id, raw, read_at, problem FROM campaigns")]


def watched_ids(db: apsw.Connection) -> list[CampaignId]:
    """Return the ids of the watched campaigns, in the order in which they were added."""
    return [CampaignId(each) for each in queue.all_kept(db, WATCHED)]


def watched_record(db: apsw.Connection, campaign_id: CampaignId) -> CampaignRecord | None:
    return None if queue.kept(db, WATCHED, campaign_id) is None else _read(db, campaign_id)


def with_last_read(db: apsw.Connection, record: CampaignRecord) -> CampaignRecord:
    """Return a campaign with the time of its last read, which is stored once a minute where nothing differed.

    Everything that shows the age of a campaign's numbers takes it from here.
    """
    at = clients.campaign_read_at(db, record.campaign_id)
    if at is None or record.read_at is None or record.problem or at <= record.read_at:
        return record
    return replace(record, read_at=at)


def _read(db: apsw.Connection, campaign_id: CampaignId) -> CampaignRecord:
    row = first(
        db, "SELECT campaign_id, raw, read_at, problem FROM campaigns WHERE campaign_id = ?", (campaign_id,)
    )
    return unread(campaign_id) if row is None else _record(row)


def unread(campaign_id: CampaignId) -> CampaignRecord:
    return _record((campaign_id, "{}", None, ""))


def unstored(campaign_id: CampaignId, prepared: PreparedCampaign, now: float) -> CampaignRecord:
    """Return a campaign that was read now, without storing it."""
    return _record((campaign_id, prepared.text, now, ""))


def names(db: apsw.Connection) -> list[Row]:
    """Return the id and name of each campaign, the last loaded first."""
    return rows(db, "SELECT campaign_id, raw ->> 'name' FROM campaigns ORDER BY read_at DESC")


def never_stored(db: apsw.Connection, campaign_ids: Iterable[CampaignId]) -> list[CampaignId]:
    """Return those of these campaigns that the store has never heard of, neither watched nor unwatched."""
    return [
        each
        for each in dict.fromkeys(campaign_ids)
        if first(db, "SELECT 1 FROM campaigns WHERE campaign_id = ?", (each,)) is None
    ]


def history(db: apsw.Connection, record: CampaignRecord, since: float) -> CampaignHistory:
    campaign_id = record.campaign_id
    return CampaignHistory(record, samples(db, campaign_id, since), watch_intervals(db, campaign_id, since))


def samples(db: apsw.Connection, campaign_id: CampaignId, since: float) -> list[Sample]:
    """Return a campaign's samples since then, oldest first, and the last one before."""
    found = rows(
        db,
        "SELECT at, counters FROM samples WHERE campaign_id = ?1 AND at >= coalesce("
        " (SELECT max(at) FROM samples WHERE campaign_id = ?1 AND at <= ?2), 0) ORDER BY at",
        (campaign_id, since),
    )
    return [_sample(row) for row in found]


def recent_history(db: apsw.Connection, record: CampaignRecord, since: float) -> CampaignHistory:
    """Return a campaign with all samples since then, and of the hours before one a minute."""
    older = rows(
        db,
        "SELECT max(at), counters FROM samples WHERE campaign_id = ? AND at > ? AND at < ?"
        " GROUP BY CAST(at / 60 AS INTEGER) ORDER BY at",
        (record.campaign_id, since - COARSE_SECONDS, since),
    )
    found = history(db, record, since)
    first = found.samples[0].at if found.samples else since
    before = [_sample(row) for row in older if row[0] < first]
    return replace(found, samples=[*before, *found.samples])


def count_recipients(db: apsw.Connection, campaign_id: CampaignId) -> int | None:
    row = first(db, "SELECT json_array_length(recipients) FROM audiences WHERE campaign_id = ?", (campaign_id,))
    return None if row is None else int(row[0])


def watch_intervals(db: apsw.Connection, campaign_id: CampaignId, since: float) -> list[WatchInterval]:
    """Return the times since then in which a campaign was watched, oldest first."""
    found = rows(
        db,
        "SELECT since, until FROM watch_stretches WHERE campaign_id = ? AND until >= ? ORDER BY since",
        (campaign_id, since),
    )
    return [WatchInterval(*row) for row in found]


def campaign_json(db: apsw.Connection, campaign_id: CampaignId) -> str | None:
    """Return a campaign as JSON with its list at the end; None where it was never read."""
    row = first(
        db,
        "SELECT raw, recipients FROM campaigns LEFT JOIN audiences USING (campaign_id) WHERE campaign_id = ?",
        (campaign_id,),
    )
    if row is None or row[1] is None:
        return None if row is None else str(row[0])
    comma = "" if row[0] == "{}" else ","
    return f'{row[0][:-1]}{comma}"{LIST_FIELD}":{row[1]}}}'


def first_recipients(db: apsw.Connection, campaign_id: CampaignId, most: int) -> list[Any] | None:
    """Return the first recipients of a list, the only ones that are parsed; None without a list."""
    if first(db, "SELECT 1 FROM audiences WHERE campaign_id = ?", (campaign_id,)) is None:
        return None
    found = rows(
        db,
        "SELECT type, value FROM json_each((SELECT recipients FROM audiences WHERE campaign_id = ?)) LIMIT ?",
        (campaign_id, most),
    )
    return [json.loads(value) if kind in ("object", "array") else _WORDS.get(kind, value) for kind, value in found]


def counters_of(raw: Json) -> Counters:
    """Read the nine counters; what is absent is unknown."""
    return Counters(*(json_access.number(raw.get(name)) for name in COUNTERS))


def _sample(row: Sequence[Any]) -> Sample:
    return Sample(row[0], Counters(*json.loads(row[1])))


def _record(row: Sequence[Any]) -> CampaignRecord:
    raw = json.loads(row[1])
    return CampaignRecord(
        campaign_id=row[0],
        name=visible_name(json_access.text(raw.get("name"))),
        status=json_access.text(raw.get("status")),
        counters=counters_of(raw),
        scheduled_at=_millis(raw.get("scheduledAt")),
        started_at=_millis(raw.get("startedAt")),
        completed_at=_millis(raw.get("completedAt")),
        failed_at=_millis(raw.get("failedAt")),
        failure_reason=json_access.text(raw.get("failureReason")),
        workflow_name=visible_name(json_access.text(raw.get("workflowName"))),
        line_id=raw.get("associatedToBusinessId"),
        source=json_access.text(raw.get("source")),
        read_at=row[2],
        problem=row[3],
        raw=raw,
    )


def _millis(value: object) -> float | None:
    number = json_access.number(value)
    return None if number is None else number / 1000


HOUR, DAY = 3_600.0, 86_400.0
KEEP_ONE_IN = ((HOUR, 60.0), (DAY, 600.0))
"""From which age on one sample is kept in how many seconds."""

KEEP_LISTS_SECONDS = 7 * DAY
"""So long after its last read the list of recipients stays of a campaign that nobody watches any more."""


def thin_samples(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Return a write that deletes old samples; None where all are to stay."""
    found = samples_to_thin(db, now)
    return (lambda db: delete_samples(db, found, now)) if found else None


def drop_lists(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Return a write that deletes lists of long unwatched campaigns; None without any."""
    listed = rows(
        db,
        "SELECT campaign_id FROM audiences LEFT JOIN campaigns USING (campaign_id) WHERE coalesce(read_at, 0) < ?",
        (now - KEEP_LISTS_SECONDS,),
    )
    watched = queue.kept_among(db, WATCHED, (each for (each,) in listed))
    unwatched = [CampaignId(each) for (each,) in listed if each not in watched]
    return (lambda db: _delete_lists(db, unwatched)) if unwatched else None


def samples_to_thin(db: apsw.Connection, now: float) -> list[tuple[CampaignId, float]]:
    """Return the samples to delete: all but one a minute after an hour, one in ten minutes after a day.

    The first and last of a campaign stay, and those that show that a counter fell.
    """
    found: list[tuple[CampaignId, float]] = []
    for (campaign_id,) in rows(db, "SELECT DISTINCT campaign_id FROM samples"):
        old = rows(
            db,
            "SELECT at, counters FROM samples WHERE campaign_id = ? AND at < ? ORDER BY at",
            (campaign_id, now - HOUR),
        )
        keep = samples_to_keep(old, now)
        # The last of the old ones may be the last of all, with which the next read is compared.
        found += [(campaign_id, row[0]) for row in old[1:-1] if row[0] not in keep]
    return found


def delete_samples(db: apsw.Connection, spared: Iterable[tuple[CampaignId, float]], now: float) -> None:
    """Delete these samples, and old watch intervals of a single read."""
    db.executemany("DELETE FROM samples WHERE campaign_id = ? AND at = ?", spared)
    db.execute("DELETE FROM watch_stretches WHERE until = since AND until < ?", (now - DAY,))


def samples_to_keep(found: Sequence[Row], now: float) -> set[float]:
    newest: dict[tuple[float, int], float] = {}
    keep: set[float] = set()
    before: Sample | None = None
    for each in map(_sample, found):
        every = max(seconds for age, seconds in KEEP_ONE_IN if each.at <= now - age)
        newest[every, int(each.at // every)] = each.at
        if before is not None and fallen_counters(before.counters, each.counters):
            keep |= {before.at, each.at}
        before = each
    return keep | set(newest.values())


def _delete_lists(db: apsw.Connection, campaign_ids: Iterable[CampaignId]) -> None:
    for each in campaign_ids:
        if queue.kept(db, WATCHED, each) is None:
            put_audience(db, each, None)


class SharedWorkflow(NamedTuple):
    """A workflow whose name another one has too, by its whole id and a short one to show beside the name."""

    id: str
    short_id: str


def shared_workflows(db: apsw.Connection, records: Iterable[CampaignRecord]) -> dict[CampaignId, SharedWorkflow]:
    """Return the workflow of each of these campaigns whose workflow's name another one has, or had then."""
    used = {
        each.campaign_id: (workflow_id, each.workflow_name)
        for each in records
        if (workflow_id := json_access.text(each.raw.get("workflowId")))
    }
    named = {*record_lookup.names_of(db, record_lookup.WORKFLOW).items(), *used.values()}
    shared = shared_names(name for _, name in {(each, fold_name(name)) for each, name in named})
    ids = {each for each, _ in named}
    return {
        campaign_id: SharedWorkflow(workflow_id, shorten_id(workflow_id, ids))
        for campaign_id, (workflow_id, name) in used.items()
        if fold_name(name) in shared
    }
