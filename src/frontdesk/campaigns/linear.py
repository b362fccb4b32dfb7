"""The linear mode's campaigns: the watched ones, and creating one by the wizard's questions, line by line."""

import csv
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from frontdesk.campaigns.alert_rules import rules
from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.counters import count_words
from frontdesk.campaigns.draft import LIST_SUFFIXES, FromFile, FromTags, known_fields, known_texts, sent_audience
from frontdesk.campaigns.models import STATUS_WORDS, CampaignOrder, CampaignRecord, customer_number
from frontdesk.campaigns.reading_cache import CampaignReadings
from frontdesk.campaigns.sent_campaigns import read_folders
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.store.campaigns import shared_workflows
from frontdesk.campaigns.view.row import UNREAD_AFTER_SECONDS, about
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import DOING, DONE, LISTS, Command
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_record
from frontdesk.linear.printed_list import ListKind, PrintedList
from frontdesk.linear.row_commands import on_rows
from frontdesk.linear.sentences import inline_text, join_sentence, speak
from frontdesk.linear.session import Session, make_record_type
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.questions import Question
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import SafeText, counted, show_label, trusted
from frontdesk_lists.models import NO_COUNTRY

_MAX_SHOWN = 20
_CANCELED = "Canceled. Nothing was sent."


def campaigns(session: Session, words: str) -> None:
    session.report_focus_soon("campaigns")
    order = CampaignOrder.TROUBLE
    if words:
        order = CampaignOrder(find_choice(words.removeprefix("by ").strip(), [*CampaignOrder]))
    records = _readings(session, order).records

    def row(key: str) -> SafeText | None:
        record = _record(session, key)
        return None if record is None else campaign(record, session.view())

    for each in session.news_of(alert_store.NEWS, is_listed=True).values():
        if (record := records.get(CampaignId(each.row))) is not None:
            name = inline_text(record.name or record.campaign_id, 60).text
            session.print(trusted(f"New since your last look: {name}, {inline_text(each.words, 160).text}."))
    session.print_list(
        PrintedList(ListKind.CAMPAIGN, tuple(records), row),
        "Watched campaigns",
        "; open N shows one in full",
        ["No campaigns watched yet. The platform doesn't list campaigns; to watch one, type watch ID."],
    )


def _readings(session: Session, order: CampaignOrder) -> CampaignReadings:
    found = CampaignReadings(
        session.db, lambda: rules(session.store.settings.alerts), session.store.clock, session.view().zone, order
    )
    found.load()
    return found


def watch(session: Session, words: str) -> None:
    if not words or len(words.split()) != 1:
        raise NotUnderstood("Which campaign? Type watch ID, with the campaign's id.")
    CampaignCommands(session.store).watch(CampaignId(words))
    session.wait_for(session.store.flush())
    session.print("Now watching. To see it, type campaigns.")


def unwatch(session: Session, words: str) -> None:
    (key,), _ = session.keys_at(words, ListKind.CAMPAIGN)
    CampaignCommands(session.store).unwatch(CampaignId(key))
    session.wait_for(session.store.flush())
    session.print("Stopped watching. The campaign keeps running.")


def alerts(session: Session, words: str) -> None:  # noqa: ARG001
    found = _unseen(session)
    session.print(*(alert_sentence(each, session.view()) for each in found))
    session.print("To hide them until they fire again, type dismiss." if found else "There are no alerts.")


def dismiss(session: Session, words: str) -> None:  # noqa: ARG001
    found = _unseen(session)
    if not found:
        session.print("There are no alerts.")
        return
    until, now = max(each.at for each in found), session.store.clock()
    session.wait_for(session.store.write(lambda db: alert_store.mark_seen(db, until, now)))
    session.print(f"Hid {counted(len(found), 'alert')} until they fire again.")


def alert_sentence(alert: Alert, view: RenderContext) -> SafeText:
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
    background = _readings(session, CampaignOrder.STATE).background(record)
    return speak(about(history, view, workflow_id=_workflow_id(session, record), background=background), view)


TYPE = make_record_type(_record, _facts, "This campaign is no longer watched.")


def create(session: Session, words: str) -> None:
    """`create`: ask for a campaign's name, workflow, line, folder, recipients and time, and send it once."""
    if words not in ("", "campaign"):
        raise NotUnderstood("Type create, then answer the questions; or campaigns create with its options.")
    _ask_and_create(session, {})


def clone(session: Session, words: str) -> None:
    """`clone`: the same questions, with the answers of a watched campaign."""
    (key,), _ = session.keys_at(words, ListKind.CAMPAIGN)
    record = next((each for each in campaign_store.watched(session.db) if each.campaign_id == key), None)
    if record is None:
        raise NotUnderstood("That campaign is no longer watched. To list campaigns, type campaigns.")
    fields = known_fields(session.db, record)
    texts, audience = known_texts(fields), sent_audience(session.db, record.campaign_id)
    known = {"workflow": texts["workflow_id"], "line": texts["line_id"], "folder": texts["folder_id"]}
    if isinstance(audience, FromFile):
        known["audience"] = audience.path
    elif isinstance(audience, FromTags):
        known["audience"] = ", ".join(each.title for each in audience.tags)
    _ask_and_create(session, {**known, "country": json_access.text(fields.get("audienceCountry"))})


def start(session: Session, words: str) -> None:
    """`start`: run a workflow for the customer of the open conversation only."""
    if session.conversation_id is None:
        raise NotUnderstood("No conversation is open. Type open N with a number from the list.")
    record = record_lookup.conversation(session.db, session.conversation_id)
    number = "" if record is None else customer_number(record)
    if record is None or not number:
        raise NotUnderstood("No phone number found for this customer; campaigns only go to phone numbers.")
    with tempfile.TemporaryDirectory(prefix="frontdesk-") as folder:
        path = Path(folder) / "recipient.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("phone", "name"), (f"+{number}", record.name)])
        _ask_and_create(session, {"workflow": words, "line": record.line_id or ""}, str(path))


def _ask_and_create(session: Session, known: Mapping[str, str], recipient: str = "") -> None:
    """Ask the questions and run the command.

    Args:
        known: what an empty answer keeps, by the question's key.
        recipient: a list of one customer, whose number has its calling code; empty to ask for the recipients.
    """
    session.print("Press ctrl+c to cancel. An empty answer keeps the suggestion, if there is one.")
    try:
        arguments = _ask(session, {"when": "now", **known}, recipient)
    except (EOFError, KeyboardInterrupt):
        session.print(_CANCELED)
        return
    session.run_command_line(["campaigns", "create", *arguments])


def _ask(session: Session, known: Mapping[str, str], recipient: str) -> list[str]:
    """Return the answers as options of the command line."""
    from frontdesk.campaigns.view.wizard import AUDIENCE, CAMPAIGN, COUNTRY, FOLDER, LINE, NAME, WHEN, WORKFLOW

    def ask(key: str, names: Mapping[str, str] | None = None, *, can_type: bool = False) -> tuple[str, str]:
        question = CAMPAIGN[key]
        return question.option, _ask_one(session, question, known.get(key, ""), names, can_type=can_type)

    db, catalogue = session.db, session.store.catalogue
    workflows = {each.document_id: each.name for each in record_lookup.all_of(db, record_lookup.WORKFLOW)}
    lines = {str(each): catalogue.line(each) for each in (*catalogue.lines, *record_lookup.lines_seen(db))}
    folders = dict.fromkeys(read_folders(db), "")
    arguments = [*ask(NAME), *ask(WORKFLOW, workflows), *ask(LINE, lines), *ask(FOLDER, folders, can_type=True)]
    recipients = recipient or ask(AUDIENCE)[1]
    if recipients.lower().endswith(LIST_SUFFIXES):
        # Nothing is suggested for a new list: with the wrong country, digits are somebody else's number.
        country = (CAMPAIGN[COUNTRY].option, NO_COUNTRY) if recipient else ask(COUNTRY)
        arguments += ["--list", recipients, *country]
    else:
        tags = {str(each.id): each.title for each in catalogue.tags()}
        for each in recipients.split(","):
            arguments += ["--tag", find_record(each.strip().lstrip("#"), tags, "tag")]
    return [*arguments, *ask(WHEN)]


def _ask_one(
    session: Session, question: Question, suggested: str, names: Mapping[str, str] | None, *, can_type: bool
) -> str:
    """Ask a question until its answer can be used; return it, or the id that it means.

    Args:
        names: of the ids to choose from; with `can_type`, the answer may be another id.
    """
    if names:
        names = {each: name or each for each, name in names.items()}
        listed = ", ".join(inline_text(name, 60).text for name in [*names.values()][:_MAX_SHOWN])
        session.print(trusted(f"Known: {listed}."))
    shown = f" (now: {inline_text(suggested, 80).text})" if suggested else ""
    while True:
        session.print(trusted(f"{question.asked}{shown}:"))
        typed = session.console.read("answer> ").strip() or suggested
        if not typed:
            session.print("Type an answer, or press ctrl+c to cancel.")
            continue
        fault = question.fault(typed)
        try:
            if not fault:
                return typed if names is None else find_record(typed, names, "choice")
        except NotUnderstood as error:
            if can_type:
                return typed
            fault = str(error)
        if session.console.is_script:
            raise NotUnderstood(fault)
        session.print(show_label(fault, 400))


_ASKS = (
    "It asks for name, workflow, line, folder, recipients and time, says what would be sent, and asks you to type"
    " the name again."
)
_shell = partial(on_rows, ListKind.CAMPAIGN)

COMMANDS = (
    Command(
        "list.campaigns",
        campaigns,
        "campaigns",
        "[by ORDER]",
        LISTS,
        "List the watched campaigns",
        ("ORDER is trouble, failing, end, state, name or start.",),
    ),
    Command("campaign.watch", watch, "watch w", "ID", DONE),
    Command("list.alerts", alerts, "alerts", "", LISTS, "List alerts on campaigns"),
    Command("alert.dismiss", dismiss, "dismiss", "", DONE),
    Command("campaign.unwatch", unwatch, "unwatch x", "N", DONE),
    Command("campaign.create", create, "create", "[campaign]", DONE, more=(_ASKS,)),
    Command("campaign.clone", clone, "clone", "N", DONE, more=(_ASKS,)),
    Command("campaign.one", start, "start", "[WORKFLOW]", DOING, more=(_ASKS,)),
    Command("campaign.outcomes", _shell("campaigns failures {}"), "failures", "N", DONE),
    Command("campaign.compare", _shell("campaigns compare {}", many=True), "compare", "N [N]", DONE),
    Command(
        "campaign.samples",
        _shell("campaigns samples {}", many=True),
        "samples",
        "N",
        DONE,
        "Print every stored sample of a campaign's counters",
    ),
    Command(
        "campaign.write",
        lambda session, words: session.run_command_line(["campaigns", "report", *shlex.split(words)]),
        "report",
        "",
        DONE,
        "Print a report on the watched campaigns",
        ("The report is Markdown. To choose where it begins, add --since and a time.",),
    ),
)
