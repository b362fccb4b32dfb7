"""A stored workflow, read whole for a command; what a file would change of it, and its export.

The interface has no way to get one workflow: the whole list is read, which is one page (docs/interface.md).
"""

import os
from dataclasses import dataclass
from pathlib import Path

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import BadReply
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.decode import Page
from frontdesk.api.contract.workflows import Workflow
from frontdesk.app.services import Services
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, say
from frontdesk.cli.json_files import name_of, read_json_file
from frontdesk.cli.output import print_json, print_line, safe_json
from frontdesk.cli.session import talk
from frontdesk.config.paths import replace_file, write_new_file
from frontdesk.storage.records import Change
from frontdesk.text.redaction import redact_json
from frontdesk.workflows.checks.finding import References
from frontdesk.workflows.checks.run import has_graph
from frontdesk.workflows.diff.diff import Differences, differences
from frontdesk.workflows.request_body import (
    Unsendable,
    changes_of,
    exported,
    taken_from_stored,
    text_of,
    update_body,
)
from frontdesk.workflows.store.pending_payloads import parsed
from frontdesk.workflows.view.diff import difference_sentence, difference_summary


@dataclass(frozen=True, slots=True)
class Stored:
    """What the platform has under an id.

    Attributes:
        document: None where it isn't listed.
        is_whole: False where the list could be read in its minimal form alone.
        known: which workflows there are, where all of them are listed.
        more_exist: the list isn't all of them.
    """

    document: JsonObject | None
    is_whole: bool
    known: References
    more_exist: bool

    def found(self, workflow_id: str) -> JsonObject:
        """The document.

        Raises:
            CommandFailed: it isn't listed.
        """
        if self.document is None:
            more = ", of which more exist than it shows" if self.more_exist else ""
            raise CommandFailed(
                REFUSED, f"no workflow {workflow_id} in the list{more}; check the id, nothing was sent"
            )
        return self.document


async def read_stored(client: PlatformClient, workflow_id: str, *, may_be_minimal: bool = False) -> Stored:
    """What the platform has, whole; minimal where that is enough and the whole list is too large to be read."""
    try:
        return _among(await client.list_workflows(minimal=False), workflow_id, is_whole=True)
    except BadReply:
        if not may_be_minimal:
            raise
        return await read_minimal(client, workflow_id)


async def read_minimal(client: PlatformClient, workflow_id: str) -> Stored:
    """What the platform lists in its minimal form."""
    return _among(await client.list_workflows(minimal=True), workflow_id, is_whole=False)


def _among(page: Page[Workflow], workflow_id: str, *, is_whole: bool) -> Stored:
    # What is in another shape than it should be is somebody's workflow all the same.
    raws = [item.raw for item in page.items] + [each.raw for each in page.broken if isinstance(each.raw, dict)]
    document = next((raw for raw in raws if raw.get("id") == workflow_id), None)
    is_all = not page.has_more and not page.broken
    ids = frozenset(str(item.value.id) for item in page.items) if is_all else None
    return Stored(document, is_whole, References(workflow_ids=ids), page.has_more)


def body_for(file: JsonObject, path: str, stored: JsonObject | None) -> JsonObject:
    """The body that updates what is stored.

    Raises:
        CommandFailed: the file can't be sent.
    """
    try:
        return update_body(file, stored)
    except Unsendable as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}: {error}; nothing was sent") from None


def say_what_is_taken(file: JsonObject, stored: JsonObject) -> None:
    """Of a file with a part of a graph: which parts go with it as they are stored."""
    if taken := taken_from_stored(file, stored):
        print_line(f"The graph is sent whole, with what is stored of it: {', '.join(taken)}.")


def say_if_older(body: JsonObject, stored: JsonObject) -> None:
    """Of a body that was made from another version than is stored: that it would be refused."""
    echoed, now = body.get("lastModified"), stored.get("lastModified")
    if now is not None and echoed != now:
        print_line(f"It was changed since the file was made: lastModified is {now} by now, {echoed} in the file.")


def print_differences(found: Differences, *, as_json: bool) -> None:
    """Each on a line, for people under their counts; what strangers wrote is made harmless."""
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
    """Prints what an update with the file would change of what is stored."""
    file = read_json_file(path)
    stored = talk(lambda client: read_stored(client, workflow_id)).found(workflow_id)
    body = body_for(file, path, stored)
    if not as_json:
        say_what_is_taken(file, stored)
        say_if_older(body, stored)
    print_differences(changes_of(stored, body), as_json=as_json)


def export(workflow_id: str, path: str | None, *, replaces: bool) -> None:
    """Writes a stored workflow into a file, or prints it; `workflows update` takes it back.

    Raises:
        CommandFailed: the file is there, or can't be written.
    """
    path = None if path == "-" else path
    if path is not None and not replaces and os.path.lexists(path):
        raise CommandFailed(INPUT_WRONG, f"{path} is there already; --force replaces it, nothing was read")
    stored = talk(lambda client: read_stored(client, workflow_id)).found(workflow_id)
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


def print_conflict(services: Services, change: Change) -> None:
    """Print the changes that they have made since, and those that sending yours would make."""
    texts = services.queries.workflow_change(change.change_id)
    theirs = None if texts is None else parsed(texts.theirs)
    if texts is None or theirs is None:
        return
    base = parsed(texts.base)
    if base is not None:
        print_line("What somebody else has changed since yours was made:")
        print_differences(differences(base, theirs), as_json=False)
    print_line("What sending yours over that would change:")
    print_differences(changes_of(theirs, parsed(texts.body) or {}), as_json=False)
