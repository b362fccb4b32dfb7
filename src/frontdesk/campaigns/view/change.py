"""A campaign that is being created, as words: its recipients, workflow, line and time, and whether it is sent."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.change_view import NOTHING, WholeChangeView
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeState, Json
from frontdesk.text import relative_time
from frontdesk_api import json_access
from frontdesk_lines.display_text import SafeText, counted, file_size, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span


class CampaignChangeView(WholeChangeView):
    """How changes that create a campaign are shown."""

    def drop_effect(self, change: Change) -> str:  # noqa: ARG002
        return "nothing more is sent; the draft is kept"

    def raw_record(self, change: Change, db: Any) -> tuple[str, dict[str, object]]:
        sent = draft_store.sent(db, change.target) or change.fields
        title = f"Campaign {show_line(change.target, 60).text}"
        return title, {"sent": sent, "state": change.state, "reason": change.reason}

    def summary(self, change: Change, view: RenderContext) -> list[Span]:
        return [span(on_its_way(change, view.zone) or _recipients(change), Role.DIM)]

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        fields = change.fields
        at = json_access.number(fields.get("scheduledAt"))
        line = view.line(json_access.text(fields.get("associatedToBusinessId")))
        parts = [
            ("Name", show_line(json_access.text(fields.get("name")), 120) or NOTHING),
            ("To", on_its_way(change, view.zone) or _recipients(change)),
            ("Runs", _workflow(fields)),
            ("From", line),
            ("When", trusted("now" if at is None else view.when(at / 1000))),
        ]
        if json_access.number(fields.get("count")) is not None:
            parts.append(("Digest", show_line(json_access.text(fields.get("digest")), 16)))
        return parts


def _workflow(fields: Json) -> SafeText:
    name, identity = (json_access.text(fields.get(each)) for each in ("workflowName", "workflowId"))
    if not name or not identity or name == identity:
        return show_line(name or identity, 100) or NOTHING
    return show_line(f"{name[:80]} ({identity})", 200)


def _recipients(change: Change) -> SafeText:
    return trusted(_people(json_access.number(change.fields.get("count"))))


def _people(count: float | None) -> str:
    return "everyone with the chosen tags" if count is None else counted(count, "recipient")


def sending_words(count: float | None, size_bytes: int | None, since: float, zone: tzinfo) -> SafeText:
    """Return how much is on its way and since when: `50,000 recipients (8.2 MB) since 14:03:10`.

    Args:
        count: of recipients; None for tags.
        since: Unix seconds.
    """
    at = relative_time.local(since, zone)
    size = "" if size_bytes is None else f" ({file_size(size_bytes).text})"
    return trusted(f"{_people(count)}{size} since {'an unknown time' if at is None else f'{at:%H:%M:%S}'}")


def on_its_way(change: Change, zone: tzinfo) -> SafeText:
    """Return what is being sent now, and since when; nothing for a change that isn't."""
    if change.state is not ChangeState.SENDING or change.sent_at is None:
        return trusted("")
    count, size = (json_access.number(change.fields.get(name)) for name in ("count", "bytes"))
    return sending_words(count, None if size is None else int(size), change.sent_at, zone)


MAX_LISTED = 4
"""Activity has them all."""

_WORDS = {
    ChangeState.HELD: "sends in a moment; press {undo} to undo",
    ChangeState.QUEUED: "waiting to send",
    ChangeState.SENDING: "sending…",
    ChangeState.UNKNOWN: "outcome unknown; checking",
}


def pending_campaigns(changes: Sequence[Change], width: int, view: RenderContext) -> tuple[Line, ...]:
    return tuple(_line(each, width, view) for each in changes[-MAX_LISTED:])


def _line(change: Change, width: int, view: RenderContext) -> Line:
    name = Span(show_line(change.fields.get("name") or change.target, 60), Role.STRONG)
    count = change.fields.get("count")
    people = f"{view.glyphs.separator}{count:,} recipients" if isinstance(count, int) and count != 1 else ""
    if change.state in NEEDS_PERSON:
        sign, role = view.glyphs.warning, Role.BAD
        words = f"not confirmed; see Activity ({view.key('go.activity', '6')})"
    else:
        sign, role = view.glyphs.pending, Role.PENDING
        words = _WORDS[change.state].format(undo=view.key("change.undo", "u"))
        if way := on_its_way(change, view.zone).text:
            people, words = "", f"sending {way}"
    return fit((span(f"{sign} ", role), name, span(people, Role.DIM), span(f"  {words}", role)), width)
