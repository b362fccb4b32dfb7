"""`frontdesk workflows reset-analytics` and `snapshots`. Snapshots lie in the profile's store."""

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import Ambiguous, ApiError, PlanRequired
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import WorkflowId
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, UNREACHABLE, CommandFailed, print_error, status_of
from frontdesk.cli.output import line_width, print_json, print_line, print_lines, print_table, when
from frontdesk.cli.session import run_with_client
from frontdesk.cli.store_session import open_store
from frontdesk.storage import json_access
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.text.glyphs import UNICODE
from frontdesk.workflows import pending_payloads
from frontdesk.workflows.cli.read import read_document, require_document
from frontdesk.workflows.commands import WorkflowCommands
from frontdesk.workflows.pending_payloads import BEFORE_RESET, parse_document
from frontdesk.workflows.read_back import read_listed, was_zeroed
from frontdesk.workflows.snapshots import Share, compare
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk.workflows.view.review import snapshot_cause

_WITHOUT = "nothing was reset; to reset without a snapshot, add --without-snapshot"


def reset(workflow_id: str, *, keeps_snapshot: bool, dry_run: bool, as_json: bool) -> None:
    """Zero the counters, once, after a snapshot of them."""

    async def work(client: PlatformClient) -> tuple[JsonObject, JsonObject | None]:
        before = await _keep_snapshot(client, workflow_id) if keeps_snapshot and not dry_run else None
        try:
            return (await client.reset_workflow_analytics(WorkflowId(workflow_id))).raw, before
        except PlanRequired as error:
            reason = error.message or "no reason given"
            raise CommandFailed(
                REFUSED,
                f"this account's plan doesn't include resetting analytics (403: {reason}); nothing was changed",
            ) from None
        except Ambiguous as error:
            return await _read_back(client, workflow_id, before, error), before

    answer, before = run_with_client(work, dry_run=dry_run, as_json=as_json)
    if as_json:
        print_json(answer)
        return
    stored = json_access.number(answer.get("lastModified"))
    now = f"; lastModified is now {stored:.0f}" if stored is not None else ""
    print_line(f"Reset the analytics of {workflow_id}{now}")
    if before is not None and _has_analytics(before):
        print_line(f"Saved a snapshot first; to see it, run `frontdesk workflows snapshots {workflow_id}`")


async def _keep_snapshot(client: PlatformClient, workflow_id: str) -> JsonObject:
    """Take a snapshot of the analytics, and return the workflow as it is."""
    try:
        stored = await read_listed(client, workflow_id)
    except ApiError as error:
        raise CommandFailed(
            status_of(error) or UNREACHABLE,
            f"couldn't load the counters for a snapshot: {error}; {_WITHOUT}",
        ) from None
    document = require_document(stored, workflow_id)
    # Without analytics there is nothing to keep: the plan has none, and the platform will say so.
    if _has_analytics(document):
        try:
            with open_store() as store:
                WorkflowCommands(store).keep_snapshot(workflow_id, document, BEFORE_RESET).result()
        except (StoreUnusable, OSError) as error:
            raise CommandFailed(INPUT_WRONG, f"couldn't save a snapshot: {error}; {_WITHOUT}") from None
    return document


async def _read_back(
    client: PlatformClient, workflow_id: str, before: JsonObject | None, error: Ambiguous
) -> JsonObject:
    advice = f"check with `frontdesk workflows show {workflow_id} --heat` before you try again"
    try:
        after = (await read_listed(client, workflow_id)).document
    except ApiError as second:
        raise CommandFailed(UNREACHABLE, f"{error}; couldn't load the list either ({second}); {advice}") from None
    if after is None or not was_zeroed(before, after):
        raise CommandFailed(UNREACHABLE, f"{error}; there's no sign that the counters were reset; {advice}")
    print_error(f"no clear response from the platform, but the counters of {workflow_id} were reset")
    return after


def print_snapshots(workflow_id: str, *, as_json: bool) -> None:
    """Print the snapshots of a workflow's analytics, newest first; as JSON with the whole documents."""

    def work(store: ProfileStore) -> None:
        found = pending_payloads.snapshots(store.reading, workflow_id)
        rows = []
        for each in found:
            document = parse_document(pending_payloads.snapshot_text(store.reading, each.snapshot_id))
            if as_json:
                print_json(
                    {
                        "snapshot": each.snapshot_id,
                        "workflow": each.workflow_id,
                        "at": each.at,
                        "cause": each.cause,
                        "document": document,
                    }
                )
            analytics = json_access.mapping(json_access.mapping(document).get("analytics"))
            cause = snapshot_cause(each.cause)
            rows.append((each.snapshot_id, when(each.at), *(analytics.get(name) for name in _TOTALS), cause))
        if as_json:
            return
        if rows:
            print_table(("SNAPSHOT", "SAVED", "STARTED", "COMPLETED", "DROPPED", "CAUSE"), rows)
        else:
            print_line(f"No snapshots of {workflow_id} on this machine.")

    try:
        with open_store() as store:
            work(store)
    except StoreUnusable as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None


def print_comparison(workflow_id: str, *, as_json: bool) -> None:
    """Print the last snapshot beside the present counters; as JSON a line for each share that differs."""

    def last(store: ProfileStore) -> tuple[JsonObject | None, float]:
        for each in pending_payloads.snapshots(store.reading, workflow_id):
            return parse_document(pending_payloads.snapshot_text(store.reading, each.snapshot_id)), each.at
        return None, 0.0

    try:
        with open_store() as store:
            before, at = last(store)
    except StoreUnusable as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if before is None:
        raise CommandFailed(INPUT_WRONG, f"no snapshot of {workflow_id} on this machine; nothing to compare")
    found = compare(before, read_document(workflow_id))
    if as_json:
        for each in (*found.totals, *found.changes):
            print_json(
                {
                    "measure": each.measure,
                    "node": None if each.node is None else each.node.id,
                    "exit": None if each.exit is None else each.exit.id,
                    "before": _share_json(each.before),
                    "after": _share_json(each.after),
                    "points": None if each.points is None else each.points * 100,
                }
            )
        return
    print_line(f"Snapshot from {when(at)}, compared with the platform's counters now:")
    print_lines(comparison_lines(found, line_width(), UNICODE))


def _share_json(part: Share | None) -> JsonObject | None:
    return None if part is None else {"count": part.number, "of": part.of, "share": part.share}


_TOTALS = ("totalStarted", "totalCompleted", "totalDropped")


def _has_analytics(document: JsonObject) -> bool:
    return isinstance(document.get("analytics"), dict)
