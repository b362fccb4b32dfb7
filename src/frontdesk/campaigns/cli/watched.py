"""`frontdesk campaigns list`, `watch --add`, `unwatch` and `alerts`: the watched campaigns of the store."""

from collections.abc import Sequence

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.models import CampaignRecord, sort_campaigns
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns
from frontdesk.cli.errors import REFUSED
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.output import count, print_json, print_table, when
from frontdesk.cli.store_session import print_local, with_store
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import counted


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


def print_watched(*, as_json: bool) -> int:
    def work(store: ProfileStore) -> None:
        found = [
            campaigns.with_last_read(store.reading, each)
            for each in sort_campaigns(campaigns.watched(store.reading))
        ]
        if as_json:
            for each in found:
                print_json(_as_json(each))
        elif found:
            headings = ("CAMPAIGN", "NAME", "STATUS", "TOTAL", "SENT", "FAILED", "THROTTLED", "AS OF")
            print_table(headings, [_cells(each) for each in found])
        else:
            print("No campaigns watched yet. To watch one, run `frontdesk campaigns watch ID --add`.")

    return with_store(work)


def _cells(each: CampaignRecord) -> tuple[object, ...]:
    counters = each.counters
    numbers = (counters.total, counters.sent, counters.failed, counters.too_many)
    return (each.campaign_id, each.name, each.status, *map(count, numbers), when(each.read_at))


def _as_json(each: CampaignRecord) -> dict[str, object]:
    return {
        "campaign": each.campaign_id,
        "name": each.name,
        "status": each.status or None,
        "counters": each.counters._asdict(),
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
