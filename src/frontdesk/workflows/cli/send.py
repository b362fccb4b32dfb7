"""`frontdesk workflows create`, `update`, `activate` and `deactivate`.

Each write is checked and shown, and goes through the outbox; `workflows.delivery` sends it and reads it back.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

import apsw

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.json_files import name_of, read_json_file
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_changes, print_json, print_line, when
from frontdesk.cli.record_names import with_id
from frontdesk.cli.session import check_input
from frontdesk.cli.store_session import open_store
from frontdesk.cli.write_session import NotConfirmed, Sent, WriteSession, run_writes
from frontdesk.outbox.delivery import MEANWHILE
from frontdesk.workflows import changes, pending_payloads
from frontdesk.workflows.analysis import find_dependents, load_references
from frontdesk.workflows.changes import submit
from frontdesk.workflows.cli.read import (
    UNKEPT,
    answer_of,
    body_for,
    keep_origin,
    origin_of,
    print_differences,
    print_findings,
    print_if_older,
    print_three_ways,
    read_current,
    read_version,
    require_document,
    three_ways,
)
from frontdesk.workflows.delivery import DROPPED_GRAPH, READ_BACK, STORED_OTHERWISE
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import (
    ListedWorkflow,
    Unsendable,
    activation_body,
    changes_of,
    omitted_fields,
    read_listed,
    read_minimal,
)
from frontdesk.workflows.reviews import (
    dependent_words,
    errors_in,
    errors_words,
    file_switches,
    omitted_words,
    stored_parts_words,
)
from frontdesk.workflows.update_plan import Creation, Update, plan_creation, plan_update, restored
from frontdesk.workflows.versions import FileOrigin, keep_sent, restore_file
from frontdesk.workflows.view.diff import conflict_count
from frontdesk.workflows.view.row import findings_summary
from frontdesk_api import json_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import Conflict
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.ids import FolderId, WorkflowId
from frontdesk_api.contract.workflows import WorkflowCreate, WorkflowUpdate
from frontdesk_flows.checks.models import Finding, References
from frontdesk_flows.checks.rules import SAME_TRIGGER
from frontdesk_flows.checks.run import check, has_graph
from frontdesk_flows.diff import GRAPH
from frontdesk_lines.display_text import counted, show_line
from frontdesk_lines.glyphs import UNICODE

SEND_ANYWAY = "nothing was sent; to send it anyway, add --direct"


def create(workflow_id: str, folder_id: str, path: str, options: WriteOptions, *, despite_errors: bool) -> None:
    file = read_json_file(path)
    try:
        made = plan_creation(workflow_id, file, lambda _: None)
    except Unsendable as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}: {error}; nothing was sent") from None
    check_input(WorkflowCreate, made.body)
    _require_no_errors(name_of(path), made, None, options, is_ok=despite_errors)

    async def work(session: WriteSession) -> tuple[JsonObject, tuple[Finding, ...]]:
        stored = await read_minimal(session.client, workflow_id)
        if stored.document is not None:
            raise CommandFailed(
                REFUSED,
                f"a workflow with the id {workflow_id} already exists; choose another id, or change it with"
                " `frontdesk workflows update`; nothing was sent",
            )
        if stored.has_more and not session.is_direct:
            raise CommandFailed(
                REFUSED,
                f"the platform has more workflows than it lists; if one of them has the id {workflow_id}, this"
                f" would overwrite it; {SEND_ANYWAY}",
            )
        checked = plan_creation(workflow_id, file, lambda _: stored.known)
        _require_no_errors(name_of(path), checked, stored.known, options, is_ok=despite_errors)
        sent = await session.send_one(
            workflow_id,
            lambda store: submit(store, changes.create, workflow_id, folder_id, made.body),
            lambda client: client.create_workflow(WorkflowId(workflow_id), FolderId(folder_id), made.body),
            arrived=f"{workflow_id} is stored as sent",
        )
        return _answer(session, sent), checked.findings

    answer, findings = run_writes(work, options)
    if options.as_json:
        print_json(answer)
        return
    if names := omitted_fields(file, is_new=True):
        print_line(omitted_words(names).text)
    _print_warnings(findings)
    if "message" in answer:
        print_line(f"{answer['message']} (lastModified {answer.get('lastModified')})")
    else:
        print_line(f"Created {workflow_id}{_version_words(answer)}")


def _answer(session: WriteSession, sent: Sent) -> JsonObject:
    """Return what the platform has answered; say where it has done something else than was sent."""
    if sent.change is None:
        answer: JsonObject = sent.answer.raw
        return answer
    if sent.change.reason not in ("", READ_BACK):
        print_error(sent.change.reason)
    return answer_of(session.store, sent.change)


def update(
    workflow_id: str, path: str, options: WriteOptions, *, despite_errors: bool, merges: bool = False
) -> None:
    given = read_json_file(path)
    check_input(WorkflowUpdate, given)
    if merges and given.get("lastModified") is None:
        raise CommandFailed(
            INPUT_WRONG,
            f"{name_of(path)} has no lastModified, so --merge can't tell which version it was made from;"
            " nothing was sent",
        )

    async def work(session: WriteSession) -> tuple[JsonObject | None, bool]:
        stored = await _read_stored(session.client, workflow_id, given, needs_all=options.dry_run or merges)
        before = stored.document or {}
        origin = origin_of(given, path, {**before, "id": workflow_id})
        file = origin.file
        reviewed = _review(workflow_id, path, file, stored)
        is_older = bool(before) and reviewed.plan.body.get("lastModified") != before.get("lastModified")
        if is_older and stored.is_whole:
            file = _merged(workflow_id, path, origin, before, merges=merges, as_json=options.as_json)
            reviewed = _review(workflow_id, path, file, stored)
        answer, is_sent = await _send_reviewed(session, reviewed, options, despite_errors=despite_errors)
        if answer is None or not is_sent:
            return answer, is_sent
        is_merged = file is not origin.file
        base = {**((is_merged and origin.base) or before), "id": workflow_id}
        version = None if is_merged else json_access.number(answer.get("lastModified"))
        keep_origin(keep_sent, path, given, base, version=version)
        return answer, True

    _print_answer(f"Updated {workflow_id}", *run_writes(work, options), as_json=options.as_json)


def restore(workflow_id: str, number: int, options: WriteOptions, *, despite_errors: bool) -> None:
    version = read_version(workflow_id, number)

    async def work(session: WriteSession) -> tuple[JsonObject | None, bool]:
        stored = await read_listed(session.client, workflow_id)
        before = require_document(stored, workflow_id)
        reviewed = _review(workflow_id, f"version {number}", restore_file(version, before), stored)
        plan = restored(reviewed.plan, version)
        reviewed = reviewed._replace(plan=plan, advice="to see what changed, run this again")
        return await _send_reviewed(session, reviewed, options, despite_errors=despite_errors)

    answer, is_sent = run_writes(work, options)
    _print_answer(f"Restored version {number} of {workflow_id}", answer, is_sent, as_json=options.as_json)


class _Reviewed(NamedTuple):
    """An update that is printed and checked before it is sent.

    Attributes:
        name: of the file or version that it was made from.
        stored: the workflow as the platform has it now.
        advice: what to do in a conflict, if that isn't what goes for files.
    """

    workflow_id: str
    name: str
    plan: Update
    stored: ListedWorkflow
    advice: str = ""


def _review(workflow_id: str, path: str, file: JsonObject, stored: ListedWorkflow) -> _Reviewed:
    before = stored.document or {}
    body = body_for(file, path, before)
    plan = plan_update(file, {**before, "id": workflow_id}, lambda _: stored.known, body)
    return _Reviewed(workflow_id, name_of(path), plan, stored)


async def _send_reviewed(
    session: WriteSession, update: _Reviewed, options: WriteOptions, *, despite_errors: bool
) -> tuple[JsonObject | None, bool]:
    """Print and check an update, and send it once; returns what is stored then, and whether it was sent."""
    _, name, plan, stored, _ = update
    before, as_json, dry_run = stored.document or {}, options.as_json, options.dry_run
    if not as_json:
        if plan.stored_parts:
            print_line(stored_parts_words(plan.stored_parts, plan.source).text)
        print_if_older(plan.body, before)
        if plan.switches is not None:
            print_line(file_switches(plan.switches))
        if plan.switches is False:
            _print_dependents(before, options)
    if stored.is_whole and before and (dry_run or not as_json):
        print_differences(plan.differences, as_json=as_json)
    elif not stored.is_whole:
        print_error("couldn't load the full list, so the changes can't be shown")
    _require_no_errors(name, plan, stored.known, options, is_ok=despite_errors)
    if not as_json:
        _print_warnings(plan.findings)
    if dry_run:
        return None, False
    is_current = plan.body.get("lastModified") == before.get("lastModified")  # else the platform decides about it
    if stored.is_whole and before and is_current and not plan.differences:
        return before, False  # a new lastModified alone would have a colleague's file refused
    return await _send_update(session, update, as_json=as_json), True


def _print_answer(done: str, answer: JsonObject | None, is_sent: bool, *, as_json: bool) -> None:
    if as_json:
        if answer is not None:
            print_json(answer)
    elif answer is None or not is_sent:
        print_line("Nothing was sent.")
    else:
        print_line(f"{done}{_version_words(answer)}")


def _merged(
    workflow_id: str, path: str, origin: FileOrigin, stored: JsonObject, *, merges: bool, as_json: bool
) -> JsonObject:
    """Print both sides of a file made from another version; return what to send, merged if that is wanted."""
    sides = three_ways(origin, stored)
    if sides is not None and not as_json:
        print_three_ways(sides)
    if not merges:
        return origin.file
    if sides is None:
        raise CommandFailed(
            REFUSED,
            f"{name_of(path)} can't be merged: the version it was made from (lastModified"
            f" {origin.file.get('lastModified')}) wasn't exported with this profile; export {workflow_id} again"
            " and make your change in that file; nothing was sent",
        )
    if sides.file is None:
        raise CommandFailed(
            REFUSED,
            f"{conflict_count(sides.conflicts)}, so {name_of(path)} can't be merged; export {workflow_id} again"
            " and make your change in that file; nothing was sent",
        )
    if not as_json:
        print_line("Merged; compared with the current version:")
    return sides.file


async def _read_stored(
    client: PlatformClient, workflow_id: str, file: JsonObject, *, needs_all: bool
) -> ListedWorkflow:
    """Read what is stored, as whole as is needed; an unlisted workflow needs a lastModified in the file."""
    needs_whole = needs_all or (has_graph(file) and any(file.get(name) is None for name in GRAPH))
    stored = await read_listed(client, workflow_id, may_be_minimal=not needs_whole)
    if needs_whole or file.get("lastModified") is None:
        require_document(stored, workflow_id)
    return stored


async def _send_update(session: WriteSession, update: _Reviewed, *, as_json: bool) -> JsonObject:
    """Send an update, unless it was made from another version than the current one."""
    workflow_id, body, before = update.workflow_id, update.plan.body, update.stored.document or {}
    if not session.is_direct:
        if not (before and update.stored.is_whole):
            raise CommandFailed(REFUSED, f"{workflow_id} can't be compared with the platform's; {SEND_ANYWAY}")
        if body.get("lastModified") != before.get("lastModified"):
            now = f" (lastModified is now {before.get('lastModified')})"
            raise CommandFailed(REFUSED, _conflict_words(workflow_id, now, update.advice))
    try:
        sent = await session.send_one(
            workflow_id,
            lambda store: submit(store, changes.update, workflow_id, body, before),
            lambda client: client.update_workflow(WorkflowId(workflow_id), body),
            arrived=f"{workflow_id} is stored as sent",
        )
    except (Conflict, NotConfirmed) as error:
        raise _conflict(session, workflow_id, body, error, update.advice, as_json=as_json) from None
    return _answer(session, sent)


def _conflict(
    session: WriteSession, workflow_id: str, body: JsonObject, error: Exception, advice: str, *, as_json: bool
) -> Exception:
    """Return the failure of an update; print what yours would change of theirs, if someone else was faster."""
    if isinstance(error, Conflict):
        reason = ": ".join(part for part in (error.error, error.message) if part)
        return CommandFailed(REFUSED, _conflict_words(workflow_id, f" (409: {reason})", advice))
    if not isinstance(error, NotConfirmed) or not error.change.reason.startswith(MEANWHILE):
        return error
    theirs = parse_document(pending_payloads.payload(session.store.reading, error.change.change_id).theirs)
    if theirs is not None and not as_json:
        print_line("Changes from their version (the current one) to yours:")
        print_differences(changes_of(theirs, body), as_json=False)
    return CommandFailed(
        REFUSED, _conflict_words(workflow_id, error.change.reason.removeprefix(MEANWHILE), advice)
    )


def _conflict_words(workflow_id: str, found: str, advice: str) -> str:
    advice = advice or (
        "add --merge to keep theirs and yours if they don't touch; otherwise"
        f" export the current version (`frontdesk workflows export {workflow_id}`), apply your change to it, and"
        " update again; a file without lastModified overwrites theirs"
    )
    return f"someone else has changed {workflow_id} since then{found}; {advice}"


def switch(workflow_id: str, options: WriteOptions, *, active: bool) -> None:
    """Switch a workflow on or off; the delivery sees to it that it keeps its graph."""
    how = "active" if active else "inactive"

    async def work(session: WriteSession) -> tuple[JsonObject, JsonObject | None, bool]:
        before = await read_current(session, workflow_id)
        if before.get("isActive") is active:
            return before, None, True
        if not options.as_json:
            (_print_findings_of_active if active else _print_dependents)(before, options)
        body = activation_body(before, active)
        try:
            sent = await session.send_one(
                workflow_id,
                lambda store: submit(store, changes.switch, workflow_id, active=active, base=before),
                lambda client: client.update_workflow(WorkflowId(workflow_id), body),
                arrived=f"{workflow_id} is {how}",
            )
        except (Conflict, NotConfirmed) as error:
            if isinstance(error, NotConfirmed) and error.change.reason == DROPPED_GRAPH:
                words = f"the platform dropped parts of {workflow_id} when it saved this update"
                again = f"to restore it, run `frontdesk outbox retry {error.change.change_id}`"
                raise CommandFailed(REFUSED, f"{words}; {again}") from None
            advice = "check the current version (`frontdesk workflows list --full --json`), then try again"
            raise _conflict(session, workflow_id, body, error, advice, as_json=True) from None
        answer = _answer(session, sent)
        is_so = answer.get("isActive", active) is active
        return before, answer, is_so and (sent.change is None or sent.change.reason != STORED_OTHERWISE)

    before, answer, is_so = run_writes(work, options)
    if options.as_json:
        print_json(before if answer is None else answer)
        return
    shown = with_id(show_line(before.get("name") or "", 60).text, workflow_id)
    if answer is None:
        print_line(f"{shown} is already {how}; nothing was sent.")
        return
    if not is_so:
        raise CommandFailed(
            REFUSED,
            f"the platform responded, but {workflow_id} is not {how}; check with `frontdesk workflows list`",
        )
    print_line(f"{shown} is {how}{_version_words(answer)}:")
    print_changes([("isActive", before.get("isActive"), active)])


def _print_findings_of_active(document: JsonObject, options: WriteOptions) -> None:
    """Print how many errors a workflow has that is about to be on, and what starts by the same trigger."""
    with _kept(options) as db:
        known = None if db is None else load_references(document, db)
        findings = check({**document, "isActive": True}, known=known) if has_graph(document) else ()
    if errors := errors_in(findings):
        print_line(f"The check found {errors_words(errors)}")
    for each in findings:
        if each.rule_id == SAME_TRIGGER:
            print_line(f"{UNICODE.warning} {each.words.text}. {each.what_to_do}")


def _print_dependents(document: JsonObject, options: WriteOptions) -> None:
    with _kept(options) as db:
        found = find_dependents(document, db)
    for words, is_harmed in dependent_words(found, when):
        print_line(f"{UNICODE.warning} {words.text}" if is_harmed else words.text)


@contextmanager
def _kept(options: WriteOptions) -> Iterator[apsw.Connection | None]:
    """Open what is kept on this machine; None where it isn't to be used, or can't be."""
    with ExitStack() as opened:
        store = None
        if not options.is_direct:
            with suppress(*UNKEPT):
                store = opened.enter_context(open_store())
        yield None if store is None else store.reading


def _require_no_errors(
    name: str, plan: Creation | Update, known: References | None, options: WriteOptions, *, is_ok: bool
) -> None:
    """Print the findings and raise CommandFailed if there are errors, unless that is said to be fine."""
    errors = errors_in(plan.findings)
    if not errors or is_ok:
        return
    print_findings([(plan.would_be, plan.findings)], as_json=options.as_json, known=known)
    has_nodes = json_access.mapping(plan.would_be.get("data")).get("nodes") is not None
    layout = " (this sets autoLayout to true)" if has_nodes else ""
    raise CommandFailed(
        INPUT_WRONG,
        f"{counted(errors, 'error')} in {name}; nothing was sent: fix"
        f" {'it' if errors == 1 else 'them'}, or send it anyway with --despite-errors{layout}",
    )


def _print_warnings(findings: Sequence[Finding]) -> None:
    if summary := findings_summary(findings):
        print_line(f"The check found {summary}. `frontdesk workflows check FILE` lists what it found.")


def _version_words(answer: Mapping[str, Any]) -> str:
    stored = json_access.number(answer.get("lastModified"))
    return f", lastModified {stored:.0f} ({when(stored)})" if stored is not None else ""
