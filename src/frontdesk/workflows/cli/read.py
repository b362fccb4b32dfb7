"""Stored workflows for commands: differences from a file or a conflicting update, and export."""

import os
from pathlib import Path

from frontdesk.api.contract.base import JsonObject
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, say
from frontdesk.cli.json_files import name_of, read_json_file
from frontdesk.cli.output import print_json, print_line, safe_json
from frontdesk.cli.session import talk
from frontdesk.config.paths import replace_file, write_new_file
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import Change
from frontdesk.text.redaction import redact_json
from frontdesk.workflows.checks.run import has_graph
from frontdesk.workflows.diff.diff import Differences, differences
from frontdesk.workflows.read_back import ListedWorkflow, read_listed
from frontdesk.workflows.request_body import (
    Unsendable,
    changes_of,
    exported,
    taken_from_stored,
    text_of,
    update_body,
)
from frontdesk.workflows.store import pending_payloads
from frontdesk.workflows.store.pending_payloads import parsed
from frontdesk.workflows.view.diff import difference_sentence, difference_summary


def require_document(listed: ListedWorkflow, workflow_id: str) -> JsonObject:
    """The document, or CommandFailed if it isn't listed."""
    if listed.document is None:
        more = ", of which more exist than it shows" if listed.has_more else ""
        raise CommandFailed(
            REFUSED, f"no workflow {workflow_id} in the list{more}; check the id, nothing was sent"
        )
    return listed.document


def read_document(workflow_id: str) -> JsonObject:
    """Read one workflow from the platform."""
    return require_document(talk(lambda client: read_listed(client, workflow_id)), workflow_id)


def body_for(file: JsonObject, path: str, stored: JsonObject | None) -> JsonObject:
    """Make the body that updates what is stored, or raise CommandFailed."""
    try:
        return update_body(file, stored)
    except Unsendable as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}: {error}; nothing was sent") from None


def print_taken_parts(file: JsonObject, stored: JsonObject) -> None:
    """Name the parts of the graph that a file lacks and that are sent as they are stored."""
    if taken := taken_from_stored(file, stored):
        print_line(f"The graph is sent whole, with what is stored of it: {', '.join(taken)}.")


def print_if_older(body: JsonObject, stored: JsonObject) -> None:
    """Print that a body was made from another version than is stored."""
    echoed, now = body.get("lastModified"), stored.get("lastModified")
    if now is not None and echoed != now:
        print_line(f"It was changed since the file was made: lastModified is {now} by now, {echoed} in the file.")


def print_differences(found: Differences, *, as_json: bool) -> None:
    """Print each difference on a line, for people below their counts."""
    if as_json:
        for each in found.changes:
            print_json(
                {
                    "deed": each.kind,
                    "part": each.part,
                    "node": each.node_id or None,
                    "title": each.title or None,
                    "field": each.field or None,
                    "before": each.before,
                    "after": each.after,
                }
            )
        return
    summary = difference_summary(found).text
    print_line(summary[0].upper() + summary[1:] + ".")
    for each in found.changes:
        print_line(f"  {difference_sentence(each).text}")


def diff(workflow_id: str, path: str, *, as_json: bool) -> None:
    """Print what an update with a file would change."""
    file = read_json_file(path)
    stored = read_document(workflow_id)
    body = body_for(file, path, stored)
    if not as_json:
        print_taken_parts(file, stored)
        print_if_older(body, stored)
    print_differences(changes_of(stored, body), as_json=as_json)


def export(workflow_id: str, path: str | None, *, replaces: bool) -> None:
    """Write a stored workflow into a file, or print it, as `workflows update` takes it."""
    path = None if path == "-" else path
    if path is not None and not replaces and os.path.lexists(path):
        raise CommandFailed(INPUT_WRONG, f"{path} is there already; --force replaces it, nothing was read")
    stored = read_document(workflow_id)
    text = text_of(redact_json(exported(stored)))
    if not has_graph(stored):
        say(f"{workflow_id} has no graph: the platform stores none")
    if path is None:
        print(safe_json(text), end="")
        return
    try:
        if replaces:
            replace_file(Path(path), text)
        else:
            write_new_file(Path(path), text)
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"{path} can't be written: {error.strerror}") from None
    print_line(f"Exported {workflow_id} to {path}, lastModified {stored.get('lastModified')}")


def numbered(count: int, what: str) -> str:
    """A count with its word: `1 error`, `2 errors`."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def print_conflict(store: ProfileStore, change: Change) -> None:
    """Print the changes that others have made since, and those that sending yours would make."""
    texts = pending_payloads.texts(store.reading, change.change_id)
    theirs = None if texts is None else parsed(texts.theirs)
    if texts is None or theirs is None:
        return
    base = parsed(texts.base)
    if base is not None:
        print_line("What somebody else has changed since yours was made:")
        print_differences(differences(base, theirs), as_json=False)
    print_line("What sending yours over that would change:")
    print_differences(changes_of(theirs, parsed(texts.body) or {}), as_json=False)
