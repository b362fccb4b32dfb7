"""`frontdesk workflows check`, `diff`, `export` and `versions`, and the reading of workflows for other ones."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.json_files import Unreadable, name_of, read_json_file, read_values
from frontdesk.cli.output import print_json, print_line, print_table, safe_json, when
from frontdesk.cli.store_session import open_store
from frontdesk.config.paths import replace_file, write_new_file
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import (
    ListedWorkflow,
    Unsendable,
    changes_of,
    export_document,
    format_document,
    read_listed,
    stored_graph_parts,
    update_body,
)
from frontdesk.workflows.reviews import THEIR_CHANGES, YOUR_CHANGES, stored_parts_words
from frontdesk.workflows.update_plan import ThreeWay, compare_three_ways, prepare_conflict
from frontdesk.workflows.versions import FileOrigin, compare_each, find_origin, keep_base, version_document
from frontdesk.workflows.view.diff import (
    BOTH,
    OLDEST,
    THEIRS,
    YOURS,
    conflict_sentences,
    coverage_words,
    difference_sentence,
    difference_summary,
)
from frontdesk.workflows.view.row import NOTHING_FOUND, findings_summary
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.redaction import redact_json
from frontdesk_flows.checks.models import Finding, References, Severity
from frontdesk_flows.checks.run import MORE, check, count_findings, find_skipped_rules, has_graph, references_among
from frontdesk_flows.diff import Differences, differences
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    from frontdesk.cli.write_session import WriteSession

T = TypeVar("T")


def read_version(workflow_id: str, number: int) -> JsonObject:
    return from_store(lambda store: version_document(store.reading, workflow_id, number))


def from_store(read: Callable[[ProfileStore], T]) -> T:
    """Read from the profile's store, or raise CommandFailed."""
    try:
        with open_store() as store:
            return read(store)
    except (StoreUnusable, NotPossible) as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None


def diff_versions(workflow_id: str, before: int, after: int | None, *, as_json: bool) -> None:
    first = read_version(workflow_id, before)
    later = read_document(workflow_id) if after is None else read_version(workflow_id, after)
    print_differences(differences(first, later), as_json=as_json)


def print_versions(workflow_id: str, *, as_json: bool) -> None:
    found = from_store(
        lambda store: compare_each(
            store.reading, workflow_id, lambda *both: difference_summary(differences(*both)).text
        )
    )
    if as_json:
        for each, summary in found:
            print_json(
                {
                    "workflow": workflow_id,
                    "version": each.number,
                    "lastModified": each.last_modified,
                    "loadedAt": each.at,
                    "bytes": each.size,
                    "changes": summary or None,
                }
            )
        return
    records = [each for each, _ in found]
    if found:
        rows = [
            (each.number, when(each.last_modified), when(each.at), summary or OLDEST) for each, summary in found
        ]
        print_table(("VERSION", "LAST MODIFIED", "FIRST LOADED", "CHANGES TO THE ONE BEFORE"), rows)
    print_line(coverage_words(records, when))


NAMELESS = "Workflow without an id or name"


def require_document(listed: ListedWorkflow, workflow_id: str, *, would_send: bool = True) -> JsonObject:
    """Return the document, or CommandFailed if it isn't listed."""
    if listed.document is None:
        more = " (the platform has more than it lists)" if listed.has_more else ""
        ending = "; nothing was sent" if would_send else ""
        raise CommandFailed(REFUSED, f"no workflow {workflow_id} in the list{more}; check the id{ending}")
    return listed.document


def read_document(workflow_id: str) -> JsonObject:
    from frontdesk.cli.session import run_with_client

    listed = run_with_client(lambda client: read_listed(client, workflow_id))
    return require_document(listed, workflow_id, would_send=False)


async def read_current(session: "WriteSession", workflow_id: str) -> JsonObject:
    """Read a workflow that is about to be changed, and store it unless the command writes without a store."""

    async def fetch(_: Sequence[str]) -> Mapping[str, JsonObject]:
        return {workflow_id: require_document(await read_listed(session.client, workflow_id), workflow_id)}

    def put(db: apsw.Connection, found: Sequence[JsonObject], asked_at: float) -> None:
        for each in found:
            workflow_store.put_whole(db, each, asked_at)

    found = await (fetch(()) if session.is_direct else session.read([workflow_id], fetch, put))
    return found[workflow_id]


def answer_of(store: ProfileStore, change: Change) -> JsonObject:
    """Return what the platform has answered to a confirmed change, or else what it stores now."""
    return dict(change.theirs or parse_document(workflow_store.text(store.reading, change.target)) or {})


def body_for(file: JsonObject, path: str, stored: JsonObject | None) -> JsonObject:
    """Make the body that updates what is stored, or raise CommandFailed."""
    try:
        return update_body(file, stored)
    except Unsendable as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}: {error}; nothing was sent") from None


def print_stored_parts(file: JsonObject, stored: JsonObject) -> None:
    if taken := stored_graph_parts(file, stored):
        print_line(stored_parts_words(taken).text)


def print_if_older(body: JsonObject, stored: JsonObject) -> None:
    echoed, now = body.get("lastModified"), stored.get("lastModified")
    if now is not None and echoed != now:
        print_line(
            f"It has changed since the file was created: lastModified is now {now}, but the file has {echoed}."
        )


def print_differences(found: Differences, *, as_json: bool) -> None:
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


UNKEPT = (StoreUnusable, apsw.Error, UnicodeEncodeError)
"""Without a store that can be used, nothing is known or kept of what a file was made from."""


def origin_of(file: JsonObject, path: str, stored: JsonObject) -> FileOrigin:
    """Find what a file was made from; an own update of it is no other version."""
    origin = FileOrigin(file)
    with suppress(*UNKEPT), open_store() as store:
        origin = find_origin(store.reading, path, file, stored)
    return origin


def keep_origin(keep: Callable[..., None], *about: object, **more: object) -> None:
    """Keep what a file was made from; what can't be kept stops no export and no update."""
    with suppress(*UNKEPT), open_store() as store:
        store.write(lambda db: keep(db, *about, now=store.clock(), **more)).result()


def three_ways(origin: FileOrigin, stored: JsonObject) -> ThreeWay | None:
    """Compare a file that was made from another version with what is stored; None if that version isn't kept."""
    return None if origin.base is None else compare_three_ways(origin.base, origin.file, stored)


def print_three_ways(found: ThreeWay) -> None:
    for title, side in ((THEIRS, found.theirs), (YOURS, found.mine)):
        print_line(f"{title}:")
        print_differences(side, as_json=False)
    if found.conflicts:
        print_line(f"{BOTH}:")
    for each in found.conflicts:
        place, before, mine, theirs = conflict_sentences(each)
        print_line(f"  {place.text}: before {before.text}, yours {mine.text}, theirs {theirs.text}")


def diff(workflow_id: str, path: str, *, as_json: bool) -> None:
    file = read_json_file(path)
    stored = read_document(workflow_id)
    origin = origin_of(file, path, stored)
    body = body_for(origin.file, path, stored)
    if not as_json:
        print_stored_parts(file, stored)
        print_if_older(body, stored)
        is_older = body.get("lastModified") != stored.get("lastModified")
        if is_older and (sides := three_ways(origin, stored)) is not None:
            print_three_ways(sides)
            print_line("From the current version to the file:")
    print_differences(changes_of(stored, body), as_json=as_json)


def export(workflow_id: str, path: str | None, *, replaces: bool, version: int | None = None) -> None:
    """Write a stored workflow or a kept version into a file, or print it, as `workflows update` takes it."""
    path = None if path == "-" else path
    if path is not None and not replaces and os.path.lexists(path):
        raise CommandFailed(INPUT_WRONG, f"{path} already exists; use --force to overwrite it")
    stored = read_document(workflow_id) if version is None else read_version(workflow_id, version)
    text = format_document(redact_json(export_document(stored)))
    keep_origin(keep_base, stored)
    if not has_graph(stored):
        where = "on the platform" if version is None else f"in version {version}"
        print_error(f"{workflow_id} has no graph {where}")
    if path is None:
        print(safe_json(text), end="")
        return
    try:
        if replaces:
            replace_file(Path(path), text)
        else:
            write_new_file(Path(path), text)
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"couldn't write {path}: {error.strerror}") from None
    print_line(f"Exported {workflow_id} to {path}, lastModified {stored.get('lastModified')}")


def print_conflict(store: ProfileStore, change: Change) -> None:
    """Print the changes that others have made since, and those that sending yours would make."""
    try:
        found = prepare_conflict(store.reading, change.change_id)
    except NotPossible:
        return
    if found.theirs_did is not None:
        print_line(f"{THEIR_CHANGES}:")
        print_differences(found.theirs_did, as_json=False)
    print_line(f"{YOUR_CHANGES}:")
    print_differences(found.mine_does, as_json=False)


_FIELDS = ("id", "name", "trigger", "parsedData", "data")


def workflows_of(path: str, to_do: str) -> Sequence[Mapping[str, Any]]:
    """Read all workflows of a file, at least one; `to_do` is the verb for messages, as "check"."""
    try:
        values = read_values(path)
    except Unreadable as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if len(values) == 1:
        (only,) = values
        if isinstance(only, dict) and isinstance(only.get("result"), list) and not _is_workflow(only):
            only = only["result"]
        values = only if isinstance(only, list) else [only]
    if not values:
        raise CommandFailed(INPUT_WRONG, f"the list in {name_of(path)} is empty; nothing to {to_do}")
    for at, each in enumerate(values, start=1):
        if not _is_workflow(each):
            which = name_of(path) if len(values) == 1 else f"entry {at:,} of {name_of(path)}"
            wanted = ", ".join(_FIELDS)
            raise CommandFailed(
                INPUT_WRONG, f"{which} isn't a workflow: expected a JSON object with at least one of {wanted}"
            )
    return values


def _is_workflow(value: object) -> bool:
    return isinstance(value, dict) and any(value.get(name) is not None for name in _FIELDS)


def workflow_title(raw: Mapping[str, Any]) -> str:
    names = [each for each in (raw.get("id"), raw.get("name")) if isinstance(each, str) and each]
    return " · ".join(names) or NAMELESS


_WORDS_LIMIT = 300

Checked = tuple[Mapping[str, Any], tuple[Finding, ...]]


def check_file(path: str, *, as_json: bool) -> None:
    """Print the findings in the workflows of a file; exit 1 if there are errors."""
    raws = workflows_of(path, "check")
    known = references_among(raws)
    checked = [(raw, check(raw, known=known)) for raw in raws]
    print_findings(checked, as_json=as_json, known=known)
    failing = [findings for _, findings in checked if any(each.severity is Severity.ERROR for each in findings)]
    if failing:
        count = sum(count_findings(findings)[Severity.ERROR] for findings in failing)
        where = name_of(path) if len(checked) == 1 else f"{len(failing):,} of {len(checked):,} workflows"
        raise CommandFailed(
            REFUSED,
            f"{counted(count, 'error')} in {where}: parts won't run or won't open in the editor",
        )


def print_findings(checked: Sequence[Checked], *, as_json: bool, known: References | None = None) -> None:
    if as_json:
        _print_findings_json(checked)
    else:
        _print_finding_tables(checked, known)


def _print_findings_json(checked: Iterable[Checked]) -> None:
    for raw, findings in checked:
        for each in findings:
            print_json(
                {
                    "workflow": raw.get("id"),
                    "id": each.rule_id,
                    "severity": each.severity,
                    "path": each.path,
                    "node": each.node_id or None,
                    "problem": each.words.text,
                    "do": each.what_to_do,
                }
            )


def _print_finding_tables(checked: Sequence[Checked], known: References | None) -> None:
    to_do: dict[str, str] = {}
    for raw, findings in checked:
        print_line(f"{workflow_title(raw)}: {_summary(findings)}")
        if findings:
            rows = [(each.severity, each.rule_id, each.path, each.words.text) for each in findings]
            print_table(("SEVERITY", "RULE", "PATH", "FINDING"), rows, limit=_WORDS_LIMIT)
            print_line("")
        to_do |= {each.rule_id: each.what_to_do for each in findings}
    if to_do:
        print_table(("RULE", "WHAT TO DO"), to_do.items(), limit=_WORDS_LIMIT)
        print_line("")
    left_out = ", ".join(rule.id for rule in find_skipped_rules(known))
    print_line(f"Not checked, because a file doesn't say what the account has: {left_out}.")


def _summary(findings: Sequence[Finding]) -> str:
    listed = sum(each.rule_id != MORE for each in findings)
    summary = findings_summary(findings) or NOTHING_FOUND
    return summary + (f"; {listed:,} of them shown" if listed < len(findings) else "")
