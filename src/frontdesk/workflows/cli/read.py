"""`frontdesk workflows show`, `check`, `diff` and `export`, and the reading of workflows for other commands."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontdesk.api.contract.base import JsonObject
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.json_files import Unreadable, name_of, read_json_file, read_values
from frontdesk.cli.output import line_width, print_json, print_line, print_lines, print_table, safe_json
from frontdesk.config import settings
from frontdesk.config.paths import replace_file, write_new_file
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change
from frontdesk.text.display_text import counted
from frontdesk.text.glyphs import UNICODE
from frontdesk.text.lines import Line, span
from frontdesk.text.redaction import redact_json
from frontdesk.workflows.bases import find_base, keep_base
from frontdesk.workflows.checks.models import Finding, References, Severity
from frontdesk.workflows.checks.run import MORE, check, count_findings, find_skipped_rules, has_graph
from frontdesk.workflows.diff_models import Differences
from frontdesk.workflows.pointers import graphs_among
from frontdesk.workflows.request_body import (
    Unsendable,
    changes_of,
    export_document,
    format_document,
    stored_graph_parts,
    update_body,
)
from frontdesk.workflows.traffic import (
    NOT_LOADED,
    ExitTraffic,
    NodeTraffic,
    TrafficState,
    WorkflowTraffic,
    find_drop_offs,
    measure_traffic,
)
from frontdesk.workflows.tree_layout import Outline, RowKind, TreeRow, outline_of
from frontdesk.workflows.update_plan import ThreeWay, compare_three_ways, prepare_conflict
from frontdesk.workflows.view.diff import difference_sentence, difference_summary
from frontdesk.workflows.view.merge import BOTH, THEIRS, YOURS, conflict_sentences
from frontdesk.workflows.view.review import THEIR_CHANGES, YOUR_CHANGES, stored_parts_words
from frontdesk.workflows.view.row import NOTHING_FOUND, findings_summary
from frontdesk.workflows.view.tree import (
    drop_off_heading,
    drop_off_row,
    no_drop_offs,
    totals,
    tree_heading,
    tree_row,
)

if TYPE_CHECKING:
    from frontdesk.workflows.read_back import ListedWorkflow

NAMELESS = "Workflow without an id or name"


def require_document(listed: "ListedWorkflow", workflow_id: str, *, would_send: bool = True) -> JsonObject:
    """Return the document, or CommandFailed if it isn't listed."""
    if listed.document is None:
        more = " (the platform has more than it lists)" if listed.has_more else ""
        ending = "; nothing was sent" if would_send else ""
        raise CommandFailed(REFUSED, f"no workflow {workflow_id} in the list{more}; check the id{ending}")
    return listed.document


def read_document(workflow_id: str) -> JsonObject:
    """Read one workflow from the platform."""
    from frontdesk.cli.session import run_with_client
    from frontdesk.workflows.read_back import read_listed

    listed = run_with_client(lambda client: read_listed(client, workflow_id))
    return require_document(listed, workflow_id, would_send=False)


def body_for(file: JsonObject, path: str, stored: JsonObject | None) -> JsonObject:
    """Make the body that updates what is stored, or raise CommandFailed."""
    try:
        return update_body(file, stored)
    except Unsendable as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}: {error}; nothing was sent") from None


def print_stored_parts(file: JsonObject, stored: JsonObject) -> None:
    """Name the parts of the graph that a file lacks and that are sent as they are stored."""
    if taken := stored_graph_parts(file, stored):
        print_line(stored_parts_words(taken))


def print_if_older(body: JsonObject, stored: JsonObject) -> None:
    """Print that a body was made from another version than is stored."""
    echoed, now = body.get("lastModified"), stored.get("lastModified")
    if now is not None and echoed != now:
        print_line(
            f"It has changed since the file was created: lastModified is now {now}, but the file has {echoed}."
        )


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


def three_ways(workflow_id: str, file: JsonObject, stored: JsonObject) -> ThreeWay | None:
    """Compare a file that was made from another version with what is stored; None if that version isn't kept."""
    base = find_base(_data_folder(), file, workflow_id)
    return None if base is None else compare_three_ways(base, file, stored)


def print_three_ways(found: ThreeWay) -> None:
    """Print what each side changed, and what both changed differently."""
    for title, side in ((THEIRS, found.theirs), (YOURS, found.mine)):
        print_line(f"{title}:")
        print_differences(side, as_json=False)
    if found.conflicts:
        print_line(f"{BOTH}:")
    for each in found.conflicts:
        place, before, mine, theirs = conflict_sentences(each)
        print_line(f"  {place.text}: before {before.text}, yours {mine.text}, theirs {theirs.text}")


def _data_folder() -> Path:
    return settings.data_dir(settings.resolve_profile(settings.load_config(), os.environ))


def diff(workflow_id: str, path: str, *, as_json: bool) -> None:
    """Print what an update with a file would change."""
    file = read_json_file(path)
    stored = read_document(workflow_id)
    body = body_for(file, path, stored)
    if not as_json:
        print_stored_parts(file, stored)
        print_if_older(body, stored)
        is_older = body.get("lastModified") != stored.get("lastModified")
        if is_older and (sides := three_ways(workflow_id, file, stored)) is not None:
            print_three_ways(sides)
            print_line("From the current version to the file:")
    print_differences(changes_of(stored, body), as_json=as_json)


def export(workflow_id: str, path: str | None, *, replaces: bool) -> None:
    """Write a stored workflow into a file, or print it, as `workflows update` takes it."""
    path = None if path == "-" else path
    if path is not None and not replaces and os.path.lexists(path):
        raise CommandFailed(INPUT_WRONG, f"{path} already exists; use --force to overwrite it")
    stored = read_document(workflow_id)
    text = format_document(redact_json(export_document(stored)))
    keep_base(_data_folder(), stored)
    if not has_graph(stored):
        print_error(f"{workflow_id} has no graph on the platform")
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


_MAX_DROP_OFFS = 10


def show(workflow_id: str | None, path: str | None, *, with_traffic: bool, as_json: bool) -> None:
    """Print the trees of the workflows of a file, or of one that the platform has."""
    for raw in _load_workflows(workflow_id, path):
        outline = outline_of(raw)
        traffic = measure_traffic(outline.document) if with_traffic else NOT_LOADED
        if path is not None and traffic.state is TrafficState.NOT_ON_PLAN:  # an export has no counters on any plan
            print_error(f"{name_of(path)} has no counters; to see traffic, use the workflow's id without --file")
            traffic = NOT_LOADED
        if as_json:
            for number, row in enumerate(outline.rows):
                print_json(_row_json(outline, number, row, traffic if with_traffic else None))
        else:
            _print_tree(raw, outline, traffic, with_traffic=with_traffic)


def _load_workflows(workflow_id: str | None, path: str | None) -> list[Mapping[str, Any]]:
    if path is None:
        if workflow_id is None:
            raise CommandFailed(INPUT_WRONG, "name a workflow, or a file with --file FILE")
        return [read_document(workflow_id)]
    found = list(workflows_of(path, "show"))
    if workflow_id is not None:
        found = [each for each in found if each.get("id") == workflow_id]
        if not found:
            raise CommandFailed(REFUSED, f"no workflow {workflow_id} in {name_of(path)}")
    return found


def _print_tree(raw: Mapping[str, Any], outline: Outline, traffic: WorkflowTraffic, *, with_traffic: bool) -> None:
    state = "" if "isActive" not in raw else " · active" if raw["isActive"] is True else " · off"
    print_line(_title(raw) + state)
    if not has_graph(raw):
        print_line("It has no graph.")
        return
    print_lines(_tree_lines(outline, traffic, line_width(), with_traffic=with_traffic))
    print_line("")


def _tree_lines(outline: Outline, traffic: WorkflowTraffic, width: int, *, with_traffic: bool) -> Iterator[Line]:
    if with_traffic:
        yield totals(traffic, width, UNICODE)
        yield tree_heading(traffic, width)
    for row in outline.rows:
        yield tree_row(row, traffic, width, UNICODE)
    if not with_traffic or not traffic.nodes:
        return
    yield ()
    found = find_drop_offs(outline, traffic)
    if found:
        yield drop_off_heading(width)
        for each in found[:_MAX_DROP_OFFS]:
            yield drop_off_row(each, width, UNICODE)
    else:
        yield (span(no_drop_offs(traffic)),)
    if len(found) > _MAX_DROP_OFFS:
        yield (span(f"and {counted(len(found) - _MAX_DROP_OFFS, 'more drop-off')}"),)
    for anomaly in traffic.anomalies[:_MAX_DROP_OFFS]:
        yield (span(f"{UNICODE.warning} "), span(anomaly.words))
    if traffic.anomaly_count > _MAX_DROP_OFFS:
        yield (span(f"and {counted(traffic.anomaly_count - _MAX_DROP_OFFS, 'more counter')} that can't be right"),)


def _row_json(outline: Outline, number: int, row: TreeRow, traffic: WorkflowTraffic | None) -> dict[str, object]:
    node = row.node
    fields: dict[str, object] = {
        "row": number,
        "workflow": outline.document.raw.get("id"),
        "kind": row.kind,
        "depth": row.depth,
        "node": row.id or None,
        "type": None if node is None else node.type,
        "title": row.title if node is None else node.title,
        "of": row.parent_id or None,
        "leadsTo": row.target or None,
        "drawnAt": row.jump,
        "path": row.path or None,
        "runs": row.runs,
        "ends": row.ends,
    }
    return fields if traffic is None else fields | {"traffic": _traffic_json(row, traffic)}


def _traffic_json(row: TreeRow, traffic: WorkflowTraffic) -> dict[str, object] | str | None:
    if traffic.state is not TrafficState.SHOWN:
        return traffic.state
    if row.kind is RowKind.TRIGGER:
        counts = {"started": traffic.started, "completed": traffic.completed, "dropped": traffic.dropped}
        return counts | {"inProgress": traffic.in_progress, "conversion": traffic.conversion}
    if row.kind is RowKind.EXIT:
        way = traffic.exits.get(row.id, ExitTraffic())
        return {"taken": way.taken, "share": way.share}
    if row.kind is RowKind.NODE and row.runs:
        node = traffic.nodes.get(row.id, NodeTraffic())
        counts = {"entered": node.entered, "completed": node.completed, "dropped": node.dropped}
        return counts | {"participation": node.participation}
    return None


_WORDS_LIMIT = 300

Checked = tuple[Mapping[str, Any], tuple[Finding, ...]]


def check_file(path: str, *, as_json: bool) -> None:
    """Print the findings in the workflows of a file; exit 1 if there are errors."""
    raws = workflows_of(path, "check")
    known = References(graph_of=graphs_among(raws))
    checked = [(raw, check(raw, known=known)) for raw in raws]
    print_findings(checked, as_json=as_json)
    failing = [findings for _, findings in checked if any(each.severity is Severity.ERROR for each in findings)]
    if failing:
        count = sum(count_findings(findings)[Severity.ERROR] for findings in failing)
        where = name_of(path) if len(checked) == 1 else f"{len(failing):,} of {len(checked):,} workflows"
        raise CommandFailed(
            REFUSED,
            f"{counted(count, 'error')} in {where}: parts won't run or won't open in the editor",
        )


def print_findings(checked: Sequence[Checked], *, as_json: bool, known: References | None = None) -> None:
    """Print the findings of each workflow, as tables or as lines of JSON."""
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
        print_line(f"{_title(raw)}: {_summary(findings)}")
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


def _title(raw: Mapping[str, Any]) -> str:
    names = [each for each in (raw.get("id"), raw.get("name")) if isinstance(each, str) and each]
    return " · ".join(names) or NAMELESS


def _summary(findings: Sequence[Finding]) -> str:
    listed = sum(each.rule_id != MORE for each in findings)
    summary = findings_summary(findings) or NOTHING_FOUND
    return summary + (f"; {listed:,} of them shown" if listed < len(findings) else "")


_FIELDS = ("id", "name", "trigger", "parsedData", "data")


def workflows_of(path: str, to_do: str) -> Sequence[Mapping[str, Any]]:
    """Read all workflows of a file, at least one.

    Args:
        to_do: the verb for messages, as "check".
    """
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
