"""Records with anything in them, and the fixed time and names they are drawn with."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignRecord, Sample
from frontdesk.config.facts import Fact, lines
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile, TagLabel
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.storage.records import (
    Change,
    ChangeKind,
    ChangeState,
    ConversationRecord,
    DocumentRecord,
    InvalidItem,
    MessagePosition,
    TaskRecord,
)
from frontdesk.workflows.models import WorkflowCounters, WorkflowRecord
from frontdesk_api.contract.ids import AgentId, CampaignId, LineId, MessageId, TagId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import ASCII, UNICODE
from sample_texts import CHARACTERS as CHARACTERS
from sample_texts import NASTY as NASTY
from sample_texts import TEXTS as TEXTS
from sample_texts import WIDTHS as WIDTHS
from sample_texts import assert_harmless as assert_harmless
from sample_texts import words as words

ZONE = timezone(timedelta(hours=2), "EET")
NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE).timestamp()
"""A Wednesday, half past two."""

NONE = Counters(None, None, None, None, None, None, None, None, None)
"""Counters of which nothing is known."""

HALF = Counters(
    total=1000,
    pending=300,
    sent=500,
    delivered=400,
    read=100,
    failed=50,
    opted_out=20,
    duplicates=10,
    too_many=20,
)
"""Of a campaign that has come more than half of its way: 100 are in flight."""

_URL = "http://127.0.0.1:9"
NAMES = Catalogue(
    Profile(
        "test",
        Hosts(_URL, _URL, _URL, _URL, _URL),
        agent_id=AgentId("me"),
        lines={LineId("L1"): "Acme Home"},
        agents={AgentId("me"): "Me", AgentId("noa"): "Noa"},
        tags=(TagLabel(TagId("vip"), "VIP", "gold"),),
    )
)
VIEW = RenderContext(NAMES, UNICODE, NOW, ZONE)
PLAIN_VIEW = RenderContext(NAMES, ASCII, NOW, ZONE)


def at(day: int, hour: int, minute: int = 0, *, month: int = 11, year: int = 2026) -> float:
    """A moment in the zone of these tests, as Unix seconds."""
    return datetime(year, month, day, hour, minute, tzinfo=ZONE).timestamp()


def drawn(facts: Iterable[Fact], width: int = 60, view: RenderContext = VIEW, cells: int = 11) -> str:
    """What a screen shows of facts."""
    return words(*lines(facts, width, view, cells))


NUMBERS = st.one_of(
    st.integers(-5, 10_000),
    st.floats(0, 2 * NOW),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([2**70, 1e300, -1e300, 253_402_300_799, -62_135_596_800]),
)
TIMES = st.none() | NUMBERS.map(float)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=4,
)


def _maybe(**known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that hold any of these keys: what is usual there, or anything at all."""
    return st.fixed_dictionaries({}, optional={name: each | VALUES for name, each in known.items()})


CONVERSATIONS = st.builds(
    ConversationRecord,
    conversation_id=TEXTS,
    line_id=st.none() | TEXTS,
    customer_id=st.none() | TEXTS,
    name=TEXTS,
    number=TEXTS,
    platform=st.sampled_from(["", "whatsapp", "web"]) | TEXTS,
    preview=TEXTS,
    preview_direction=st.sampled_from(["incoming", "outgoing", ""]) | TEXTS,
    preview_status=st.sampled_from(["read", "sent", "failed", ""]) | TEXTS,
    preview_initiator=TEXTS,
    active_at=TIMES,
    waiting_since=TIMES,
    last_incoming_at=TIMES,
    unread=st.integers(0, 10**7),
    open_tasks=st.integers(0, 99),
    due_at=TIMES,
    assigned=st.lists(TEXTS, max_size=3).map(tuple),
    pending=st.booleans(),
    thread_known=st.booleans(),
    thread_loaded=st.booleans(),
)
TASKS = st.builds(
    TaskRecord,
    task_id=TEXTS,
    title=TEXTS,
    body=TEXTS,
    status=st.sampled_from(["open", "completed"]) | TEXTS,
    line_id=st.none() | TEXTS,
    conversation_id=st.none() | TEXTS,
    customer_id=st.none() | TEXTS,
    customer_name=TEXTS,
    platform=TEXTS,
    due_at=TIMES,
    assigned=st.lists(st.just("me") | TEXTS, max_size=4).map(tuple),
    unread=st.integers(0, 10**6),
    created_at=TIMES,
    updated_at=TIMES,
    pending=st.sampled_from([{}, {"statusCase": "open"}]),
    raw_json=st.just("{}"),
)
COUNTERS = st.builds(Counters, *([st.none() | NUMBERS.map(float)] * 9))
SAMPLES = st.lists(st.builds(Sample, at=st.floats(NOW - 200, NOW + 5), counters=COUNTERS), max_size=6).map(
    lambda found: sorted(found, key=lambda sample: sample.at)
)
CAMPAIGNS = st.builds(
    CampaignRecord,
    campaign_id=TEXTS,
    name=TEXTS,
    status=st.sampled_from(["", "inProgress", "completed", "failed", "stopped", "scheduled", "pending"]) | TEXTS,
    counters=COUNTERS,
    scheduled_at=TIMES,
    started_at=TIMES,
    completed_at=TIMES,
    failed_at=TIMES,
    failure_reason=TEXTS,
    workflow_name=TEXTS,
    line_id=VALUES,
    source=st.sampled_from(["tags", "excel"]) | TEXTS,
    read_at=TIMES,
    problem=st.just("") | TEXTS,
    raw=st.just({}),
)
_PEOPLE = st.lists(st.just("me") | TEXTS, max_size=3)
_FIELDS = _maybe(
    statusCase=st.just("open") | TEXTS,
    dueDate=NUMBERS,
    title=TEXTS,
    body=TEXTS,
    tagIds=_PEOPLE,
    assignedAgentIds=_PEOPLE | st.fixed_dictionaries({"add": _PEOPLE, "remove": _PEOPLE}),
    other=VALUES,
)
CHANGES = st.builds(
    Change,
    change_id=st.integers(1),
    batch=st.just("b"),
    kind=st.sampled_from(ChangeKind),
    target=TEXTS,
    fields=_FIELDS,
    base=_FIELDS,
    theirs=st.none() | _FIELDS,
    label=TEXTS,
    state=st.sampled_from(ChangeState),
    made_at=NUMBERS.map(float),
    send_after=st.just(0.0),
    reason=TEXTS,
)
BROKEN = st.builds(InvalidItem, kind=TEXTS, place=TEXTS, raw=TEXTS, reason=TEXTS, at=NUMBERS.map(float))
_COUNTERS_OF_WORKFLOWS = st.none() | st.floats(-1e18, 1e18)
WORKFLOW_RECORDS = st.builds(
    WorkflowRecord,
    workflow_id=TEXTS,
    name=TEXTS,
    is_active=st.sampled_from((True, False, None)),
    platform=TEXTS,
    line_id=st.sampled_from(("", "L1", "unknown\x1b[31m")),
    trigger_type=TEXTS,
    folder_id=TEXTS,
    executions=_COUNTERS_OF_WORKFLOWS,
    last_execution=TIMES,
    started=_COUNTERS_OF_WORKFLOWS,
    completed=_COUNTERS_OF_WORKFLOWS,
    dropped=_COUNTERS_OF_WORKFLOWS,
    analytics=st.sampled_from(WorkflowCounters),
    created=TIMES,
    last_modified=TIMES,
    read_at=TIMES,
    is_stale=st.booleans(),
    raw=_maybe(notes=TEXTS),
)
WORKFLOWS = st.builds(
    DocumentRecord,
    document_id=TEXTS,
    name=TEXTS,
    raw=_maybe(
        isActive=st.booleans(),
        triggerType=TEXTS,
        associatedToBusinessId=TEXTS,
        platformType=TEXTS,
        folderId=TEXTS,
        created=NUMBERS,
        lastModified=NUMBERS,
        trigger=_maybe(id=TEXTS, connections=_maybe(out=st.lists(TEXTS, max_size=2))),
        parsedData=st.lists(_maybe(id=TEXTS, type=TEXTS, title=TEXTS, data=TEXTS), max_size=2),
        analytics=_maybe(nodeStats=st.dictionaries(TEXTS, NUMBERS, max_size=1)),
    ),
)
_FILE = _maybe(id=TEXTS | st.just("f1"), name=TEXTS, bytes=NUMBERS, status=TEXTS) | VALUES
AI_AGENTS = st.builds(
    DocumentRecord,
    document_id=TEXTS,
    name=TEXTS,
    raw=_maybe(
        isActive=st.booleans(),
        description=TEXTS,
        folderId=TEXTS,
        associatedTo=TEXTS,
        tokensUsed=NUMBERS,
        created=NUMBERS,
        lastModified=NUMBERS,
        vectorStore=_maybe(
            id=TEXTS,
            required=st.booleans(),
            files=st.lists(_FILE, max_size=2),
            fileNamesMapping=_maybe(f1=TEXTS),
        ),
        roles=st.lists(
            _maybe(
                name=TEXTS,
                description=TEXTS,
                instructions=TEXTS,
                webhook=TEXTS,
                allRequired=st.booleans(),
                tool=_maybe(name=TEXTS, parameters=_maybe(order=TEXTS)),
            )
            | VALUES,
            max_size=2,
        ),
    ),
)
MESSAGES = _maybe(
    message=TEXTS,
    type=st.sampled_from(["", "default", "deleted", "informative", "note", "forward", "never seen"]) | TEXTS,
    status=st.sampled_from(["", "sent", "delivered", "read", "failed", "pending", "never seen before"]) | TEXTS,
    messageDirection=st.sampled_from(["incoming", "outgoing"]) | TEXTS,
    initiator=st.sampled_from(["person", "bot", "ai", "campaign", ""]) | TEXTS,
    sender=TEXTS,
    agentIdentification=_maybe(name=TEXTS, email=TEXTS),
    informativeMessageType=st.sampled_from(["conversationStatusSwitched", ""]) | TEXTS,
    context=_maybe(id=st.just("m1") | TEXTS),
    attachment=_maybe(url=TEXTS),
    attachmentBase64=_maybe(fileName=TEXTS, fileMimeType=TEXTS, fileSize=NUMBERS),
    hasAttachment=st.booleans(),
    translation=_maybe(text=TEXTS),
    reactions=st.lists(_maybe(emoji=TEXTS) | VALUES, max_size=3),
    error=_maybe(code=st.sampled_from([131026, 131049, 1]), title=TEXTS, message=TEXTS),
)


def campaign_record(**known: Any) -> CampaignRecord:
    """A running campaign, of which only its name and what is given is known."""
    record = CampaignRecord(
        CampaignId("c1"), "Spring", "inProgress", NONE, None, None, None, None, "", "", None, "tags", NOW, "", {}
    )
    return replace(record, **known)


def message(number: int, created_at: float = NOW, **raw: Any) -> MessageRecord:
    """A message of a moment in Unix seconds."""
    whole = {"messageId": f"m{number}", "message": f"words {number}", "messageDirection": "incoming", **raw}
    return MessageRecord(MessagePosition(created_at * 1000, MessageId(f"m{number}")), whole)
