"""Changes that write a note or take one back, as Activity shows them."""

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.notes import note_of_change
from frontdesk.outbox.change_view import WholeChangeView
from frontdesk.storage import json_access
from frontdesk.storage.records import Change, ChangeState
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.lines import Role, Span, span

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
        _, content = note_of_change(change)
        if content is None:
            _, content = next(iter(change.base.items()))
            return [("removes", _text(content))]
        to = json_access.text(content.get("hand_over_to"))
        return [("note", _text(content)), *([("to", view.person(AgentId(to)))] if to else [])]

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        _, content = note_of_change(change)
        return [span("taken back", Role.DIM)] if content is None else [Span(_text(content, 60), Role.DIM)]


def _text(content: object, limit: int = 2_000) -> SafeText:
    said = json_access.text(json_access.mapping(content).get("text"))
    return show_line(" ".join(said.split()), limit)
