"""From an answer that is no success to the error that says what it means.

`PlatformClient` calls it. The Error body's words are a stranger's: kept as fields, not trusted,
and redacted before anything is made of them, since a platform may echo the request.
"""

from typing import Any

from frontdesk.api.client.errors import (
    LOG_IN,
    PERHAPS_DONE,
    BadReply,
    Conflict,
    CredentialsRefused,
    HttpError,
    NotFound,
    PlanRequired,
    RateLimited,
    Redirected,
    Refused,
    ServerError,
    interception_words,
)
from frontdesk.api.client.retries import parse_retry_after
from frontdesk.api.client.strict_json import decode
from frontdesk.api.client.transport import HttpAnswer
from frontdesk.api.contract.endpoints import (
    LIST_AI_AGENTS,
    LIST_TASKS,
    LIST_WORKFLOWS,
    RESET_WORKFLOW_ANALYTICS,
    Endpoint,
    Retry,
)
from frontdesk.text.redaction import KNOWN, redact

_PERHAPS_BEGUN = frozenset({408, 425})
_WITHOUT_ID = (LIST_WORKFLOWS, LIST_TASKS, LIST_AI_AGENTS)
"""What is asked without an id, so that none can be wrong."""


def refusal_of(endpoint: Endpoint[Any], answer: HttpAnswer, host: str) -> HttpError:
    """The error for an answer with a status outside 2xx (docs/interface.md, Errors)."""
    error, message = _words(answer.body)
    status = answer.status
    said = ": ".join(part for part in (error, message) if part)
    kind, sentence = _kind(
        endpoint, host, status, has_error_body=error is not None, has_message=message is not None
    )
    refusal = kind(
        f"{sentence} ({status}: {said})" if said else f"{sentence} ({status})",
        status=status,
        error=error,
        message=message,
        retry_after=parse_retry_after(None if answer.retry_after is None else redact(answer.retry_after)),
    )
    if isinstance(refusal, Redirected):
        refusal.interception = interception_words(host)
    return refusal


def _kind(
    endpoint: Endpoint[Any], host: str, status: int, *, has_error_body: bool, has_message: bool
) -> tuple[type[HttpError], str]:
    what = endpoint.summary.lower()
    if 300 <= status < 400 or status < 200:
        sentence = f"{what}: {interception_words(host)} with a redirect, which is never followed"
        return Redirected, f"{sentence}; {LOG_IN}, or correct the host in your profile"
    if status >= 500 or status in _PERHAPS_BEGUN:
        advice = "try again later" if endpoint.retry is Retry.READ else PERHAPS_DONE
        return ServerError, f"{what}: the platform failed; {advice}"
    is_message_only = has_message and not has_error_body
    if status == 403 and endpoint is RESET_WORKFLOW_ANALYTICS and is_message_only:
        return PlanRequired, f"{what}: the account's plan doesn't include it"
    if status in (401, 403):
        return CredentialsRefused, f"{what}: the credentials aren't accepted; run `frontdesk login`"
    if status == 404:
        if endpoint in _WITHOUT_ID:
            return NotFound, f"{what}: this address isn't known there; check the host in your profile"
        return NotFound, f"{what}: the platform has nothing with this id; check it"
    if status == 409:
        return Conflict, f"{what}: it was changed since you read it; read it again, then repeat your change"
    if status == 429:
        return RateLimited, f"{what}: too many requests; wait and try again"
    return Refused, f"{what}: the platform refused; correct what was sent"


def _words(body: bytes) -> tuple[str | None, str | None]:
    try:
        value = decode(body)
    except BadReply:
        return None, None
    if not isinstance(value, dict):
        return None, None
    return _text(value.get("error")), _text(value.get("message"))


def _text(value: object) -> str | None:
    return KNOWN.redact_refusal(value) if isinstance(value, str) else None
