"""What a change changes, field by field: before, yours, and in a conflict theirs.

Called by `activity.view.change` and `frontdesk outbox list`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.api.contract.ids import AgentId, LineId, TagId
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.overlay import ASSIGNED
from frontdesk.storage import json_access
from frontdesk.storage.record_names import STANDALONE
from frontdesk.storage.records import Change, ChangeKind
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, crop, fit, paragraph, span
from frontdesk.workflows.view import pending as workflow_pending

BODY_LINES = 8
_NAMES = {
    "statusCase": "Status",
    "dueDate": "Due",
    ASSIGNED: "Assigned",
    "title": "Title",
    "body": "Text",
    "tagIds": "Tags",
}
_SIDE = 8
NOTHING = trusted("nothing")
NOBODY = trusted("nobody")


def compare(change: Change, width: int, view: RenderContext) -> list[Line]:
    """Each field of a change with its values, one under the other."""
    lines: list[Line] = []
    if (whole := _told(change, view)) is not None:
        sides = (_side(label, [said], Role.STRONG, width) for label, said in whole)
        return [EMPTY, *(line for side in sides for line in side)]
    for name, value in change.fields.items():
        lines += [EMPTY, fit([span(show_line(_NAMES.get(name, name), 40), Role.ACCENT)], width)]
        if name != "tagIds":
            lines += _side("before", _value(name, change.base.get(name), view), Role.DIM, width)
        if change.theirs is not None and name in change.theirs:
            lines += _side("theirs", _value(name, change.theirs[name], view), Role.WARN, width)
        lines += _side("yours", _wish(name, value, view), Role.STRONG, width)
    return lines


def in_short(change: Change, view: RenderContext) -> list[Span]:
    """The same in a few words for a row: of one field from what to what, of more which."""
    if change.kind is ChangeKind.CAMPAIGN:
        return [span(said, Role.DIM) for label, said in _campaign(change, view) if label == "To"]
    if change.kind.about in STANDALONE:
        said = workflow_pending.in_short(change)
        return [span(said, Role.DIM)] if said else []
    if len(change.fields) != 1:
        names = [_NAMES.get(name, name) for name in change.fields]
        return [span(show_line(", ".join(names), 60), Role.DIM)]
    ((name, value),) = change.fields.items()
    if name in ("tagIds", "body"):
        return []
    before = _value(name, change.base.get(name), view)[0]
    return [
        span(show_line(before.text, 24), Role.DIM),
        span(view.glyphs.becomes, Role.DIM),
        span(_wish(name, value, view)[0]),
    ]


def _told(change: Change, view: RenderContext) -> list[tuple[str, SafeText]] | None:
    """A change that is told whole, each part with a word for it; None for one that is told field by field."""
    if change.kind is ChangeKind.CAMPAIGN:
        return _campaign(change, view)
    return workflow_pending.told(change) if change.kind.about in STANDALONE else None


def _campaign(change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
    """What a campaign that is created here is: to how many, what, from where, when; there is nothing before it."""
    fields = change.fields
    count, at = json_access.number(fields.get("count")), json_access.number(fields.get("scheduledAt"))
    to = "everybody with its tags" if count is None else f"{count:,.0f} recipient{'s' * (count != 1)}"
    line = view.names.line(LineId(json_access.text(fields.get("associatedToBusinessId"))))
    said = [
        ("Name", show_line(json_access.text(fields.get("name")), 120) or NOTHING),
        ("To", trusted(to)),
        ("Runs", show_line(json_access.text(fields.get("workflowName")), 80) or NOTHING),
        ("From", show_line(line, 60) or NOTHING),
        ("When", trusted("at once" if at is None else relative_time.when(at / 1000, view.now, view.zone))),
    ]
    return [*said, ("List", show_line(json_access.text(fields.get("digest")), 16))] if count is not None else said


def _side(label: str, values: Iterable[SafeText], role: Role, width: int) -> list[Line]:
    """A label, and the value beside it in as many lines as it takes."""
    room = max(1, width - _SIDE)
    parts = [line for value in values for line in paragraph(value, room, role)]
    labels = [f"{label:<{_SIDE}}"] + [" " * _SIDE] * (len(parts) - 1)
    return [crop((span(words, Role.DIM), *part), width) for words, part in zip(labels, parts, strict=True)]


def _value(name: str, value: Any, view: RenderContext) -> tuple[SafeText, ...]:
    """What the platform has in a field."""
    if name == "dueDate":
        at = json_access.number(value)
        return (trusted(relative_time.when(at, view.now, view.zone)) if at else NOTHING,)
    if name == ASSIGNED:
        people = [view.person(AgentId(each)).text for each in json_access.texts(value)]
        return (_join(people) if people else NOBODY,)
    if name == "statusCase":
        return (show_line(view.names.status(json_access.text(value)), 60) or NOTHING,)
    if name == "body":
        return body_lines(value or None, 2_000, BODY_LINES) or (NOTHING,)
    return (show_line(value) or NOTHING,)


def _wish(name: str, value: Any, view: RenderContext) -> tuple[SafeText, ...]:
    """What a change sets a field to; of people, whom it puts on and takes off."""
    if name == "tagIds":
        return (_join(view.names.tag(TagId(each)).title for each in json_access.texts(value)),)
    if name == ASSIGNED and isinstance(value, Mapping):
        moves = [f"+{view.person(AgentId(each)).text}" for each in json_access.texts(value.get("add"))]
        moves += [f"-{view.person(AgentId(each)).text}" for each in json_access.texts(value.get("remove"))]
        return (_join(moves),)
    return _value(name, value, view)


def _join(words: Iterable[str]) -> SafeText:
    return show_line(", ".join(words)) or NOTHING


def in_words(change: Change, view: RenderContext) -> list[SafeText]:
    """The same for ears: each field's value before, theirs and yours as one sentence."""
    sentences: list[SafeText] = []
    if (whole := _told(change, view)) is not None:
        return [trusted(f"{label}, {said.text}.") for label, said in whole]
    for name, value in change.fields.items():
        sides = [("yours", _wish(name, value, view))]
        if change.theirs is not None and name in change.theirs:
            sides.insert(0, ("theirs", _value(name, change.theirs[name], view)))
        if name != "tagIds":
            sides.insert(0, ("before", _value(name, change.base.get(name), view)))
        said = "; ".join(f"{side}: {' '.join(part.text for part in parts)}" for side, parts in sides)
        sentences.append(trusted(f"{show_line(_NAMES.get(name, name), 40).text}, {said}."))
    return sentences
