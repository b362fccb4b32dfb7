"""A thread as a file: what it has, what it says is missing, and that nobody's text becomes structure."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from examples import few
from frontdesk.inbox.store import threads
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.thread_export import (
    ThreadSource,
    free_file_name,
    make_document,
    stored_document,
    with_times_of_neighbours,
)
from frontdesk.inbox.view.thread_document import (
    NOT_LOADED,
    DocumentEdges,
    ExportForm,
    PartKind,
    ThreadDocument,
    write_document,
)
from frontdesk.storage.records import ConversationRecord
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId
from sample_json import raw_message
from sample_records import VIEW, at, message
from services import Services
from text.test_export_escapes import Tags

HERE = ConversationId("L1#C1")
MORNING = at(17, 9)
LINK = "https://files.example/a.pdf?x=1&y=2"
ATTACHMENT = {"fileName": "menu.pdf", "mimeType": "application/pdf", "url": LINK}


def record(services: Services, name: str = "Dana Levi") -> ConversationRecord:
    services.inbox.open_conversation(LineId("L1"), CustomerId("C1")).result()
    from frontdesk.storage import record_lookup

    found = record_lookup.conversation(services.store.reading, HERE)
    assert found is not None
    return found._replace(name=name, number="+972 52-123-4567", platform="whatsapp")


@pytest.fixture
def dana(services: Services) -> ConversationRecord:
    return record(services)


def made(
    dana: ConversationRecord,
    *messages: object,
    segments: list[Segment] | None = None,
    notes: tuple[TeamNote, ...] = (),
    edges: DocumentEdges | None = None,
) -> ThreadDocument:
    found = list(messages)
    whole = [Segment(found[-1].key, found[0].key, complete=True)] if found else []  # type: ignore[attr-defined]
    source = ThreadSource(found, whole if segments is None else segments, notes)  # type: ignore[arg-type]
    return make_document(source, dana, edges or DocumentEdges(), VIEW)


def both(document: ThreadDocument) -> tuple[str, str]:
    return write_document(document, ExportForm.MARKDOWN), write_document(document, ExportForm.HTML)


def test_a_whole_thread_has_days_senders_times_status_and_answers(dana: ConversationRecord) -> None:
    asked = message(1, MORNING, message="When do you open?")
    answer = message(
        2,
        at(18, 10, 5),
        message="At nine.\nOn Sundays at ten.",
        messageDirection="outgoing",
        initiator="person",
        agentIdentification={"name": "Marta Keller"},
        status="read",
        context={"id": "m1"},
        reactions=[{"emoji": "👍", "from": "C1"}],
        attachment=ATTACHMENT,
    )
    event = message(3, at(18, 11), type="informative", informativeMessageType="conversationStatusSwitched")
    document = made(dana, asked, answer, event)
    markdown, page = both(document)
    for text in (markdown, page):
        for words in (
            *("Conversation with", "Tuesday, 17 November 2026", "Wednesday, 18 November 2026", "09:00:00 +02:00"),
            *("The conversation starts here.", "Marta Keller", "10:05:00 +02:00", "read by the customer"),
            *("menu.pdf", "👍 by Dana Levi", "conversation status changed", "Acme Home", "The whole conversation"),
        ):
            assert words in text, words
    assert "**Marta Keller** · 10:05:00 +02:00 · read by the customer" in markdown
    assert "> In reply to Dana Levi\\: When do you open?" in markdown
    assert "At nine.\\\nOn Sundays at ten." in markdown
    assert f"(<{LINK}>)" in markdown
    assert '<a href="https://files.example/a.pdf?x=1&amp;y=2" rel="noopener noreferrer nofollow">' in page
    assert '<blockquote dir="auto">In reply to Dana Levi: When do you open?</blockquote>' in page
    assert NOT_LOADED not in markdown + page


def test_each_gap_is_a_line_and_the_beginning_counts_them(dana: ConversationRecord) -> None:
    old, new = message(1, MORNING), message(2, at(18, 10))
    segments = [Segment(new.key, new.key, complete=False), Segment(old.key, old.key, complete=False)]
    document = made(
        dana, old, new, segments=segments, edges=DocumentEdges(is_behind=True, last_read="Read at nine.")
    )
    gaps = [part.words for part in document.parts if part.kind is PartKind.GAP]
    assert gaps == [
        "not loaded here: before 2026-11-17 09:00:00 +02:00; the conversation is older than what was loaded",
        "not loaded here: between 2026-11-17 09:00:00 +02:00 and 2026-11-18 10:00:00 +02:00",
        "not loaded here: probably messages after 2026-11-18 10:00:00 +02:00",
    ]
    assert document.coverage == (
        'Not the whole conversation: 3 lines below say "not loaded here".',
        "Read at nine.",
    )
    for text in both(document):
        assert text.count(NOT_LOADED) == 4
        assert "End of this export. Read at nine." in text
        assert "starts here" not in text


def test_a_failure_and_what_was_left_out_are_told(dana: ConversationRecord) -> None:
    only = message(1, MORNING)
    cut = [Segment(only.key, only.key, complete=False)]
    failed = made(dana, only, segments=cut, edges=DocumentEdges(failure="no answer", unreadable=2))
    assert [part.words for part in failed.parts if part.kind is PartKind.GAP] == [
        "not loaded here: before 2026-11-17 09:00:00 +02:00 (no answer);"
        " the conversation is older than what was loaded"
    ]
    assert "2 messages from the platform couldn't be parsed and are skipped." in failed.coverage
    chosen = made(dana, only, segments=cut, edges=DocumentEdges("Left out: older.", "Left out: newer."))
    assert chosen.coverage == ("A part of the conversation, as chosen.",)
    edges = [part.words for part in chosen.parts if part.kind is PartKind.EDGE]
    assert edges == ["Left out: older.", "Left out: newer."]
    nothing = made(dana, edges=DocumentEdges(failure="no answer"))
    assert nothing.coverage[0].startswith("Not the whole conversation")
    assert made(dana).coverage == ("No messages.",)


def test_notes_are_told_apart_from_messages(dana: ConversationRecord) -> None:
    note = TeamNote("n1", HERE, MORNING + 60, AgentId("noa"), "call them\nback", hand_over_to=AgentId("me"))
    document = made(dana, message(1, MORNING), message(2, MORNING + 120), notes=(note,))
    kinds = [part.kind for part in document.parts if part.at is not None]
    assert kinds == [PartKind.CUSTOMER, PartKind.TEAM_NOTE, PartKind.CUSTOMER]
    markdown, page = both(document)
    assert "**Noa** · 09:01:00 +02:00 · handed over to Me, only the team sees it · not accepted yet" in markdown
    assert '<article class="note">' in page
    assert "Includes notes that only the team sees; the customer never got them." in document.coverage


HOSTILE = st.text("<>&\"'`*_[]()!#|~\\-+=.:/ \n\tabjs\u202e\u0000\x1b\u05d0", max_size=40) | st.text(max_size=40)


@few
@given(HOSTILE, HOSTILE, HOSTILE)
def test_a_strangers_text_is_no_structure(name: str, text: str, other: str) -> None:
    raw = {
        "message": text,
        "agentIdentification": {"name": other},
        "attachment": {"fileName": other, "url": f"javascript:{text}", "caption": text},
        "richContent": {"header": other, "buttons": [{"title": text}]},
        "translation": {"language": other, "text": text},
        "reactions": [{"emoji": other, "from": text}],
        "error": {"message": text},
        "status": other,
        "type": other,
    }
    first, second = message(1, MORNING, **raw), message(2, MORNING + 1, **{**raw, "context": {"id": "m1"}})
    event = message(3, MORNING + 2, type="informative", message=text)
    blank = ConversationRecord(HERE, LineId("L1"), CustomerId("C1"), name, other, text)
    markdown, page = both(made(blank, first, second, event))
    tokens = MarkdownIt("commonmark").parse(markdown)
    headings = [token for token in tokens if token.type == "heading_open"]
    assert [each.tag for each in headings] == ["h1", "h2"]
    assert not [token.type for token in tokens if token.type in ("html_block", "code_block", "fence", "hr")]
    inner = [child for token in tokens for child in token.children or ()]
    assert not [each for each in inner if each.type in ("html_inline", "image", "link_open", "code_inline")]
    found = Tags(page).found
    assert [tag for tag, _ in found].count("h2") == 1
    assert [tag for tag, _ in found].count("article") == 2
    assert not {"script", "a", "img", "link", "iframe"} & {tag for tag, _ in found}
    assert {name for _, each in found for name in each} <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "dir", "datetime"),
    }
    assert "\x1b" not in markdown + page
    assert "\u202e" not in markdown + page


def test_only_http_addresses_are_links(dana: ConversationRecord) -> None:
    for url in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", 'https://a/"onclick="x'):
        _, page = both(made(dana, message(1, MORNING, attachment={"fileName": "f", "url": url})))
        assert "<a " not in page, url


def test_a_stored_thread_says_when_it_was_read(services: Services) -> None:
    record(services)
    page = [raw_message(number, createdAt=(1_000 + number) * 1000) for number in (2, 1)]
    services.store.write(
        lambda db: threads.put_page(db, HERE, page, start=None, has_more=True, now=5_000.0)
    ).result()
    document = stored_document(services.store.reading, HERE, VIEW._replace(now=6_000.0))
    assert document is not None
    assert dict(document.facts)["Messages"].startswith("2, from 1970-01-01 02:16:41 +02:00")
    assert document.coverage[1] == ("The last load that found something new was at 1970-01-01 03:23:20 +02:00.")
    assert stored_document(services.store.reading, ConversationId("L1#gone"), VIEW) is None


def test_a_thread_that_was_never_read_is_not_an_empty_one(services: Services) -> None:
    record(services)
    document = stored_document(services.store.reading, HERE, VIEW)
    assert document is not None
    assert document.coverage[0].startswith("Not the whole conversation")
    assert "hasn't been loaded" in document.coverage[1]


def test_a_message_without_a_time_stays_where_it_came() -> None:
    timeless = message(2, 0.0)
    found = with_times_of_neighbours([message(1, MORNING, createdAt=MORNING * 1000), timeless])
    assert [each.key.created_at for each in found] == [MORNING * 1000, MORNING * 1000]


def test_a_suggested_name_is_free_and_holds_no_path(dana: ConversationRecord, tmp_path: Path) -> None:
    first = free_file_name(tmp_path, dana, VIEW)
    assert first == str(tmp_path / "exports" / "972-52-123-4567-2026-11-18.md")
    Path(first).touch()
    assert free_file_name(tmp_path, dana, VIEW).endswith("-2026-11-18-2.md")
    sly = dana._replace(number="../../etc/x")
    assert Path(free_file_name(tmp_path, sly, VIEW)).parent == tmp_path / "exports"
