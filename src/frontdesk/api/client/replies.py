"""Whether a success is the platform's answer to what was asked, and what it says.

A network's login page answers 200 to everything, so `PlatformClient` believes a 2xx only when it fits the
operation. HTML is somebody else's, and tells about the whole host (`Intercepted`); whatever else doesn't fit
tells about the one operation alone (`BadReply`).
"""

from collections.abc import Callable
from typing import Any, TypeVar

from frontdesk.api.client import strict_json
from frontdesk.api.client.errors import (
    LOG_IN,
    PERHAPS_DONE,
    Ambiguous,
    BadReply,
    Intercepted,
    ReplyTooLarge,
    interception_words,
)
from frontdesk.api.client.transport import HttpAnswer
from frontdesk.api.contract.decode import Undecodable
from frontdesk.api.contract.endpoints import Anything, Endpoint, Retry, Word
from frontdesk.text.redaction import KNOWN

ResultT = TypeVar("ResultT")

_NETWORK_LOGIN = 511
"""RFC 6585: sent by what controls access to a network, never by the platform."""

_SUCCESSES = frozenset({200, 201, 202, 204})
"""The others stand for a part (206), several outcomes (207), or what nobody asked for."""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_BOM = b"\xef\xbb\xbf"


def read_success(
    endpoint: Endpoint[Any], answer: HttpAnswer, host: str, decode: Callable[[Any], ResultT]
) -> ResultT:
    """What a 2xx says, decoded and without our own credentials; `decode` gets None for an answer without a body.

    Raises:
        Intercepted: it isn't the platform's.
        BadReply: it doesn't fit the operation.
        Ambiguous: it may have been cut off.
    """
    what = endpoint.summary.lower()
    if answer.status not in _SUCCESSES:
        raise BadReply(_with_advice(endpoint, f"{what}: the answer has the unexpected status {answer.status}"))
    if (answer.is_compressed or answer.is_cut) and _is_html(answer):
        raise _intercepted(endpoint, host)
    if answer.is_compressed:
        sentence = f"{what}: the answer is compressed although that wasn't asked for"
        raise BadReply(_with_advice(endpoint, f"{sentence}; check what stands between you and {host}"))
    if answer.is_cut:
        sentence = f"{what}: the answer is larger than {_size(len(answer.body))}"
        raise ReplyTooLarge(_with_advice(endpoint, sentence, "ask for less at once"))
    if not answer.body:
        _check_may_be_empty(endpoint, answer, host)
        return decode(None)
    try:
        value = strict_json.decode(answer.body)
    except BadReply as error:
        if _is_html(answer):
            raise _intercepted(endpoint, host) from None
        raise BadReply(_with_advice(endpoint, f"{what}: {error}")) from None
    is_html = _is_html(answer) and not _is_error_body(value)
    try:
        _check_fits(endpoint, value)
        result = decode(KNOWN.redact_json(value, keep=(strict_json.LOOSE_CURSOR,)))
    except Undecodable as error:
        if is_html:
            raise _intercepted(endpoint, host) from None
        bad = BadReply(_with_advice(endpoint, f"{what}: {error}"))
        bad.raw = error.raw
        raise bad from None
    if is_html and not _is_described(endpoint):
        raise _intercepted(endpoint, host)
    return result


def check_refusal(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> None:
    """Check that a status outside 2xx comes from the platform, where it would be acted on.

    A 404 is acted on, as when a webhook or a task is gone: it counts with the Error body alone, which a web
    server, a gateway or a login page doesn't send.

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
    what = endpoint.summary.lower()
    raise BadReply(_with_advice(endpoint, f"{what}: the answer has the status 404 without the Error body"))


def _intercepted(endpoint: Endpoint[Any], host: str) -> Intercepted:
    words = interception_words(host)
    advice = LOG_IN if endpoint.retry is not Retry.READ else f"{LOG_IN}, then try again"
    return Intercepted(_with_advice(endpoint, f"{words}; {advice}"), interception=words)


def _is_html(answer: HttpAnswer) -> bool:
    """Whether an answer is HTML, by its label or its first character."""
    text = answer.body.lstrip().removeprefix(_BOM).lstrip()
    return answer.content_type in _HTML or text.startswith(b"<")


def _has_error_body(answer: HttpAnswer) -> bool:
    try:
        return _is_error_body(strict_json.decode(answer.body))
    except BadReply:
        return False


def _is_error_body(value: object) -> bool:
    """Whether this is the Error body (docs/interface.md, Errors, 1)."""
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("error", "message"))


def _states_failure(value: object) -> bool:
    """Whether an object says itself that nothing was done, in the words that services of this kind use."""
    if not isinstance(value, dict):
        return False
    is_denied = value.get("success") is False or value.get("ok") is False or bool(value.get("error"))
    return is_denied or value.get("status") in ("error", "failed", "failure")


def _check_may_be_empty(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> None:
    """Check that an operation may be answered with nothing."""
    if not answer.has_end:
        raise Ambiguous(
            _with_advice(endpoint, f"the connection to {host} broke before an answer came", "try again")
        )
    if _is_html(answer):
        raise _intercepted(endpoint, host)
    if isinstance(endpoint.reply, Anything):
        return
    raise BadReply(_with_advice(endpoint, f"{endpoint.summary.lower()}: the answer is empty"))


def _check_fits(endpoint: Endpoint[Any], value: object) -> None:
    """Check what decoding leaves open: words, errors under a success, answers that the interface doesn't show."""
    if isinstance(endpoint.reply, Word) and value != endpoint.reply.value:
        raise Undecodable(f"the answer isn't the word {endpoint.reply.value!r}")
    if endpoint.retry is Retry.READ:
        return
    if _is_error_body(value) or _states_failure(value):
        raise Undecodable("the platform answers with an error although it reports success")
    if not endpoint.specified and not isinstance(value, dict):
        raise Undecodable("the answer isn't an object")


def _is_described(endpoint: Endpoint[Any]) -> bool:
    """Whether the interface shows the answer, so that one that fits can't be anybody else's."""
    return endpoint.specified and not isinstance(endpoint.reply, Anything)


def _with_advice(endpoint: Endpoint[Any], sentence: str, read_advice: str = "") -> str:
    if endpoint.retry is not Retry.READ:
        return f"{sentence}; {PERHAPS_DONE}"
    return "; ".join(filter(None, (sentence, read_advice, "if that stays so, check the host in your profile")))


def _size(size: int) -> str:
    return f"{size // 1024 // 1024} MiB" if size >= 1024 * 1024 else f"{size // 1024} KiB"
