"""Check that a success is the platform's answer, and turn a refusal into its error.

A network's login page answers 200 to everything, so a 2xx counts only when it fits the operation. HTML concerns
the whole host (`Intercepted`), any other mismatch one operation (`BadReply`). A refusal's words are untrusted
text and are redacted first, since a platform may echo the request.

Smaller pages while the items of a list are large, if the request has a `limit` (docs/interface.md, Limits).

Both of these lists go on from a cursor that the platform made after the last item, so the limit may change between
any two pages: nothing is skipped or repeated.
"""

from collections.abc import Awaitable, Callable
from json import JSONDecodeError
from typing import Any, TypeVar

from frontdesk_api.client.errors import (
    LOG_IN,
    PERHAPS_DONE,
    WERE_REFUSED,
    Ambiguous,
    BadReply,
    Conflict,
    CredentialsRefused,
    HttpError,
    Intercepted,
    NotFound,
    PlanRequired,
    RateLimited,
    Redirected,
    Refused,
    ReplyTooLarge,
    ServerError,
    TooManyItems,
    interception_words,
)
from frontdesk_api.client.request_encoding import LOOSE_CURSOR
from frontdesk_api.client.transport import HttpAnswer, parse_retry_after
from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.decode import Page, PageTooLong, Undecodable
from frontdesk_api.contract.endpoints import (
    LIST_AI_AGENTS,
    LIST_TASKS,
    LIST_WORKFLOWS,
    RESET_WORKFLOW_ANALYTICS,
    Anything,
    Endpoint,
    Retry,
    Word,
)
from frontdesk_api.contract.tasks import TaskQuery
from frontdesk_api.json_parser import NotUtf8, TooDeep, parse_answer
from frontdesk_api.redaction import KNOWN, redact

QueryT = TypeVar("QueryT", TaskQuery, AiAgentQuery)
PageT = TypeVar("PageT", bound=Page[Any])

GROW_AFTER = 8
"""Number of pages that fit, after which twice as many items are requested."""


class PageLimit:
    """The number of items to request on the next page of one list.

    Args:
        full: the limit while nothing is too large, at least 1.

    Attributes:
        value: the limit of the next request, 1 to `full`.
    """

    def __init__(self, full: int):
        self._full = self.value = full
        self._fitting = 0

    async def fetch(self, query: QueryT, request: Callable[[QueryT], Awaitable[PageT]]) -> PageT:
        """Fetch a page, halving the limit while its items are too large together.

        Raises:
            ReplyTooLarge: a single item is too large, or the host ignores the limit.
        """
        is_ignored = False
        while True:
            asked = query if self.value == self._full else query.model_copy(update={"limit": self.value})
            try:
                page = await request(asked)
            except ReplyTooLarge as error:
                self._fitting = 0
                if self.value == 1:
                    problem = f"{error.problem}, although only 1 item was requested"
                    raise ReplyTooLarge(problem, error.advice) from error
                if is_ignored:
                    raise
                self.value //= 2
            except TooManyItems:
                if self.value == self._full:
                    raise
                self.value, self._fitting, is_ignored = self._full, 0, True
            else:
                self._note_page(len(page.items) + len(page.broken))
                return page

    def _note_page(self, count: int) -> None:
        self._fitting += 1
        if count > self.value:
            self.value, self._fitting = self._full, 0  # smaller limits change nothing at this host
        elif self._fitting >= GROW_AFTER:
            self.value, self._fitting = min(self._full, self.value * 2), 0


ResultT = TypeVar("ResultT")

_NETWORK_LOGIN = 511
"""RFC 6585's status of a network's access control, which the platform never sends."""

MAX_CONTAINERS = 400_000
"""Maximum number of objects and lists in one answer: parsed, each takes 60 to 180 bytes, whatever its text."""

_SUCCESSES = frozenset({200, 201, 202, 204})
"""Statuses of a success; the others mean a part (206), several outcomes (207), or something never requested."""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_BOM = b"\xef\xbb\xbf"

_PERHAPS_BEGUN = frozenset({408, 425})
_WITHOUT_ID = (LIST_WORKFLOWS, LIST_TASKS, LIST_AI_AGENTS)
"""Operations without an id, so that no id can be wrong."""


def read_success(
    endpoint: Endpoint[Any], answer: HttpAnswer, host: str, decode: Callable[[Any], ResultT]
) -> ResultT:
    """Decode a 2xx and redact our own credentials; `decode` gets `None` for an empty answer.

    Raises:
        Intercepted: the answer isn't the platform's.
        BadReply: the answer doesn't fit the operation.
        ReplyTooLarge: the answer is longer than the operation's answers, or would be in memory.
        TooManyItems: the page has far more items than were requested.
        Ambiguous: the answer may have been cut off.
    """
    if answer.status not in _SUCCESSES:
        raise _bad_reply(endpoint, f"unexpected response status {answer.status}")
    if (answer.is_compressed or answer.is_cut) and _is_html(answer):
        raise _intercepted(endpoint, host)
    if answer.is_compressed:
        sentence = "the response is compressed, which wasn't requested"
        raise _bad_reply(endpoint, f"{sentence}; check for a proxy between you and {host}")
    _check_size(endpoint, answer, host)
    if not answer.body:
        _check_may_be_empty(endpoint, answer, host)
        return decode(None)
    try:
        value = decode_json(answer.body)
    except BadReply as error:
        if _is_html(answer):
            raise _intercepted(endpoint, host) from None
        raise _bad_reply(endpoint, error) from None
    is_html = _is_html(answer) and not _is_error_body(value)
    try:
        _check_fits(endpoint, value)
        result = decode(KNOWN.redact_json(value, keep=(LOOSE_CURSOR,)))
    except Undecodable as error:
        if is_html:
            raise _intercepted(endpoint, host) from None
        kind = TooManyItems if isinstance(error, PageTooLong) else BadReply
        raise _bad_reply(endpoint, error, error.raw, kind) from None
    if is_html and not _is_described(endpoint):
        raise _intercepted(endpoint, host)
    return result


def _check_size(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> None:
    if answer.is_cut:
        size = f"is larger than {_size(len(answer.body))}"
    elif answer.body.count(b"{") + answer.body.count(b"[") > MAX_CONTAINERS:
        size = f"has more than {MAX_CONTAINERS:,} objects and lists"
    else:
        return
    raise ReplyTooLarge(f"{endpoint.summary.lower()}: the response from {host} {size}", _advice(endpoint))


def check_refusal(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> None:
    """Check that a status outside 2xx comes from the platform, if callers would act on it.

    Callers act on a 404 (the webhook or task is gone), so it counts only with an Error body, which a web server, a
    gateway or a login page doesn't send.

    Raises:
        Intercepted: a 511, or a 404 that is HTML.
        BadReply: another 404 without the Error body.
    """
    if answer.status == _NETWORK_LOGIN:
        raise _intercepted(endpoint, host)
    if answer.status != 404 or _has_error_body(answer):
        return
    if _is_html(answer):
        raise _intercepted(endpoint, host)
    raise _bad_reply(endpoint, "the response is a 404 that doesn't look like the platform's")


def refusal_of(endpoint: Endpoint[Any], answer: HttpAnswer, host: str, remedy: str = "") -> HttpError:
    """Build the error for a status outside 2xx (docs/interface.md, Errors).

    Args:
        remedy: what a person does about refused credentials; empty to say nothing of it.
    """
    error, message = _refusal_words(answer.body)
    status = answer.status
    details = ": ".join(part for part in (error, message) if part)
    kind, sentence = _refusal_kind(
        endpoint, host, status, has_error_body=error is not None, has_message=message is not None
    )
    if kind is CredentialsRefused and remedy:
        sentence = f"{sentence}; {remedy}"
    refusal = kind(
        f"{sentence} ({status}: {details})" if details else f"{sentence} ({status})",
        status=status,
        error=error,
        message=message,
        retry_after=parse_retry_after(None if answer.retry_after is None else redact(answer.retry_after)),
        host=host,
    )
    if isinstance(refusal, Redirected):
        refusal.interception = interception_words(host)
    return refusal


def _refusal_kind(
    endpoint: Endpoint[Any], host: str, status: int, *, has_error_body: bool, has_message: bool
) -> tuple[type[HttpError], str]:
    what = endpoint.summary.lower()
    if 300 <= status < 400 or status < 200:
        sentence = f"{what}: {interception_words(host)}; it sent a redirect, which is never followed"
        return Redirected, f"{sentence}; {LOG_IN}, or correct the host in your profile"
    if status >= 500 or status in _PERHAPS_BEGUN:
        advice = "try again later" if endpoint.retry is Retry.READ else PERHAPS_DONE
        return ServerError, f"{what}: the platform failed; {advice}"
    is_message_only = has_message and not has_error_body
    if status == 403 and endpoint is RESET_WORKFLOW_ANALYTICS and is_message_only:
        return PlanRequired, f"{what}: the account's plan doesn't include it"
    if status in (401, 403):
        return CredentialsRefused, f"{what}: {WERE_REFUSED}"
    if status == 404:
        if endpoint in _WITHOUT_ID:
            return NotFound, f"{what}: the host has nothing at this address; check the host in your profile"
        return NotFound, f"{what}: the platform has nothing with this id; check it"
    if status == 409:
        return Conflict, f"{what}: it was changed after you loaded it; load it again, then repeat your change"
    if status == 429:
        return RateLimited, f"{what}: too many requests; wait and try again"
    return Refused, f"{what}: the platform rejected the request; correct the input"


def _refusal_words(body: bytes) -> tuple[str | None, str | None]:
    try:
        value = decode_json(body)
    except BadReply:
        return None, None
    texts = (value.get(name) if isinstance(value, dict) else None for name in ("error", "message"))
    error, message = (KNOWN.redact_refusal(text) if isinstance(text, str) else None for text in texts)
    return error, message


def decode_json(body: bytes) -> Any:
    """Parse a JSON body; raise BadReply unless it is UTF-8 and valid JSON, without NaN and not nested too deep."""
    try:
        return parse_answer(body)
    except NotUtf8:
        why = "isn't UTF-8 text"
    except TooDeep:
        why = "is nested too deeply"
    except JSONDecodeError:
        why = "isn't valid JSON"
    raise BadReply(f"the platform's response {why}")


def _intercepted(endpoint: Endpoint[Any], host: str) -> Intercepted:
    words = interception_words(host)
    advice = LOG_IN if endpoint.retry is not Retry.READ else f"{LOG_IN}, then try again"
    return Intercepted(_with_advice(endpoint, f"{words}; {advice}"), interception=words)


def _is_html(answer: HttpAnswer) -> bool:
    text = answer.body.lstrip().removeprefix(_BOM).lstrip()
    return answer.content_type in _HTML or text.startswith(b"<")


def _has_error_body(answer: HttpAnswer) -> bool:
    try:
        return _is_error_body(decode_json(answer.body))
    except BadReply:
        return False


def _is_error_body(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("error", "message"))


def _states_failure(value: object) -> bool:
    """Return whether an object reports a failure in the words that services of this kind use."""
    if not isinstance(value, dict):
        return False
    is_denied = value.get("success") is False or value.get("ok") is False or bool(value.get("error"))
    return is_denied or value.get("status") in ("error", "failed", "failure")


def _check_may_be_empty(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> None:
    if not answer.has_end:
        raise Ambiguous(
            _with_advice(endpoint, f"the connection to {host} broke before a response arrived", "try again")
        )
    if _is_html(answer):
        raise _intercepted(endpoint, host)
    if isinstance(endpoint.reply, Anything):
        return
    raise _bad_reply(endpoint, "the response is empty")


def _check_fits(endpoint: Endpoint[Any], value: object) -> None:
    """Check the rest after decoding: words, errors under a success, undescribed answers."""
    if isinstance(endpoint.reply, Word) and value != endpoint.reply.value:
        raise Undecodable(f"the response isn't {endpoint.reply.value!r}")
    if endpoint.retry is Retry.READ:
        return
    if _is_error_body(value) or _states_failure(value):
        raise Undecodable("the response reports success but contains an error")
    if not endpoint.specified and not isinstance(value, dict):
        raise Undecodable("the response isn't an object")


def _is_described(endpoint: Endpoint[Any]) -> bool:
    """Return whether the interface shows the answer, so that one that fits can't come from elsewhere."""
    return endpoint.specified and not isinstance(endpoint.reply, Anything)


def _bad_reply(
    endpoint: Endpoint[Any], problem: object, raw: object = None, kind: type[BadReply] = BadReply
) -> BadReply:
    error = kind(_with_advice(endpoint, f"{endpoint.summary.lower()}: {problem}"))
    error.raw = raw
    return error


def _with_advice(endpoint: Endpoint[Any], sentence: str, read_advice: str = "") -> str:
    return f"{sentence}; {_advice(endpoint, read_advice)}"


def _advice(endpoint: Endpoint[Any], read_advice: str = "") -> str:
    if endpoint.retry is not Retry.READ:
        return PERHAPS_DONE
    return "; ".join(filter(None, (read_advice, "if it keeps happening, check the host in your profile")))


def _size(size: int) -> str:
    return f"{size // 1024 // 1024} MiB" if size >= 1024 * 1024 else f"{size // 1024} KiB"
