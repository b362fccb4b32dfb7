"""The test of a draft as one sentence in the wizard: whether it was sent, what came of it, and where to see it."""

from typing import NamedTuple

from frontdesk.campaigns.models import STATUS_WORDS, CampaignRecord
from frontdesk.campaigns.view.change import on_its_way
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeState
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Role


class DraftTestResult(NamedTuple):
    """The sentence, and whether more is to come."""

    words: SafeText
    role: Role = Role.TEXT
    is_open: bool = False


_OPEN = {
    ChangeState.HELD: "sends in a moment; to undo, press esc, then {undo}",
    ChangeState.QUEUED: "waiting to send",
    ChangeState.SENDING: "sending",
    ChangeState.UNKNOWN: "outcome unknown; checking",
}
_TAKEN_BACK = {ChangeState.UNDONE: "undone before sending", ChangeState.DROPPED: "discarded"}


def describe_test(
    number: str, change: Change | None, record: CampaignRecord | None, view: RenderContext
) -> DraftTestResult:
    """Describe the latest test of a draft.

    Args:
        number: one's own; empty where none was given yet.
        change: the latest test's; None without one.
        record: its campaign, where it is watched.
    """
    if change is None:
        if not number:
            return DraftTestResult(trusted("not sent. Press t to add your number."), Role.DIM)
        return DraftTestResult(show_line(f"not sent. Press t to send one to +{number}.", 80), Role.DIM)
    name = show_line(change.fields.get("name"), 100).text
    if change.state in _OPEN:
        why = f": {show_line(change.reason, 160).text}" if change.reason else ""
        words = _OPEN[change.state].format(undo=view.key("change.undo", "u"))
        way = on_its_way(change, view.zone).text
        return DraftTestResult(trusted(f"{words} {way}".rstrip() + why), Role.PENDING, is_open=True)
    if change.state in _TAKEN_BACK:
        return DraftTestResult(trusted(_TAKEN_BACK[change.state]), Role.DIM)
    if change.state in NEEDS_PERSON:
        see = f"see Activity ({view.key('go.activity', '6')})"
        return DraftTestResult(
            trusted(f"failed: {show_line(change.reason, 240).text or 'no reason given'}; {see}"), Role.BAD
        )
    return _created(f'"{name}" on Campaigns', change, record, view)


def _created(where: str, change: Change, record: CampaignRecord | None, view: RenderContext) -> DraftTestResult:
    """Describe what became of a test that the platform has created."""
    at = "" if change.settled_at is None else f" {relative_time.when(change.settled_at, view.now, view.zone)}"
    if record is None:
        words = f"created{at}; no longer watched, so its outcome is unknown"
        return DraftTestResult(trusted(words), Role.WARN)
    if record.problem or record.read_at is None:
        return DraftTestResult(trusted(f"created{at}; not loaded yet: see {where}"), Role.PENDING, is_open=True)
    if fault := _fault(record):
        return DraftTestResult(trusted(f"{fault}; see {where}"), Role.BAD)
    counters = record.counters
    for count, words in ((counters.read, "read"), (counters.delivered, "delivered"), (counters.sent, "sent")):
        if count:
            return DraftTestResult(trusted(f"{words}; see {where}"), Role.GOOD, is_open=words != "read")
    status = show_line(STATUS_WORDS.get(record.status, record.status), 20).text or "status unknown"
    words = f"created{at}, {status}, not sent yet; see {where}"
    return DraftTestResult(trusted(words), Role.PENDING, is_open=True)


def _fault(record: CampaignRecord) -> str:
    """Return why a test reached nobody; empty where nothing says so."""
    if record.failure_reason or record.status == "failed":
        return f"failed: {show_line(record.failure_reason, 240).text or 'no reason given'}"
    if record.counters.failed:
        return "the message failed; its delivery results say why"
    if record.counters.too_many:
        return "not sent: the platform got too many requests (throttled)"
    return "not sent: this number has opted out" if record.counters.opted_out else ""
