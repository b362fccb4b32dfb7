"""Changes as words and lines: the fields, the state and the possible decisions.

A change is shown field by field: the value before and the value set; in a conflict was, theirs and yours. A
feature extends `ChangeView` for kinds that are shown whole; `registry.changes` has the view of each kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk.config.facts import GAP, Fact, heading
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.labels import SOMEONE_ELSE
from frontdesk.outbox.task_fields import FieldKind, field_of, is_merged
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeKind, ChangeState
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, LineId, StatusId, TagId
from frontdesk_lines.display_text import LINE_LIMIT, SafeText, body_lines, cut, show_label, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span

MAX_REASON = 1_000
"""Maximum length of a reason; the remedy often comes at its end."""

MAX_BODY_LINES = 8
NOTHING = trusted("none")
NOBODY = trusted("unassigned")
LABEL_CELLS = 8
_TAGS = "tagIds"
_STATE_WORDS = {
    ChangeState.HELD: "sends within 5 s",
    ChangeState.QUEUED: "waiting to send",
    ChangeState.SENDING: "sending",
    ChangeState.UNKNOWN: "outcome unknown; checking",
    ChangeState.CONFLICT: "conflict: yours or theirs?",
    ChangeState.REFUSED: "rejected",
    ChangeState.CONFIRMED: "confirmed",
    ChangeState.UNDONE: "undone before sending",
    ChangeState.DROPPED: "discarded",
}
_STATE_ROLES = {
    ChangeState.CONFIRMED: Role.GOOD,
    ChangeState.REFUSED: Role.BAD,
    ChangeState.CONFLICT: Role.BAD,
    ChangeState.UNKNOWN: Role.WARN,
    ChangeState.UNDONE: Role.DIM,
    ChangeState.DROPPED: Role.DIM,
}

_SIDE_ROLES = {"was": Role.DIM, "theirs": Role.WARN}
"""The role of a value after its label; every other value is the change's own."""

_NOT_IN_EFFECT = (*NEEDS_PERSON, ChangeState.UNDONE, ChangeState.DROPPED)


class ChangeView:
    """The view of changes that are shown field by field, such as those of tasks and tags."""

    sends_again = "resends yours"
    """The words for a retry, after its key."""

    def needs_review(self, change: Change) -> bool:  # noqa: ARG002
        """Return whether their values must be compared with yours before a retry."""
        return False

    def drop_effect(self, change: Change) -> str:
        """Return the words for dropping the change."""
        return "their version is kept" if change.state is ChangeState.CONFLICT else "nothing changes"

    def raw_record(self, change: Change, db: Any) -> tuple[str, dict[str, object]]:
        """Return a title, and the change as JSON."""
        record = {"fields": change.fields, "before": change.base, "theirs": change.theirs}
        payload = self.payload(change, db)
        return f"Change {change.change_id}", {**record, **payload, "state": change.state, "reason": change.reason}

    def payload(self, change: Change, db: Any) -> dict[str, object]:  # noqa: ARG002
        """Return a payload stored apart from its change, for the raw record."""
        return {}

    def difference_job(self, change: Change) -> Callable[[Any], SafeText] | None:  # noqa: ARG002
        """Return a background job that counts the differences in the payload, or `None` if there is none."""
        return None

    def state_words(self, change: Change, now: float) -> str:
        """Return the words for the change's state; a change that is due isn't called held any more."""
        state = change.state
        if state is ChangeState.HELD and change.send_after <= now:
            state = ChangeState.QUEUED
        return _STATE_WORDS[state]

    def facts(self, change: Change, view: RenderContext) -> Iterator[Fact]:
        """Tell each field with its values."""
        for name in change.fields:
            yield heading(field_name(name))
            for label, values in _sides(change, name, view):
                yield Fact(label, values, _SIDE_ROLES.get(label, Role.STRONG))

    def summary(self, change: Change, view: RenderContext) -> list[Span]:
        """Summarize the change for a row: one field with both values, or the names of several fields."""
        if len(change.fields) != 1:
            return [span(show_label(", ".join(map(_label, change.fields)), 60), Role.DIM)]
        ((name, value),) = change.fields.items()
        if name == _TAGS or field_of(name).kind is FieldKind.LONG_TEXT:
            return []
        before = stored_value(name, change.base.get(name), view)[0]
        return [
            span(trusted(cut(before.text, 24)), Role.DIM),
            span(view.glyphs.becomes, Role.DIM),
            span(_new_value(name, value, view)[0]),
        ]


class WholeChangeView(ChangeView, ABC):
    """The view of changes that are shown whole, since no list shows their effect."""

    sends_again = "resends it"

    @abstractmethod
    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        """Return the parts of the change, each with a label."""

    def drop_effect(self, change: Change) -> str:  # noqa: ARG002
        return "nothing changes on the platform"

    def state_words(self, change: Change, now: float) -> str:
        if change.state is ChangeState.CONFLICT and not self.needs_review(change):
            return "waiting for your decision"
        return super().state_words(change, now)

    def facts(self, change: Change, view: RenderContext) -> Iterator[Fact]:
        yield GAP
        for label, value in self.parts(change, view):
            yield Fact(label, value or NOTHING, Role.STRONG)


ChangeViews = Mapping[ChangeKind, ChangeView]
"""The registry with a view for each kind of change."""


def reason_words(change: Change, author: str, view: RenderContext) -> SafeText:
    """Return the reason of a change's state; in a conflict with a colleague's change, it has their name.

    Args:
        author: the id of the agent who made the other change; empty if unknown.
    """
    if not author or not change.reason.startswith(SOMEONE_ELSE):
        return show_line(change.reason, MAX_REASON)
    who = view.person(AgentId(author))
    rest = show_line(change.reason.removeprefix(SOMEONE_ELSE), MAX_REASON)
    return SafeText(f"{who.text}{rest.text}", who.was_sanitized)


def added_tags(
    tags: Sequence[tuple[TagId, float, ChangeState]], width: int, view: RenderContext
) -> tuple[Line, ...]:
    """List the tags added here, the newest first; the interface can't show the others."""
    lines = [fit([span("Tags added in frontdesk", Role.ACCENT)], width)]
    if not tags:
        lines.append(fit([span(f"None. Press {view.key('conversation.tag', 't')} to add.", Role.DIM)], width))
    for tag_id, at, state in reversed(tags[-6:]):
        waiting = "" if state is ChangeState.CONFIRMED else f" {view.glyphs.pending}"
        right = [span(waiting, Role.PENDING), span(f" {view.stamp(at)}", Role.DIM)]
        title = view.tag(tag_id)
        lines.append(fit([view.tag_sign(tag_id), span(" "), span(title)], width, right))
    return tuple(lines)


def conflicting_texts(change: Change) -> list[str]:
    """Return the texts of a task, as its title, that both sides have changed."""
    both = change.theirs or {} if change.state is ChangeState.CONFLICT and change.kind is ChangeKind.TASK else {}
    return [name for name in change.fields if name in both and field_of(name).is_text]


def state_role(change: Change) -> Role:
    return state_role_of(change.state)


def state_role_of(state: ChangeState) -> Role:
    return _STATE_ROLES.get(state, Role.PENDING)


def _sides(change: Change, name: str, view: RenderContext) -> Iterator[tuple[str, tuple[SafeText, ...]]]:
    """Yield the values of a field that exist (before, theirs, yours), each with a label."""
    if name == _TAGS:
        yield "adds", _new_value(name, change.fields[name], view)
        return
    yield "was", stored_value(name, change.base.get(name), view)
    if change.theirs is not None and name in change.theirs:
        yield "theirs", stored_value(name, change.theirs[name], view)
    # Show the value set then: a later change or an undo may have set another.
    own = "change" if is_merged(name) else "set to"
    yield "yours" if change.state in _NOT_IN_EFFECT else own, _new_value(name, change.fields[name], view)


def field_name(name: str) -> SafeText:
    return show_label(_label(name), 40)


def _label(name: str) -> str:
    return "Tags" if name == _TAGS else field_of(name).label


def stored_value(name: str, value: Any, view: RenderContext) -> tuple[SafeText, ...]:
    """Return a field's platform value as display lines."""
    match field_of(name).kind:
        case FieldKind.TIME:
            at = json_access.number(value)
            return (trusted(view.when(at)) if at else NOTHING,)
        case FieldKind.PEOPLE | FieldKind.READERS:
            people = [view.person(AgentId(each)).text for each in json_access.texts(value)]
            return (_join(people) if people else NOBODY,)
        case FieldKind.STATUS:
            return (view.status(StatusId(json_access.text(value)), 60) or NOTHING,)
        case FieldKind.LINE:
            return (view.line(LineId(json_access.text(value)), 60) or NOTHING,)
        case FieldKind.LONG_TEXT:
            return body_lines(value or None, 2_000, MAX_BODY_LINES) or (NOTHING,)
    return (show_line(value) or NOTHING,)


def _new_value(name: str, value: Any, view: RenderContext) -> tuple[SafeText, ...]:
    """Return the value that a change sets; for assignees, the people added and removed."""
    if name == _TAGS:
        return (_join(view.tag(TagId(each)).text for each in json_access.texts(value)),)
    if is_merged(name) and isinstance(value, Mapping):
        moves = [f"+{view.person(AgentId(each)).text}" for each in json_access.texts(value.get("add"))]
        moves += [f"-{view.person(AgentId(each)).text}" for each in json_access.texts(value.get("remove"))]
        return (_join(moves),)
    return stored_value(name, value, view)


def _join(words: Iterable[str]) -> SafeText:
    """Join texts that are already sanitized: sanitizing again would make privacy hide aliases and labels too."""
    return trusted(cut(", ".join(words), LINE_LIMIT)) or NOTHING
