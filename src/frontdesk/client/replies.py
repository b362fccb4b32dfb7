"""Whether a success is the platform's answer to what was asked, and what it says.

A network's login page answers 200 to everything, so `PlatformClient` believes a 2xx only when it fits the
operation. All bodies of the platform are JSON (`interface.md`); what isn't JSON is somebody else's.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from frontdesk.client import strict_json
from frontdesk.client.errors import (
    LOG_IN,
    PERHAPS_DONE,
    Ambiguous,
    BadReply,
    Intercepted,
    ReplyTooLarge,
    between,
)
from frontdesk.client.transport import Answer
from frontdesk.contract.decode import Undecodable
from frontdesk.contract.endpoints import Anything, Endpoint, Retry, Word
from frontdesk.redaction import KNOWN

ResultT = TypeVar("ResultT")

_NETWORK_LOGIN = 511
"""RFC 6585: sent by what controls access to a network, never by the platform."""

_SUCCESSES = frozenset({200, 201, 202, 204})
"""The others stand for a part (206), several outcomes (207), or what nobody asked for."""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_JSON_BEGINS = frozenset(b'{["-0123456789')
_JSON_WORDS = (b"null", b"true", b"false")
_BOM = b"\xef\xbb\xbf"


def read_success(endpoint: Endpoint[Any], answer: Answer, host: str, decode: Callable[[Any], ResultT]) -> ResultT:
    """What a 2xx says, decoded and without our own credentials; `decode` gets None for an answer without a body.

    Raises:
        Intercepted: it isn't the platform's.
        BadReply: it doesn't fit the operation.
        Ambiguous: it may have been cut off.
    """
    what = endpoint.summary.lower()
    is_labelled_html = answer.content_type in _HTML
    if answer.status not in _SUCCESSES:
        raise BadReply(_and_then(endpoint, f"{what}: the answer has the unexpected status {answer.status}"))
    if answer.is_compressed and not is_labelled_html:
        sentence = f"{what}: the answer is compressed although that wasn't asked for"
        raise BadReply(_and_then(endpoint, f"{sentence}; check what stands between you and {host}"))
    if answer.is_compressed or (answer.is_cut and is_foreign(answer)):
        raise intercepted(endpoint, host)
    if answer.is_cut:
        sentence = f"{what}: the answer is larger than {_size(len(answer.body))}"
        raise ReplyTooLarge(_and_then(endpoint, sentence, "ask for less at once"))
    if not answer.body.strip():
        _check_may_be_empty(endpoint, answer, host)
        return decode(None)
    try:
        value = strict_json.decode(answer.body)
        _check_fits(endpoint, value)
        if is_labelled_html and not _is_described(endpoint):
            raise intercepted(endpoint, host)
        return decode(KNOWN.redact_json(value, keep=(strict_json.LOOSE_CURSOR,)))
    except Undecodable as error:
        if is_labelled_html:
            raise intercepted(endpoint, host) from None
        bad = BadReply(_and_then(endpoint, f"{what}: {error}"))
        bad.raw = error.raw
        raise bad from None
    except Intercepted:
        raise
    except BadReply as error:
        if is_foreign(answer):
            raise intercepted(endpoint, host) from None
        raise BadReply(_and_then(endpoint, f"{what}: {error}")) from None


def is_intercepted(answer: Answer) -> bool:
    """Whether a status outside 2xx is somebody else's: 511, or a 404 that is a page instead of the Error body.

    A 404 is acted on, as when a webhook or a task is gone, so a web server's own page must not pass for it.
    """
    return answer.status == _NETWORK_LOGIN or (answer.status == 404 and is_foreign(answer))


def intercepted(endpoint: Endpoint[Any], host: str) -> Intercepted:
    """The error for an answer that something else gave in the platform's place."""
    advice = LOG_IN if endpoint.retry is not Retry.READ else f"{LOG_IN}, then try again"
    return Intercepted(_and_then(endpoint, f"{between(host)}; {advice}"), between=between(host))


def is_foreign(answer: Answer) -> bool:
    """Whether an answer has a body that can't be the platform's: its label or its beginning is not JSON's."""
    text = answer.body.removeprefix(_BOM).lstrip()
    is_json = bool(text) and (text[0] in _JSON_BEGINS or text.rstrip() in _JSON_WORDS)
    return bool(text) and (answer.content_type in _HTML or not is_json)


def _check_may_be_empty(endpoint: Endpoint[Any], answer: Answer, host: str) -> None:
    """Check that an operation may be answered with nothing."""
    if not answer.has_end:
        raise Ambiguous(_and_then(endpoint, f"the connection to {host} broke before an answer came", "try again"))
    if isinstance(endpoint.reply, Anything) and answer.content_type not in _HTML:
        return
    if endpoint.specified or answer.content_type in _HTML:
        raise intercepted(endpoint, host)
    raise BadReply(_and_then(endpoint, f"{endpoint.summary.lower()}: the answer is empty"))


def _check_fits(endpoint: Endpoint[Any], value: object) -> None:
    """Check what decoding leaves open: words, errors under a success, answers that the interface doesn't show."""
    if isinstance(endpoint.reply, Word) and value != endpoint.reply.value:
        raise Undecodable(f"the answer isn't the word {endpoint.reply.value!r}")
    if endpoint.retry is Retry.READ:
        return
    if isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("error", "message")):
        raise Undecodable("the platform answers with an error although it reports success")
    if not endpoint.specified and not isinstance(value, dict):
        raise Undecodable("the answer isn't an object")


def _is_described(endpoint: Endpoint[Any]) -> bool:
    """Whether the interface shows the answer, so that one that fits can't be anybody else's."""
    return endpoint.specified and not isinstance(endpoint.reply, Anything)


def _and_then(endpoint: Endpoint[Any], sentence: str, read_advice: str = "") -> str:
    if endpoint.retry is not Retry.READ:
        return f"{sentence}; {PERHAPS_DONE}"
    return "; ".join(filter(None, (sentence, read_advice, "if that stays so, check the host in your profile")))


def _size(size: int) -> str:
    return f"{size // 1024 // 1024} MiB" if size >= 1024 * 1024 else f"{size // 1024} KiB"
