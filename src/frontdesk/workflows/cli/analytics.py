"""`frontdesk workflows reset-analytics` and `snapshots`. Snapshots lie in the profile's store."""

from frontdesk.cli.errors import INPUT_WRONG, UNREACHABLE, CommandFailed, print_error, status_of
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import line_width, print_json, print_line, print_lines, print_table, when
from frontdesk.cli.write_session import WriteSession, run_writes
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change
from frontdesk.workflows import changes, versions
from frontdesk.workflows.cli.read import answer_of, from_store, read_current, read_document
from frontdesk.workflows.counter_samples import TOTALS
from frontdesk.workflows.delivery import NOT_READ, NOT_ZERO
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.reviews import snapshot_cause
from frontdesk.workflows.share_comparison import Share, compare
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk_api import json_access
from frontdesk_api.client.errors import ApiError
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_lines.glyphs import UNICODE

_WITHOUT = "nothing was reset; to reset without a snapshot, add --without-snapshot"


def reset(workflow_id: str, options: WriteOptions, *, keeps_snapshot: bool) -> None:

    async def work(session: WriteSession) -> tuple[JsonObject, JsonObject | None, Change | None]:
        before = await _read_counters(session, workflow_id) if keeps_snapshot and not session.is_direct else None
        sent = await session.send_one(
            workflow_id,
            lambda store: changes.submit(store, changes.reset, workflow_id, keeps_snapshot=keeps_snapshot),
            lambda client: client.reset_workflow_analytics(WorkflowId(workflow_id)),
            arrived=f"the counters of {workflow_id} were reset",
        )
        if sent.change is None:
            return sent.answer.raw, before, None
        if sent.change.reason in (NOT_ZERO, NOT_READ):
            print_error(sent.change.reason)
        return answer_of(session.store, sent.change), before, sent.change

    answer, before, change = run_writes(work, options)
    if options.as_json:
        print_json(answer)
        return
    if change is not None and not change.sends:
        print_line(f"Nothing was sent: {change.reason}.")
        return
    stored = json_access.number(answer.get("lastModified"))
    now = f"; lastModified is now {stored:.0f}" if stored is not None else ""
    print_line(f"Reset the analytics of {workflow_id}{now}")
    if before is not None and isinstance(before.get("analytics"), dict):
        print_line(f"Saved a snapshot first; to see it, run `frontdesk workflows snapshots {workflow_id}`")


async def _read_counters(session: WriteSession, workflow_id: str) -> JsonObject:
    """Read the workflow with the counters that a snapshot will have, and store it."""
    try:
        return await read_current(session, workflow_id)
    except ApiError as error:
        raise CommandFailed(
            status_of(error) or UNREACHABLE,
            f"couldn't load the counters for a snapshot: {error}; {_WITHOUT}",
        ) from None


def print_snapshots(workflow_id: str, *, as_json: bool) -> None:
    """Print the snapshots of a workflow's analytics, newest first; as JSON with the whole documents."""
    found = _snapshots(workflow_id)
    if as_json:
        for each, document in found:
            print_json(
                {
                    "snapshot": each.number,
                    "workflow": workflow_id,
                    "at": each.at,
                    "cause": each.label,
                    "document": document,
                }
            )
    elif found:
        rows = []
        for each, document in found:
            analytics = json_access.mapping(json_access.mapping(document).get("analytics"))
            counts = (analytics.get(name) for name in TOTALS)
            rows.append((each.number, when(each.at), *counts, snapshot_cause(each.label)))
        print_table(("SNAPSHOT", "SAVED", "STARTED", "COMPLETED", "DROPPED", "CAUSE"), rows)
    else:
        print_line(f"No snapshots of {workflow_id} on this machine.")


def _snapshots(workflow_id: str) -> list[tuple[VersionRecord, JsonObject | None]]:
    def read(store: ProfileStore) -> list[tuple[VersionRecord, JsonObject | None]]:
        kept, kind = store.reading, versions.SNAPSHOT
        found = versions.list_versions(kept, workflow_id, kind)
        return [(each, versions.find(kept, workflow_id, kind, number=each.number)) for each in found]

    return from_store(read)


def print_comparison(workflow_id: str, *, as_json: bool) -> None:
    """Print the last snapshot beside the present counters; as JSON a line for each share that differs."""
    last, before = next(iter(_snapshots(workflow_id)), (None, None))
    if last is None or before is None:
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
    print_line(f"Snapshot from {when(last.at)}, compared with the platform's counters now:")
    print_lines(comparison_lines(found, line_width(), UNICODE))


def _share_json(part: Share | None) -> JsonObject | None:
    return None if part is None else {"count": part.number, "of": part.of, "share": part.share}
