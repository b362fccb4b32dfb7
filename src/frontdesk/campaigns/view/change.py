"""The creation of a campaign as words: to how many it is sent, what it runs, from where and when."""

from typing import Any

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.change_view import NOTHING, WholeChangeView
from frontdesk.storage import json_access
from frontdesk.storage.records import Change
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Role, Span, span


class CampaignChangeView(WholeChangeView):
    def drop_effect(self, change: Change) -> str:  # noqa: ARG002
        return "nothing is sent, and its draft is kept"

    def raw_record(self, change: Change, db: Any) -> tuple[str, dict[str, object]]:
        sent = draft_store.sent(db, change.target) or change.fields
        title = f"Campaign {show_line(change.target, 60).text}"
        return title, {"sent": sent, "state": change.state, "reason": change.reason}

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        return [span(_recipients(change), Role.DIM)]

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        fields = change.fields
        at = json_access.number(fields.get("scheduledAt"))
        line = view.names.line(LineId(json_access.text(fields.get("associatedToBusinessId"))))
        parts = [
            ("Name", show_line(json_access.text(fields.get("name")), 120) or NOTHING),
            ("To", _recipients(change)),
            ("Runs", show_line(json_access.text(fields.get("workflowName")), 80) or NOTHING),
            ("From", show_line(line, 60) or NOTHING),
            ("When", trusted("at once" if at is None else relative_time.when(at / 1000, view.now, view.zone))),
        ]
        if json_access.number(fields.get("count")) is not None:
            parts.append(("List", show_line(json_access.text(fields.get("digest")), 16)))
        return parts


def _recipients(change: Change) -> SafeText:
    count = json_access.number(change.fields.get("count"))
    return trusted("everybody with its tags" if count is None else f"{count:,.0f} recipient{'s' * (count != 1)}")
