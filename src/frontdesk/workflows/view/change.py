"""Changes of workflows and webhooks as words."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.change_view import WholeChangeView
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.workflows import pending_payloads
from frontdesk.workflows.pending_payloads import is_switch
from frontdesk_api import json_access
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Role, Span, span

MAX_PARSED = 200_000
"""Characters of JSON that are parsed on the UI loop."""

_PART_NAMES = {"parsedData": "nodes", "data": "canvas", "isActive": "on/off state", "platformType": "channel"}
_PENDING_WORDS = {
    ChangeKind.WORKFLOW_CREATE: "creating",
    ChangeKind.WORKFLOW_UPDATE: "updating",
    ChangeKind.ANALYTICS_RESET: "resetting",
}
_COUNTERS = (("totalStarted", "started"), ("totalCompleted", "completed"), ("totalDropped", "dropped"))


class WorkflowChangeView(WholeChangeView):
    """The view of a workflow's creation, and the base of the others."""

    def payload(self, change: Change, db: Any) -> dict[str, object]:
        body = pending_payloads.payload(db, change.change_id).body
        if not body:
            return {}
        if len(body) > MAX_PARSED:
            return {"sent": f"too long to show ({len(body):,} characters)"}
        try:
            return {"sent": json.loads(body)}
        except ValueError:
            return {"sent": body}

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        nodes = json_access.number(change.fields.get("nodes"))
        return [] if nodes is None else [span(counted(nodes, "node"), Role.DIM)]

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:  # noqa: ARG002
        fields = change.fields
        parts = [("Name", show_line(json_access.text(fields.get("name")), 120))]
        if change.kind is ChangeKind.WORKFLOW_CREATE:
            parts.append(("Folder", show_line(json_access.text(fields.get("folderId")), 80)))
        names = [_PART_NAMES.get(each, each) for each in json_access.texts(fields.get("parts"))]
        parts.append(("Sends", show_line(", ".join(names), 200)))
        nodes = json_access.number(fields.get("nodes"))
        return parts if nodes is None else [*parts, ("Nodes", trusted(f"{nodes:,.0f}"))]


class UpdateView(WorkflowChangeView):
    """The view of an update or a switch, which a colleague's change may conflict with."""

    def needs_review(self, change: Change) -> bool:
        return change.state is ChangeState.CONFLICT and change.theirs is not None

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        if not is_switch(change):
            return super().parts(change, view)
        before, then = change.base.get("isActive"), change.fields.get("isActive")
        return [("Was", _active_words(before)), ("Now", _active_words(then))]

    def difference_job(self, change: Change) -> Callable[[Any], SafeText] | None:
        return None if is_switch(change) else partial(_difference_summary, change_id=change.change_id)


class ResetView(WorkflowChangeView):
    """The view of an analytics reset."""

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        counters = _counters(change)
        return [span(counters, Role.DIM)] if counters else []

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:  # noqa: ARG002
        counters = _counters(change) or trusted("all counters, permanently")
        return [("Resets", counters), ("Saves", trusted("a snapshot on this machine"))]


class WebhookDeletionView(WorkflowChangeView):
    """The view of a webhook's deletion."""

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:  # noqa: ARG002
        return [("Deletes", trusted("the webhook with this id, permanently"))]


def pending_words(changes: Iterable[Change]) -> dict[str, SafeText]:
    """Return a word or two for the unconfirmed changes of each workflow, by id."""
    words_of: dict[str, list[str]] = {}
    for change in changes:
        if is_switch(change):
            words = "switching on" if change.fields.get("isActive") is True else "switching off"
        else:
            words = _PENDING_WORDS.get(change.kind, "changing")
        words_of.setdefault(change.target, []).append(words)
    return {target: trusted(", ".join(dict.fromkeys(words))) for target, words in words_of.items()}


def _difference_summary(db: Any, change_id: int) -> SafeText:
    # The diff is imported by the first job: no start of a screen waits for it.
    from frontdesk.workflows.update_plan import stored_differences
    from frontdesk.workflows.view.diff import difference_summary

    found = stored_differences(db, change_id)
    return NOTHING if found is None else difference_summary(found)


def _counters(change: Change) -> SafeText:
    counts = [(json_access.number(change.fields.get(name)), word) for name, word in _COUNTERS]
    return trusted(", ".join(f"{count:,.0f} {word}" for count, word in counts if count is not None))


def _active_words(value: object) -> SafeText:
    return trusted({True: "on", False: "off"}[value] if isinstance(value, bool) else "unknown")
