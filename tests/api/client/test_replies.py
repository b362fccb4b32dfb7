"""Who answered: a success is believed only when it is the platform's and fits the operation.

A network's login page answers 200 to everything; nothing of what it was sent reached the platform.
"""

import gzip
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from api.client.test_wire import Wire
from frontdesk_api.client import replies
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import (
    PERHAPS_DONE,
    Ambiguous,
    ApiError,
    BadReply,
    Intercepted,
    NotFound,
    Redirected,
    ReplyTooLarge,
    TooManyItems,
)
from frontdesk_api.client.replies import MAX_CONTAINERS
from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskQuery, TaskUpdate

PAGE = b"<!DOCTYPE html>\n<html><body>Welcome! Room number: <input></body></html>"
BOM = b"\xef\xbb\xbf"
HTML = "text/html; charset=utf-8"
ERROR = b'{"error": "slug", "message": "no"}'
Work = Callable[[PlatformClient], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """An operation, the answer that fits it, and how much the interface shows of that."""

    name: str
    ask: Work
    fits: Any
    is_shown: bool = True
    may_be_empty: bool = False


WRITES = (
    Operation("tags", lambda c: c.assign_tags("L#C", ["t"]), "success"),
    Operation("webhook", lambda c: c.delete_webhook("h"), {}, is_shown=False, may_be_empty=True),
    Operation("put", lambda c: c.update_workflow("w", {"isActive": True}), {"lastModified": 6}, is_shown=False),
    Operation(
        "create",
        lambda c: c.create_workflow("w", "f", {"name": "n"}),
        {"message": "made", "created": 1, "lastModified": 2},
    ),
    Operation("reset", lambda c: c.reset_workflow_analytics("w"), {"id": "w"}),
    Operation("patch", lambda c: c.update_task("t1", TaskUpdate(title="x")), {"task": {"taskId": "t1"}}),
    Operation("campaign", lambda c: c.create_campaign({"id": "c"}), {"message": "made c"}),
)
READS = (
    Operation("tasks", lambda c: c.list_tasks(), {"dbObject": []}),
    Operation("task", lambda c: c.get_task("t1"), {"task": {"taskId": "t1"}}),
    Operation(
        "messages",
        lambda c: c.get_messages(MessageQuery(phoneNumberId="L", targetPhoneNumberId="C")),
        {"dbObject": []},
    ),
    Operation("a campaign", lambda c: c.get_campaign("c"), {"id": "c"}),
    Operation("workflows", lambda c: c.list_workflows(), {"result": []}),
    Operation("documents", lambda c: c.list_workflow_documents(), {"result": []}),
    Operation("agents", lambda c: c.list_ai_agents(), {"agents": []}),
)
EVERY = (*WRITES, *READS)
HIDDEN = tuple(each for each in EVERY if not each.is_shown)
SHOWN_WRITES = tuple(each for each in WRITES if each.is_shown)


def one_of_each_sort(number: int) -> Sequence[Operation]:
    """Return those without a shown answer, one other write and one read, which differ from number to number."""
    return (*HIDDEN, SHOWN_WRITES[number % len(SHOWN_WRITES)], READS[number % len(READS)])


def answer(
    body: bytes, kind: str = "application/json", *, status: str = "200 OK", length: int | None = None, **more: str
) -> bytes:
    """A whole answer as it goes over the wire."""
    headers = {"Content-Length": str(len(body) if length is None else length)}
    headers |= {"Content-Type": kind} if kind else {}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


Answers = Mapping[str, bytes | Callable[[Operation], bytes]]
"""By what they are called: an answer to any operation, or how to make one to each."""


def failures(
    answers: Answers, operations: Callable[[int], Sequence[Operation]] = one_of_each_sort
) -> Iterator[tuple[str, Operation, ApiError]]:
    """Send operations for each answer, by its number, once each; return what it was in words, and the error."""
    server = Wire(b"", closes=True)
    found: list[tuple[str, Operation, ApiError]] = []

    async def ask_each(client: PlatformClient) -> None:
        cases = [(mode, each) for number, mode in enumerate(answers) for each in operations(number)]
        for number, (mode, each) in enumerate(cases, 1):
            server.answer = made if isinstance(made := answers[mode], bytes) else made(each)
            what = f"{each.name}: {mode}"
            try:
                await each.ask(client)
            except ApiError as error:
                found.append((what, each, error))
            else:
                pytest.fail(f"{what}: it was believed")
            assert server.connections == number, f"{what}: it was sent once"

    server.ask(ask_each)
    return iter(found)


def failure(operation: Operation, wire: bytes) -> ApiError:
    ((_, _, error),) = failures({"": wire}, lambda _: [operation])
    return error


def believes(cases: Iterable[tuple[Operation, bytes]]) -> None:
    """Each of these operations takes its answer for its success."""
    server = Wire(b"", closes=True)

    async def ask_each(client: PlatformClient) -> None:
        for each, server.answer in cases:
            try:
                await each.ask(client)
            except ApiError as error:
                raise AssertionError(f"{each.name}: {server.answer!r}") from error

    server.ask(ask_each)


def whole(operation: Operation) -> bytes:
    return json.dumps(operation.fits).encode()


PAGES = {
    "html": answer(PAGE, HTML),
    "html called json": answer(PAGE),
    "html without a type": answer(PAGE, ""),
    "html behind blanks": answer(b" \r\n\t " + PAGE),
    "html behind a mark": answer(BOM + PAGE),
    "html in utf-16": answer("<html>".encode("utf-16"), HTML),
    "xhtml": answer(PAGE, "application/xhtml+xml"),
    "html called created": answer(PAGE, HTML, status="201 Created"),
    "html in pieces": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<html>\r\n0\r\n\r\n",
    "html until the end": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE,
    "html with a length too short": answer(PAGE, HTML, length=9),
    "html of a megabyte": answer(PAGE + b"x" * 1_000_000, HTML),
    "html compressed": answer(gzip.compress(PAGE), HTML, Content_Encoding="gzip"),
    "html in pretence": answer(b'{"login": "here"}', HTML),
    "an empty page": answer(b"", HTML),
    "an empty page called no content": answer(b"", HTML, status="204 No Content"),
    "an empty page called compressed": answer(b"", HTML, Content_Encoding="gzip"),
    "xml": answer(b'<?xml version="1.0"?><Error/>', "application/xml"),
    "html behind a mark and blanks": answer(BOM + b"\r\n" + PAGE),
    "a network that wants a login": answer(b"{}", status="511 Network Authentication Required"),
    "a page that isn't found": answer(PAGE, HTML, status="404 Not Found"),
    "a page that isn't found, called json": answer(PAGE, status="404 Not Found"),
    "a page that isn't found, compressed": answer(
        gzip.compress(PAGE), HTML, status="404 Not Found", Content_Encoding="gzip"
    ),
    "a page that isn't found, cut": answer(PAGE, HTML, status="404 Not Found", length=5000),
}


def test_a_page_is_somebody_between() -> None:
    for what, operation, caught in failures(PAGES):
        assert type(caught) is Intercepted, what
        assert isinstance(caught, Ambiguous), what
        assert caught.interception.startswith("something between you and 127.0.0.1:"), what
        assert caught.interception.endswith(" is answering (a login page?)"), what
        assert str(caught).startswith(f"{caught.interception}; log in to the network in a browser"), what
        assert (PERHAPS_DONE in str(caught)) is (operation in WRITES), what


def each_of(make: Callable[[bytes], dict[str, bytes]]) -> Answers:
    """Return what is made of the answer that would fit."""
    return {mode: lambda operation, mode=mode: make(whole(operation))[mode] for mode in make(b"")}  # type: ignore[misc]


def cut(body: bytes) -> dict[str, bytes]:
    return {
        "cut": answer(body, length=len(body) + 500),
        "cut before it began": answer(b"", length=500),
        "cut in pieces": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(body), body),
        "cut within a piece": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + body,
        "no end": b"HTTP/1.1 200 OK\r\n\r\n",
        "two lengths": answer(body, content_length="3"),
    }


def test_an_answer_that_breaks_off_tells_nothing() -> None:
    for what, operation, caught in failures(each_of(cut)):
        assert type(caught) is Ambiguous, what
        assert (PERHAPS_DONE in str(caught)) is (operation in WRITES), what


def unfit(body: bytes) -> dict[str, bytes]:
    return {
        "in another encoding": answer(gzip.compress(body), Content_Encoding="gzip"),
        "no utf-8": answer(b'"\xff"'),
        "a mark before it": answer(BOM + body),
        "with a length too short": answer(body, length=len(body) - 1),
        "half": answer(b'{"task": {"taskI'),
        "not a number": answer(b'{"task": NaN}'),
        "blanks": answer(b" \r\n"),
        "plain words": answer(b"OK", "text/plain"),
        "an unquoted word": answer(b"success", "text/plain"),
        "what is no text": answer(b"\xff\xfe\x00", "application/octet-stream"),
        "in another encoding and two framings": (
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
            b"3\r\n\x1f\x8b\x08\r\n0\r\n\r\n"
        ),
        "an error called html": answer(ERROR, HTML),
        "a part": answer(body, status="206 Partial Content"),
        "several outcomes": answer(body, status="207 Multi-Status"),
        "changed on its way": answer(body, status="203 Non-Authoritative Information"),
    }


def test_what_looks_like_the_platforms_and_is_not_whole_is_not_believed() -> None:
    for what, operation, caught in failures(each_of(unfit)):
        assert type(caught) is BadReply, what
        assert (PERHAPS_DONE in str(caught)) is (operation in WRITES), what


def test_a_surplus_answer_is_taken_for_no_other_write() -> None:
    """HTTP ends an answer at its stated length; what follows on the connection isn't seen."""
    server = Wire(b"")

    async def twice(client: PlatformClient) -> None:
        for number, operation in enumerate(WRITES):
            server.answer = answer(whole(operation)) + answer(ERROR, status="400 Bad Request")
            for again in (1, 2):
                await operation.ask(client)
                assert server.connections == 2 * number + again, operation.name

    server.ask(twice)


def test_json_that_the_operation_does_not_answer_is_not_believed() -> None:
    webhook, put = HIDDEN
    objects = [{}, {"result": "success"}]
    others = [[], 7, None, True, "", "failed", "Success", ["success"]]
    made = {json.dumps(value): answer(json.dumps(value).encode()) for value in (*objects, *others)}
    of_objects = [made[json.dumps(value)] for value in objects]
    believes([*product([webhook], made.values()), *product([put], of_objects)])
    shown = [*SHOWN_WRITES, *READS]

    def some(number: int) -> Sequence[Operation]:
        return shown if number < len(objects) else [put, *shown[number % 2 :: 2]]

    for what, _, caught in failures(made, some):
        assert type(caught) is BadReply, what


def test_an_error_that_is_called_a_success_is_no_yes() -> None:
    wire = answer(b'{"error": "slug", "message": "c could not be saved", "id": "w"}')
    for what, _, caught in failures({"an error": wire}, lambda _: WRITES):
        assert type(caught) is BadReply, what
        assert PERHAPS_DONE in str(caught), what


def test_a_message_that_names_another_campaign_is_no_yes() -> None:
    campaign = next(each for each in WRITES if each.name == "campaign")
    assert "doesn't contain the campaign's id" in str(failure(campaign, answer(b'{"message": "log in first"}')))


def test_nothing_at_all_is_a_yes_only_where_the_interface_shows_no_answer() -> None:
    """An empty answer doesn't come from a login page, so it tells nothing about the host."""
    forms = product(["200 OK", "204 No Content"], ["", "application/json", "text/plain"], ["identity", "gzip"])
    made = {
        f"{status} {kind} {encoding}": answer(b"", kind, status=status, Content_Encoding=encoding)
        for status, kind, encoding in forms
    }
    webhook, _ = HIDDEN
    assert webhook.may_be_empty
    believes(product([webhook], made.values()))
    for what, operation, caught in failures(made, lambda number: one_of_each_sort(number)[1:]):
        assert type(caught) is BadReply, what
        assert "the response is empty" in str(caught), what
        assert (PERHAPS_DONE in str(caught)) is (operation in WRITES), what


def test_a_204_without_a_length_is_empty() -> None:
    wire = Wire(b"HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n")
    wire.ask(lambda client: client.delete_webhook("h"))
    assert len(wire.heads) == 1, "it is taken for the answer, so nothing is sent again"


@pytest.mark.parametrize("operation", WRITES[:2], ids=lambda each: each.name)
def test_where_a_word_is_wanted_no_more_than_64_kib_are_read(operation: Operation) -> None:
    body = b'"' + b"x" * 70_000 + b'"'
    assert type(failure(operation, answer(body))) is ReplyTooLarge
    Wire(answer(whole(operation) + b" " * 60_000)).ask(operation.ask)


@pytest.mark.slow
@pytest.mark.parametrize("operation", EVERY, ids=lambda each: each.name)
def test_an_answer_is_read_up_to_the_size_of_its_kind(operation: Operation) -> None:
    mebibytes = {"task": 1, "patch": 1, "create": 1, "campaign": 1, "tasks": 4, "messages": 4, "agents": 8}
    mebibytes |= {"put": 8, "reset": 8, "a campaign": 16, "workflows": 16, "documents": 16}
    limit = int(mebibytes.get(operation.name, 1 / 16) * 1024 * 1024)
    Wire(answer(whole(operation).ljust(limit))).ask(operation.ask)
    caught = failure(operation, answer(whole(operation).ljust(limit + 1)))
    assert type(caught) is ReplyTooLarge
    assert re.search(r": the response from 127\.0\.0\.1:\d+ is larger than \d+ [MK]iB", str(caught))


def test_an_answer_of_countless_tiny_parts_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = READS[-1]
    many = b'{"agents":[],"x":[' + b",".join([b"{}"] * MAX_CONTAINERS) + b"]}"
    monkeypatch.setattr(replies, "parse_answer", lambda _: pytest.fail("it was parsed"))
    caught = failure(agents, answer(many))
    assert type(caught) is ReplyTooLarge
    assert "has more than 400,000 objects and lists" in str(caught)


@pytest.mark.parametrize(
    ("ask", "field", "most"),
    [
        (lambda c: c.list_tasks(TaskQuery(limit=3)), "dbObject", 6),
        (READS[0].ask, "dbObject", 200),
        (READS[2].ask, "dbObject", 1_000),
        pytest.param(READS[4].ask, "result", 10_000, marks=pytest.mark.slow),
        (READS[6].ask, "agents", 200),
        (lambda c: c.list_ai_agents(AiAgentQuery(flat=True, limit=1)), "agents", 2),
    ],
)
def test_a_page_has_at_most_twice_the_items_that_were_asked_for(ask: Work, field: str, most: int) -> None:
    def page(count: int) -> bytes:
        return answer(json.dumps({field: [{}] * count}).encode())

    assert len(Wire(page(most)).ask(ask).broken) == most
    caught = failure(Operation("page", ask, {}), page(most + 1))
    assert type(caught) is TooManyItems
    assert f"the response has {most + 1:,} items, but a page has at most {most:,}" in str(caught)


def test_what_fits_is_believed_whatever_it_is_called() -> None:
    """A label alone decides only where the interface shows no answer that anything could be compared with."""
    states = ["200 OK", "201 Created", "202 Accepted"]
    kinds = ["application/json", "application/problem+json", "text/plain", "", HTML]
    believes(
        (each, answer(whole(each), kind, status=status))
        for number, (status, kind) in enumerate(product(states, kinds))
        for each in (one_of_each_sort(number) if number else EVERY)
        if each.is_shown or kind != HTML
    )
    pages: Answers = {
        status: lambda each, status=status: answer(whole(each), HTML, status=status)  # type: ignore[misc]
        for status in states
    }
    for what, _, caught in failures(pages, lambda _: HIDDEN):
        assert type(caught) is Intercepted, what


def test_a_redirect_to_a_login_page_is_not_followed() -> None:
    states = ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect"]
    pages = {each: answer(PAGE, HTML, status=each, Location="http://login.test/") for each in states}
    for what, _, caught in failures(pages):
        assert type(caught) is Redirected, what
        assert caught.interception.startswith("something between you and 127.0.0.1:"), what
        assert "log in to the network in a browser" in str(caught), what


def test_a_404_with_the_error_body_is_the_platforms_whatever_it_is_called() -> None:
    kinds = ["", "application/json", "text/plain", HTML]
    for what, _, caught in failures({each: answer(ERROR, each, status="404 Not Found") for each in kinds}):
        assert type(caught) is NotFound, what


NOT_FOUND = {
    "empty": answer(b"", "", status="404 Not Found"),
    "words": answer(b"Not Found", "text/plain", status="404 Not Found"),
    "a gateway's": answer(b'{"message": "Not Found"}', status="404 Not Found"),
    "a number for a word": answer(b'{"error": 404, "message": "no"}', status="404 Not Found"),
    "a list": answer(b"[]", status="404 Not Found"),
    "cut": answer(ERROR, status="404 Not Found", length=500),
    "with a length too short": answer(ERROR, status="404 Not Found", length=len(ERROR) - 1),
    "compressed": answer(gzip.compress(ERROR), status="404 Not Found", Content_Encoding="gzip"),
}


def test_a_404_without_the_error_body_says_neither_that_it_is_gone_nor_anything_about_the_host() -> None:
    for what, operation, caught in failures(NOT_FOUND):
        assert type(caught) is BadReply, what
        assert "a 404 that doesn't look like the platform's" in str(caught), what
        assert (PERHAPS_DONE in str(caught)) is (operation in WRITES), what


def test_a_success_that_states_a_failure_is_not_believed() -> None:
    stated: list[dict[str, object]] = [
        *({"success": False}, {"ok": False}, {"status": "error"}, {"error": "expired"}, {"error": {"code": 7}}),
    ]

    def stating(failed: dict[str, object]) -> Callable[[Operation], bytes]:
        return lambda each: answer(
            json.dumps(each.fits | failed if isinstance(each.fits, dict) else failed).encode()
        )

    for what, _, caught in failures({str(each): stating(each) for each in stated}, lambda _: WRITES):
        assert type(caught) is BadReply, what
        assert PERHAPS_DONE in str(caught), what
