"""Creating a campaign in the linear mode: the wizard's questions line by line, then `campaigns create`."""

import csv
import tempfile
from collections.abc import Mapping
from pathlib import Path

from frontdesk.campaigns.draft import LIST_SUFFIXES, FromFile, FromTags, known_fields, known_texts, sent_audience
from frontdesk.campaigns.last_uses import FOLDER as FOLDER_FIELD
from frontdesk.campaigns.last_uses import read_last_uses
from frontdesk.campaigns.models import customer_number
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.linear.commands import DOING, DONE, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record
from frontdesk.linear.sentences import inline_text
from frontdesk.linear.session import ListKind, Session
from frontdesk.storage import record_lookup
from frontdesk.surfaces.linear_command_line import run_arguments
from frontdesk.text.questions import Question
from frontdesk_api import json_access
from frontdesk_lines.display_text import show_label, trusted
from frontdesk_lists.models import NO_COUNTRY

_MAX_SHOWN = 20
_CANCELED = "Canceled. Nothing was sent."


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
    run_arguments(session, ["campaigns", "create", *arguments])


def _ask(session: Session, known: Mapping[str, str], recipient: str) -> list[str]:
    """Return the answers as options of the command line."""
    from frontdesk.campaigns.view.wizard import AUDIENCE, CAMPAIGN, COUNTRY, FOLDER, LINE, NAME, WHEN, WORKFLOW

    def ask(key: str, names: Mapping[str, str] | None = None, *, can_type: bool = False) -> tuple[str, str]:
        question = CAMPAIGN[key]
        return question.option, _ask_one(session, question, known.get(key, ""), names, can_type=can_type)

    db, catalogue = session.db, session.store.catalogue
    workflows = {each.document_id: each.name for each in record_lookup.all_of(db, record_lookup.WORKFLOW)}
    lines = {str(each): catalogue.line(each) for each in (*catalogue.lines, *record_lookup.lines_seen(db))}
    folders = dict.fromkeys(read_last_uses(db, FOLDER_FIELD).by_id, "")
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

COMMANDS = (
    Command("campaign.create", create, "create", "[campaign]", DONE, more=(_ASKS,)),
    Command("campaign.clone", clone, "clone", "N", DONE, more=(_ASKS,)),
    Command("campaign.one", start, "start", "[WORKFLOW]", DOING, more=(_ASKS,)),
)
