"""Changes that never reach the platform, as Activity shows them: of notes, and of who needs no answer."""

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.changes import MARKS
from frontdesk.outbox.change_view import WholeChangeView
from frontdesk.storage.records import Change, ChangeState, Json
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Role, Span, span

WAITING = "waiting for the team's relay"


class NoteChangeView(WholeChangeView):
    """Shows a note's text, and to whom it hands a conversation over."""

    def drop_effect(self, change: Change) -> str:  # noqa: ARG002
        return "the team doesn't get it"

    def state_words(self, change: Change, now: float) -> str:
        words = {
            ChangeState.QUEUED: WAITING,
            ChangeState.UNKNOWN: WAITING,
            ChangeState.CONFIRMED: "shared with the team",
        }
        return words.get(change.state) or super().state_words(change, now)

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        content = _content(change.fields)
        if not content:
            return [("removes", _text(_content(change.base)))]
        to = json_access.text(content.get("hand_over_to"))
        return [("note", _text(content)), *([("to", view.person(AgentId(to)))] if to else [])]

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        content = _content(change.fields)
        return [Span(_text(content, 60), Role.DIM)] if content else [span("taken back", Role.DIM)]


class AnswerChangeView(WholeChangeView):
    """Shows whether what a customer has written needs an answer."""

    def state_words(self, change: Change, now: float) -> str:  # noqa: ARG002
        return "done, in frontdesk only"

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:  # noqa: ARG002
        after, before = (len(json_access.elements(each.get(MARKS))) for each in (change.fields, change.base))
        known = "none needed" if after > before else "needed"
        return [("answer", trusted("unknown" if after == before else known))]

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        return []


def _content(fields: Json) -> Json:
    """Return the content of a change's one note; empty for one that isn't there."""
    return json_access.mapping(next(iter(fields.values()), None))


def _text(content: Json, limit: int = 2_000) -> SafeText:
    said = json_access.text(content.get("text"))
    return show_line(" ".join(said.split()), limit)
