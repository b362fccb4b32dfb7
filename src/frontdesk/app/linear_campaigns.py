"""Creating a campaign in the linear mode: the wizard's questions line by line, then `campaigns create`."""

import csv
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from frontdesk.app.linear_command_line import run_arguments
from frontdesk.campaigns.audience.models import NO_COUNTRY
from frontdesk.campaigns.campaign_clone import known_fields, sent_audience
from frontdesk.campaigns.customer_number import customer_number
from frontdesk.campaigns.draft import FromFile, FromTags
from frontdesk.campaigns.last_uses import FOLDER, read_last_uses
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.linear.commands import DOING, DONE, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record, split_numbers
from frontdesk.linear.sentences import inline_text
from frontdesk.linear.session import ListKind, Session
from frontdesk.storage import json_access, record_lookup
from frontdesk.text.display_text import show_label, trusted

_FILES = (".csv", ".xlsx")
_MAX_SHOWN = 20
_CANCELED = "Canceled. Nothing was sent."


@dataclass(frozen=True, slots=True)
class Answers:
    """What the questions begin with; an empty one is asked without a suggestion.

    Attributes:
        recipients: a file, or names of tags with commas between them.
        country: the home country of a file.
        asks_recipients: whether the recipients are asked for.
    """

    workflow: str = ""
    line: str = ""
    folder: str = ""
    recipients: str = ""
    country: str = ""
    asks_recipients: bool = True


def create(session: Session, words: str) -> None:
    """`create`: ask for a campaign's name, workflow, line, folder, recipients and time, and send it once."""
    if words not in ("", "campaign"):
        raise NotUnderstood("Type create, then answer the questions; or campaigns create with its options.")
    _ask_and_create(session, Answers())


def clone(session: Session, words: str) -> None:
    """`clone`: the same questions, with the answers of a watched campaign."""
    chosen, _ = split_numbers(words)
    if not chosen:
        raise NotUnderstood("Which campaign? Type campaigns, then clone N.")
    kind, key = session.at_number(chosen[0])
    record = next((each for each in campaign_store.watched(session.db) if each.campaign_id == key), None)
    if kind is not ListKind.CAMPAIGN or record is None:
        raise NotUnderstood("That number isn't a campaign. To list campaigns, type campaigns.")
    fields = known_fields(session.db, record)
    audience = sent_audience(session.db, record.campaign_id)
    recipients = ""
    if isinstance(audience, FromFile):
        recipients = audience.path
    elif isinstance(audience, FromTags):
        recipients = ", ".join(each.title for each in audience.tags)
    _ask_and_create(
        session,
        Answers(
            workflow=json_access.text(fields.get("workflowId")),
            line=json_access.text(fields.get("associatedToBusinessId")),
            folder=json_access.text(fields.get("folderId")),
            recipients=recipients,
            country=json_access.text(fields.get("audienceCountry")),
        ),
    )


def start(session: Session, words: str) -> None:
    """`start`: run a workflow for the customer of the open conversation only."""
    if session.conversation_id is None:
        raise NotUnderstood("No conversation is open. Type open N with a number from the list.")
    record = record_lookup.conversation(session.db, session.conversation_id)
    number = "" if record is None else customer_number(record)
    if record is None or not number:
        raise NotUnderstood("No phone number found for this customer; campaigns only go to phone numbers.")
    answers = Answers(workflow=words, line=record.line_id or "", asks_recipients=False)
    with tempfile.TemporaryDirectory(prefix="frontdesk-") as folder:
        path = Path(folder) / "recipient.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("phone", "name"), (f"+{number}", record.name)])
        _ask_and_create(session, replace(answers, recipients=str(path)))


def _ask_and_create(session: Session, known: Answers) -> None:
    session.print("Press ctrl+c to cancel. An empty answer keeps the suggestion, if there is one.")
    try:
        arguments = _ask(session, known)
    except (EOFError, KeyboardInterrupt):
        session.print(_CANCELED)
        return
    run_arguments(session, ["campaigns", "create", *arguments])


def _ask(session: Session, known: Answers) -> list[str]:
    """Ask the questions; return the options of the command line."""
    name = _read(session, "Name of the campaign", "")
    workflows = record_lookup.all_of(session.db, record_lookup.WORKFLOW)
    names = {each.document_id: each.name or each.document_id for each in workflows}
    workflow = _read_one(session, "Workflow, by its name or id", names, known.workflow)
    catalogue = session.store.catalogue
    seen = dict.fromkeys((*session.store.profile.lines, *record_lookup.lines_seen(session.db)))
    lines = {str(each): catalogue.line(each) for each in seen}
    line = _read_one(session, "Line to send from", lines, known.line)
    folders = {each: each for each in read_last_uses(session.db, FOLDER).by_id}
    folder = _read_one(session, "Folder", folders, known.folder, can_type=True)
    arguments = ["--name", name, "--workflow", workflow, "--line", line, "--folder", folder]
    recipients = known.recipients
    if known.asks_recipients:
        recipients = _read(session, "Recipients: a .csv or .xlsx file, or tags with commas", known.recipients)
    if recipients.lower().endswith(_FILES):
        arguments += ["--list", recipients]
        question = "Country of numbers without a calling code, such as IL, or none"
        # Nothing is suggested: with the wrong answer, digits are somebody else's number.
        country = _read(session, question, known.country) if known.asks_recipients else NO_COUNTRY
        arguments += ["--country", country]
    else:
        tags = {str(each.id): each.title for each in catalogue.tags()}
        for each in recipients.split(","):
            arguments += ["--tag", find_record(each.strip().lstrip("#"), tags, "tag")]
    return [*arguments, "--at", _read(session, "When: now, or a time such as tomorrow 9am", "now")]


def _read(session: Session, question: str, suggested: str) -> str:
    """Ask until something is typed; an empty line is the suggestion."""
    shown = f" (now: {inline_text(suggested, 80).text})" if suggested else ""
    while True:
        session.print(trusted(f"{question}{shown}:"))
        typed = session.console.read("answer> ").strip() or suggested
        if typed:
            return typed
        session.print("Type an answer, or press ctrl+c to cancel.")


def _read_one(
    session: Session, question: str, names: Mapping[str, str], suggested: str, *, can_type: bool = False
) -> str:
    """Ask for one of these until one is meant; return its id."""
    listed = ", ".join(inline_text(each, 60).text for each in list(names.values())[:_MAX_SHOWN])
    if listed:
        session.print(trusted(f"Known: {listed}."))
    while True:
        typed = _read(session, question, suggested)
        try:
            return find_record(typed, names, "choice")
        except NotUnderstood as error:
            if can_type:
                return typed
            if session.console.is_script:
                raise
            session.print(show_label(str(error), 400))


_ASKS = (
    "It asks for name, workflow, line, folder, recipients and time, says what would be sent, and asks you to type"
    " the name again."
)

COMMANDS = (
    Command("campaign.create", create, "create", "[campaign]", DONE, more=(_ASKS,)),
    Command("campaign.clone", clone, "clone", "N", DONE, more=(_ASKS,)),
    Command("campaign.one", start, "start", "[WORKFLOW]", DOING, more=(_ASKS,)),
)
