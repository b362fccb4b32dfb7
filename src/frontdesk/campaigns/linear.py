"""The linear mode's campaigns: the watched ones, one of them, watch and unwatch."""

from collections.abc import Mapping, Sequence

from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.campaigns.counters import count_words
from frontdesk.campaigns.models import STATUS_WORDS, CampaignOrder, CampaignRecord, sort_campaigns
from frontdesk.campaigns.shared_workflows import shared_workflows
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.view.row import UNREAD_AFTER_SECONDS, about
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import DONE, LISTS, Command
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.sentences import inline_text, join_sentence, speak
from frontdesk.linear.session import ListKind, PrintedList, Session, make_record_type
from frontdesk.storage import change_feed
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import SafeText, counted, trusted


def campaigns(session: Session, words: str) -> None:
    """`campaigns`: the watched campaigns, by an order."""
    session.report_focus_soon("campaigns")
    order = CampaignOrder.STATE
    if words:
        order = CampaignOrder(find_choice(words.removeprefix("by ").strip(), [*CampaignOrder]))
    records = {each.campaign_id: each for each in sort_campaigns(campaign_store.watched(session.db), order)}

    def row(key: str) -> SafeText | None:
        record = _record(session, key)
        return None if record is None else campaign(record, session.view())

    session.print_list(
        PrintedList(ListKind.CAMPAIGN, tuple(records), row),
        "Watched campaigns",
        "; open N shows one in full",
        ["No campaigns watched yet. The platform doesn't list campaigns; to watch one, type watch ID."],
    )


def watch(session: Session, words: str) -> None:
    """`watch`: watch a campaign by its id."""
    if not words or len(words.split()) != 1:
        raise NotUnderstood("Which campaign? Type watch ID, with the campaign's id.")
    CampaignCommands(session.store).watch(CampaignId(words))
    session.wait_for(session.store.flush())
    session.print("Now watching. To see it, type campaigns.")


def unwatch(session: Session, words: str) -> None:
    """`unwatch`: stop watching a campaign of the list."""
    (key,), _ = session.keys_at(words, ListKind.CAMPAIGN)
    CampaignCommands(session.store).unwatch(CampaignId(key))
    session.wait_for(session.store.flush())
    session.print("Stopped watching. The campaign keeps running.")


def alerts(session: Session, words: str) -> None:  # noqa: ARG001
    """`alerts`: the alerts that weren't hidden yet, newest first."""
    found = _unseen(session)
    session.print(*(alert_sentence(each, session.view()) for each in found))
    session.print("To hide them until they fire again, type dismiss." if found else "There are no alerts.")


def dismiss(session: Session, words: str) -> None:  # noqa: ARG001
    """`dismiss`: hide all alerts until they fire again."""
    found = _unseen(session)
    if not found:
        session.print("There are no alerts.")
        return
    until, now = max(each.at for each in found), session.store.clock()
    session.wait_for(session.store.write(lambda db: alert_store.mark_seen(db, until, now)))
    session.print(f"Hid {counted(len(found), 'alert')} until they fire again.")


def alert_sentence(alert: Alert, view: RenderContext) -> SafeText:
    """Word an alert."""
    name = inline_text(alert.name or alert.campaign_id, 80).text
    about = f"{name}: {inline_text(alert.words, 200).text}" if name else inline_text(alert.words, 200).text
    return join_sentence([trusted(about), view.spoken_moment(alert.at)])


def _unseen(session: Session) -> list[Alert]:
    return alert_store.unseen(session.db, session.store.clock())


class AlertNews:
    """News of alerts, once each.

    Args:
        db: a reading connection.
        since: when listening began; what was raised before is listed by `alerts`.
    """

    def __init__(self, db: ReadConnection, since: float) -> None:
        self._db, self._announced_at = db, since

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:
        if change_feed.CAMPAIGN not in ids:
            return []
        new = [each for each in alert_store.unseen(self._db, view.now) if each.at > self._announced_at]
        if new:
            self._announced_at = max(each.at for each in new)
        return [trusted(f"Alert: {alert_sentence(each, view).text}") for each in reversed(new)]


def campaign(record: CampaignRecord, view: RenderContext) -> SafeText:
    """Word a campaign as a row of a list."""
    parts: list[SafeText | str] = [inline_text(record.name or record.campaign_id, 80)]
    if record.problem:
        return join_sentence([*parts, trusted(f"can't be read: {inline_text(record.problem, 200).text}")])
    parts.append(inline_text(STATUS_WORDS.get(record.status, record.status) or "not loaded yet", 40))
    if record.status == "scheduled" and record.scheduled_at is not None:
        parts.append(f"starts {view.spoken_moment(record.scheduled_at)}")
    parts += count_words(record.counters)
    if record.status == "inProgress" and view.now - (record.read_at or 0.0) > UNREAD_AFTER_SECONDS:
        parts.append(f"not updated since {view.spoken_moment(record.read_at or 0.0)}")
    return join_sentence(parts)


def _record(session: Session, key: str) -> CampaignRecord | None:
    found = campaign_store.watched_record(session.db, CampaignId(key))
    return None if found is None else campaign_store.with_last_read(session.db, found)


def _workflow_id(session: Session, record: CampaignRecord) -> str:
    """Return the id of a campaign's workflow if another one has the name."""
    found = shared_workflows(session.db, [record]).get(record.campaign_id)
    return "" if found is None else found.id


def _facts(session: Session, record: CampaignRecord) -> list[SafeText]:
    history, view = campaign_store.history(session.db, record, 0.0), session.view()
    return speak(about(history, view, workflow_id=_workflow_id(session, record)), view)


TYPE = make_record_type(
    _record,
    _facts,
    "This campaign is no longer watched.",
)


COMMANDS = (
    Command(
        "list.campaigns",
        campaigns,
        "campaigns",
        "[by ORDER]",
        LISTS,
        "List the watched campaigns",
        ("ORDER is state, end, failing, name or start.",),
    ),
    Command("campaign.watch", watch, "watch w", "ID", DONE),
    Command("list.alerts", alerts, "alerts", "", LISTS, "List alerts on campaigns"),
    Command("alert.dismiss", dismiss, "dismiss", "", DONE),
    Command("campaign.unwatch", unwatch, "unwatch x", "N", DONE),
)
