"""What a change of a workflow or a webhook is, in words; for `comparison`, `activity` and the workflows screen."""

from collections.abc import Iterable

from frontdesk.storage import json_access
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.workflows.store.pending_payloads import is_switch

_PARTS = {"parsedData": "steps", "data": "canvas", "isActive": "on or off", "platformType": "channel"}
_TO_SEND = {
    ChangeKind.WORKFLOW_CREATE: "to be created",
    ChangeKind.WORKFLOW_UPDATE: "update to send",
    ChangeKind.ANALYTICS_RESET: "reset to send",
}
_COUNTERS = (("totalStarted", "started"), ("totalCompleted", "completed"), ("totalDropped", "dropped"))


def wants_a_look(change: Change) -> bool:
    """Whether somebody else changed the workflow meanwhile: theirs is looked at before anything goes over it."""
    is_update = change.kind is ChangeKind.WORKFLOW_UPDATE
    return is_update and change.state is ChangeState.CONFLICT and change.theirs is not None


def pending_words(changes: Iterable[Change]) -> dict[str, SafeText]:
    """Of each workflow what is to become of it, in a word or two, by its id.

    Args:
        changes: those that aren't confirmed yet.
    """
    words_of: dict[str, list[str]] = {}
    for change in changes:
        words_of.setdefault(change.target, []).append(_to_come(change))
    return {target: trusted(", ".join(dict.fromkeys(words))) for target, words in words_of.items()}


def _to_come(change: Change) -> str:
    if is_switch(change):
        return "switching on" if change.fields.get("isActive") is True else "switching off"
    return _TO_SEND.get(change.kind, "change to send")


def told(change: Change) -> list[tuple[str, SafeText]]:
    """What is sent and to what, each with a word for it; there is nothing before it that a row could hold."""
    fields = change.fields
    if change.kind is ChangeKind.WEBHOOK_DELETE:
        return [("Deletes", trusted("the webhook with this id, for good"))]
    if change.kind is ChangeKind.ANALYTICS_RESET:
        lost = _lost(change)
        return [
            ("Zeroes", lost or trusted("all counters, for good")),
            ("Keeps", trusted("a snapshot of them, here")),
        ]
    if is_switch(change):
        return [("Before", _on(change.base.get("isActive"))), ("Then", _on(fields.get("isActive")))]
    facts = [("Name", show_line(json_access.text(fields.get("name")), 120))]
    if change.kind is ChangeKind.WORKFLOW_CREATE:
        facts.append(("Folder", show_line(json_access.text(fields.get("folderId")), 80)))
    parts = [_PARTS.get(each, each) for each in json_access.texts(fields.get("parts"))]
    facts.append(("Sends", show_line(", ".join(parts), 200)))
    nodes = json_access.number(fields.get("nodes"))
    return facts if nodes is None else [*facts, ("Nodes", trusted(f"{nodes:,.0f}"))]


def in_short(change: Change) -> SafeText:
    """The same in a few words, where its label doesn't say all; else empty."""
    if change.kind is ChangeKind.ANALYTICS_RESET:
        return _lost(change)
    nodes = json_access.number(change.fields.get("nodes"))
    return trusted("" if nodes is None else f"{nodes:,.0f} node{'s' * (nodes != 1)}")


def _lost(change: Change) -> SafeText:
    counted = [(json_access.number(change.fields.get(name)), word) for name, word in _COUNTERS]
    return trusted(", ".join(f"{count:,.0f} {word}" for count, word in counted if count is not None))


def _on(value: object) -> SafeText:
    return trusted({True: "on", False: "off"}.get(value, "not known") if isinstance(value, bool) else "not known")
