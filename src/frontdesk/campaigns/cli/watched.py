"""`frontdesk campaigns list`, `watch --add`, `unwatch` and `alerts`: the watched campaigns of the store."""

from collections.abc import Sequence

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.models import CampaignOrder
from frontdesk.campaigns.reading_cache import CampaignReading, CampaignReadings
from frontdesk.campaigns.reports import as_csv as to_csv
from frontdesk.campaigns.reports import moment
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.view.summary import end_words, expected_end, shown_pace
from frontdesk.cli.errors import REFUSED
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.output import count, print_json, print_table, when
from frontdesk.cli.store_session import print_local, with_store
from frontdesk.config.render_context import RenderContext
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk.text.export_escapes import Cell
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import COUNTERS
from frontdesk_api.redaction import redact
from frontdesk_lines.display_text import counted
from frontdesk_lines.glyphs import ASCII

LIST_COLUMNS = (
    *("campaignId", "name", "status", *COUNTERS, "sentPerMinute"),
    *("startedAt", "endedAt", "endsEarliest", "endsLatest", "readAt", "problem"),
)


def watch_campaigns(given: Sequence[str], *, dry_run: bool, as_json: bool) -> int:
    def work(store: ProfileStore) -> None:
        ids = read_ids(given)
        CampaignCommands(store).watch(*map(CampaignId, ids))
        words = f"Now watching {counted(len(ids), 'campaign')}, in the inbox and by `frontdesk sync`."
        print_local(store, {"campaigns": ids, "watched": True}, words, as_json=as_json)

    return with_store(work, dry_run=dry_run)


def unwatch_campaigns(given: Sequence[str], *, dry_run: bool, as_json: bool) -> int:
    def work(store: ProfileStore) -> None:
        ids, watched = read_ids(given), campaigns.watched_ids(store.reading)
        if unknown := next((each for each in ids if each not in watched), None):
            raise NotPossible(f"{unknown} isn't watched; nothing was changed", quotes=True)
        for each in ids:
            CampaignCommands(store).unwatch(CampaignId(each))
        words = f"Stopped watching {counted(len(ids), 'campaign')}; they keep running."
        print_local(store, {"campaigns": ids, "watched": False}, words, as_json=as_json)

    return with_store(work, dry_run=dry_run)


def print_watched(*, as_csv: bool, as_json: bool) -> int:
    def work(store: ProfileStore) -> None:
        readings = CampaignReadings(store.reading, lambda: (), store.clock, local_zone(), CampaignOrder.STATE)
        readings.load()
        found = readings.all()
        view = RenderContext(store.catalogue, ASCII, store.clock(), local_zone())
        if as_csv:
            print(redact(to_csv(LIST_COLUMNS, (_csv_row(each, view) for each in found))), end="")
        elif as_json:
            for each in found:
                print_json(_as_json(each, view))
        elif found:
            headings = (
                *("CAMPAIGN", "NAME", "STATUS", "TOTAL", "SENT", "DELIVERED", "READ", "FAILED", "THROTTLED"),
                *("PER MIN", "END", "AS OF"),
            )
            print_table(headings, [_cells(each, view) for each in found])
        else:
            print("No campaigns watched yet. To watch one, run `frontdesk campaigns watch ID --add`.")

    return with_store(work)


def _cells(reading: CampaignReading, view: RenderContext) -> tuple[object, ...]:
    each = reading.record
    counters, pace = each.counters, shown_pace(reading, view)
    numbers = (
        counters.total,
        counters.sent,
        counters.delivered,
        counters.read,
        counters.failed,
        counters.too_many,
    )
    ends = end_words(reading, view)
    return (each.campaign_id, each.name, each.status, *map(count, (*numbers, pace)), ends, when(each.read_at))


def _csv_row(reading: CampaignReading, view: RenderContext) -> tuple[Cell, ...]:
    each = reading.record
    low, high = expected_end(reading, view) or (None, None)
    times = (each.started_at, each.completed_at or each.failed_at, low, high, each.read_at)
    named, pace = (each.campaign_id, each.name, each.status), shown_pace(reading, view)
    return (*named, *each.counters, pace and round(pace, 1), *map(moment, times), each.problem)


def _as_json(reading: CampaignReading, view: RenderContext) -> dict[str, object]:
    each = reading.record
    return {
        "campaign": each.campaign_id,
        "name": each.name,
        "status": each.status or None,
        "counters": each.counters._asdict(),
        "sentPerMinute": shown_pace(reading, view),
        "endedAt": each.completed_at or each.failed_at,
        "endsBetween": expected_end(reading, view),
        "failureReason": each.failure_reason or None,
        "readAt": each.read_at,
        "problem": each.problem or None,
    }


def print_alerts(*, dismiss: bool, dry_run: bool, as_json: bool) -> int:
    """Print the alerts that nobody has hidden, or hide them; return an exit status, 1 where there are any."""

    def work(store: ProfileStore) -> int:
        found = alert_store.unseen(store.reading, store.clock())
        if dismiss:
            until, now = max((each.at for each in found), default=0.0), store.clock()
            store.write(lambda db: alert_store.mark_seen(db, until, now)).result()
            words = f"Hid {counted(len(found), 'alert')} until they fire again."
            print_local(store, {"hidden": len(found)}, words, as_json=as_json)
            return 0
        if as_json:
            for each in found:
                print_json({"campaign": each.campaign_id, "name": each.name, "alert": each.words, "at": each.at})
        elif found:
            rows = [(when(each.at), each.name or each.campaign_id, each.words) for each in found]
            print_table(("WHEN", "CAMPAIGN", "ALERT"), rows)
        else:
            print("There are no alerts.")
        return REFUSED if found else 0

    return with_store(work, dry_run=dry_run)
