"""`frontdesk campaigns create`: checked first, sent once, read back when in doubt; never sent again by itself."""

import dataclasses
import json
import random
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from frontdesk.campaigns.cli.audience import ListRequest, layout_sentences, read_list, require_certain_columns
from frontdesk.campaigns.cli.requests import (
    create_campaign,
    print_answer,
    read_stored,
    settle_doubts,
    wants_rows,
    with_outcomes,
)
from frontdesk.campaigns.draft import (
    Draft,
    FromFile,
    FromTags,
    audience_from_json,
    build_body,
    known_texts,
    new_draft,
    with_answer,
)
from frontdesk.campaigns.preflight import input_errors, preflight, summary_of, workflow_difference
from frontdesk.campaigns.preflight_facts import (
    AudienceSummary,
    ParsedTime,
    Preflight,
    PreflightFinding,
    WorkflowFacts,
    WorkflowSource,
    facts_for,
    parse_when,
)
from frontdesk.campaigns.sent_campaigns import find_repeated
from frontdesk.campaigns.view.preflight import duration_words
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_record
from frontdesk.cli.session import run_with_client
from frontdesk.cli.store_session import with_store
from frontdesk.config.time_zone import local_zone
from frontdesk.storage import record_lookup
from frontdesk.storage.clocks import parse_by_clock
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.text.fuzzy import fold_name
from frontdesk_api import json_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.contract.ids import CampaignId, TagId, WorkflowId
from frontdesk_api.redaction import redact_json
from frontdesk_lines.display_text import show_line
from frontdesk_lists.models import ListedRecipient, ListFile


class CreateOptions(NamedTuple):
    """The options of the command line; empty where one isn't given.

    Attributes:
        answers: by the field of `Draft`; a workflow is an id, or the name of exactly one.
        columns: those of numbers, names and countries, by number or heading; None where one is guessed.
        like: the campaign that has what isn't given.
        is_sure: the name isn't asked for.
        sends_again: the same campaign may have been sent lately.
    """

    answers: Mapping[str, str]
    list_file: str
    tags: Sequence[str]
    columns: tuple[str | None, str | None, str | None]
    skips_doubtful: bool
    at: str
    id: str
    like: str
    is_sure: bool
    sends_again: bool


def create_from_options(options: CreateOptions, write: WriteOptions) -> int:
    """Print what would be sent, ask, and send it once; return an exit status or raise `CommandFailed`."""
    like: Json = {}
    if options.like:
        like = run_with_client(lambda client: client.get_campaign(CampaignId(options.like))).raw
    there = audience_from_json({"tags": like.get("conversationTags")})
    if isinstance(there, FromTags) and not (options.tags or options.list_file):
        options = options._replace(tags=[each.id for each in there.tags])
    if bool(options.list_file) == bool(options.tags):
        words = (
            "use --list or --tag, not both" if options.tags else "choose recipients with --list FILE or --tag ID"
        )
        raise CommandFailed(INPUT_WRONG, f"{words} (see --help); nothing was sent")
    if options.list_file == "-":
        raise CommandFailed(
            INPUT_WRONG,
            "--list can't read standard input, which is where you type the name to confirm; nothing was sent",
        )
    return with_store(lambda store: _create(options, like, store, write))


def confirm_name(name: str) -> None:
    if not sys.stdin.isatty():
        raise CommandFailed(
            INPUT_WRONG,
            "nothing was sent: there's no terminal to type the campaign's name in; --yes sends without asking",
        )
    print("This can't be undone. Type the campaign's name to send it: ", end="", flush=True)
    if sys.stdin.readline().rstrip("\r\n") != name:
        raise CommandFailed(INPUT_WRONG, "the name doesn't match; nothing was sent")


def _create(options: CreateOptions, like: Json, store: ProfileStore, write: WriteOptions) -> None:
    source: WorkflowSource = write.services.workflow_source()
    now = datetime.fromtimestamp(store.clock(), UTC).astimezone(local_zone())
    draft = _draft(options, like, _when(options.at, now, store.clock_offset()), store, now)
    _refuse_errors(input_errors(draft, now))
    recipients: tuple[ListedRecipient, ...] = ()
    summary: AudienceSummary | None = None
    if options.list_file:
        file = ListFile(
            options.list_file,
            country=draft.home_country,
            skips_doubtful=options.skips_doubtful,
            customers=record_lookup.customer_numbers(store.reading, draft.line_id),
        )
        request = ListRequest(file, *options.columns)
        layout, columns, audience = read_list(request)
        for each in layout_sentences(layout, columns):
            print_error(each)
        require_certain_columns(layout, request, audience)
        recipients, summary = audience.recipients, summary_of(audience, layout.kind)
    workflows, offset = run_with_client(_workflows)
    _when(options.at, now, offset)
    draft = _with_workflow(draft, workflows.records or (), now)
    known = source.listed(store.reading, draft.workflow_id, workflows)
    body = build_body(draft, recipients)
    if not write.dry_run and settle_doubts(store, body, options.id, write):
        print_answer(*run_with_client(lambda client: read_stored(client, draft.campaign_id)), write)
        return
    facts = facts_for(draft, summary, now, store.reading, store.catalogue, known)
    repeated = find_repeated(draft, body, facts.sent)
    if repeated:
        repeated = run_with_client(lambda client: with_outcomes(client, repeated))
        facts = dataclasses.replace(facts, sent=repeated)
    found = preflight(draft, facts, body)
    _print_findings(found.findings)
    if summary is not None and (summary.refused or summary.doubtful):
        print_error("to see which rows and why, run `frontdesk campaigns audience FILE` with the same options")
    _refuse_errors(found.errors, are_printed=True)
    if write.dry_run:
        for name, words in _sums(found):
            print_error(f"{name}: {words}" if name else words)
        if options.is_sure or wants_rows(body):
            print(json.dumps(redact_json(body), ensure_ascii=True, indent=2))
        return
    if repeated and not options.sends_again:
        raise CommandFailed(
            INPUT_WRONG,
            f"already sent as {repeated[0].campaign_id}; to send it again, add --again;"
            " nothing was sent this time",
        )
    if not options.is_sure:
        print_record(_sums(found))
        confirm_name(draft.name)
    # Whoever is cut off here has to know under which id to look for it.
    print_error(f"creating {body['id']}")
    print_answer(*create_campaign(body, write, draft), write)


def _print_findings(findings: Sequence[PreflightFinding]) -> None:
    for each in findings:
        print_error(f"{each.severity}: {each.words.text}")
        for detail in each.details:
            print_error(f"  {detail.text}")


def _refuse_errors(errors: Sequence[PreflightFinding], *, are_printed: bool = False) -> None:
    if not errors:
        return
    if not are_printed:
        _print_findings(errors)
    count = len(errors)
    raise CommandFailed(
        INPUT_WRONG, f"fix the {'error' if count == 1 else f'{count} errors'} above; nothing was sent"
    )


async def _workflows(client: PlatformClient) -> tuple[WorkflowFacts, float | None]:
    """Read the workflows now, since the store's may be old, and how far the platform's clock is ahead."""
    page = await client.list_workflows(minimal=False)
    # What is in another shape than it should be is a workflow all the same, and the check says what is wrong.
    broken = [
        each.raw for each in page.broken if isinstance(each.raw, dict) and json_access.text(each.raw.get("id"))
    ]
    raws = [*(each.raw for each in page.items), *broken]
    records = [DocumentRecord(str(raw["id"]), json_access.text(raw.get("name")), raw) for raw in raws]
    return WorkflowFacts(records, page.has_more or len(broken) < len(page.broken)), client.clock_offset


def _when(words: str, now: datetime, clock_offset: float | None) -> ParsedTime:
    try:
        return parse_by_clock(parse_when, words, now, clock_offset)
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"--at: {error}; nothing was sent") from None


def _draft(options: CreateOptions, like: Json, when: ParsedTime, store: ProfileStore, now: datetime) -> Draft:
    """Make the draft that the options give, and what they don't a campaign like it.

    Its workflow is what was typed, and isn't looked up yet.
    """
    if when.note:
        print_error(f"--at: {when.note}")
    country = json_access.text(like.get("audienceCountry"))
    if options.list_file and country:  # what was decided for one list is a guess for another
        if not options.answers["country"]:
            words = f"the home country of {options.like} is {country}, which isn't used for another list"
            print_error(f"{words}; add --country {country} if it is this list's")
        country = ""
    draft, known = new_draft(now, random.SystemRandom()), {**known_texts(like), "country": country}
    for field, answer in options.answers.items():
        draft = with_answer(draft, field, answer.strip() or known.get(field, ""))
    tags = FromTags(tuple(store.catalogue.tag(TagId(each)) for each in options.tags))
    return dataclasses.replace(
        draft,
        campaign_id=CampaignId(options.id) if options.id else draft.campaign_id,
        when_words="" if when.at is None else options.at,
        scheduled_at=when.at,
        audience=FromFile(options.list_file) if options.list_file else tags,
    )


def _with_workflow(draft: Draft, workflows: Sequence[DocumentRecord], now: datetime) -> Draft:
    """Return the draft with the workflow whose id was typed, or the name that only one has, if it is listed."""
    typed = draft.workflow_id
    by_id = [each for each in workflows if each.document_id == typed]
    by_name = [each for each in workflows if fold_name(each.name) == fold_name(typed)]
    if len(by_name) > 1 and not by_id:
        for each in by_name:
            print_error(f"{show_line(each.document_id, 100).text} {workflow_difference(each.raw, now)}")
        raise CommandFailed(
            INPUT_WRONG, f"{len(by_name)} workflows are named {typed!r}; use the id; nothing was sent"
        )
    for each in (by_id or by_name)[:1]:
        return dataclasses.replace(draft, workflow_id=WorkflowId(each.document_id), workflow_name=each.name)
    return draft


def _sums(found: Preflight) -> list[tuple[str, object]]:
    body = found.body
    pairs: list[tuple[str, object]] = [
        ("campaign", f"{body['name']} ({body['id']})"),
        ("to", found.who.text),
        ("workflow", f"{body['workflowName']} ({body['workflowId']})"),
        ("line", body["associatedToBusinessId"]),
        *(("when" if nth == 0 else "", each.text) for nth, each in enumerate(found.at)),
    ]
    if found.duration is not None:
        pairs.append(("takes", duration_words(found)))
    return pairs
