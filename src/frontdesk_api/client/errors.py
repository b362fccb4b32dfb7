"""Errors of requests, distinguished by whether the request may be sent again.

ApiError
├── BadRequestInput          invalid input: nothing was sent, no retry will help
├── NotSent                  nothing reached the platform: safe to send again
│   └── CredentialsMissing   a credential that the operation needs is missing
├── Ambiguous                perhaps done: after a write, fetch before sending again
│   ├── BadReply             an answer that doesn't fit the interface
│   │   ├── Intercepted      not the platform's answer: a login page, a proxy
│   │   ├── ReplyTooLarge    more than the cap
│   │   ├── TooManyItems     a page of far more items than were asked for
│   │   └── InvalidPaging    a cursor that repeats, or more pages without one
│   └── ServerError          5xx, 408 or 425 (an HttpError too)
└── HttpError                an answer whose status isn't a success
    ├── ServerError
    └── Refused              the platform refused: nothing was changed
        ├── CredentialsRefused   401, or 403 with an Error body
        ├── PlanRequired         403 of analytics reset with a message only
        ├── NotFound             404 with the Error body
        ├── Conflict             409
        ├── RateLimited          429
        └── Redirected           3xx: a login page, or the configured host isn't the platform's

`str(error)` is one sentence with the fault and the remedy. It never contains a credential; what
the platform wrote into `error` and `message` is a stranger's text.
"""


class ApiError(Exception):
    """Raised when a request failed."""


class UnsentWrite(Exception):
    """Raised when a client with `dry_run` was asked for a write, with its JSON text; nothing was sent."""

    def __init__(self, method: str, url: str, body: str | None) -> None:
        super().__init__(f"{method} {url} wasn't sent: this is a dry run")
        self.method, self.url, self.body = method, url, body


class NotSent(ApiError):
    """Raised when nothing reached the platform."""


class BadRequestInput(ApiError, ValueError):
    """Raised when the input can't be sent; nothing was sent."""


class CredentialsMissing(NotSent):
    """Raised when a credential that the operation needs isn't configured; nothing was sent."""


class Ambiguous(ApiError):
    """Raised when the request was sent, and its outcome is unknown."""


class BadReply(Ambiguous):
    """Raised when a success doesn't fit, or a 404 has no Error body; `raw` is its object, if any."""

    raw: object = None


class Intercepted(BadReply):
    """Raised when a login page, proxy or gateway answered for the platform; `interception` is a short text."""

    def __init__(self, sentence: str, *, interception: str) -> None:
        super().__init__(sentence)
        self.interception = interception


class ReplyTooLarge(BadReply):
    """Raised when the answer is longer than any valid answer of the operation (`Endpoint.reply_bytes`)."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__("; ".join(filter(None, (problem, advice))))
        self.problem, self.advice = problem, advice


class TooManyItems(BadReply):
    """Raised when a page has far more items than were requested."""


class InvalidPaging(BadReply):
    """Raised when paging can't go on: the cursor repeats, or is missing although more pages exist."""


class HttpError(ApiError):
    """Raised when the platform answered with a status that isn't a success.

    Attributes:
        error: the Error body's `error`, else None. The interface doesn't show its values: never branch on it.
        message: the body's `message`, if it is text.
        retry_after: seconds.
        host: the answering host, with its port.
    """

    def __init__(
        self,
        sentence: str,
        *,
        status: int,
        error: str | None = None,
        message: str | None = None,
        retry_after: float | None = None,
        host: str = "",
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.error = error
        self.message = message
        self.retry_after = retry_after
        self.host = host


class Refused(HttpError):
    """Raised when the platform refused the request; nothing was changed."""


class CredentialsRefused(Refused):
    """Raised for 401 or 403: the Cookie, x-api-key or Bearer token isn't accepted."""


class PlanRequired(Refused):
    """Raised when the account's plan doesn't include the operation (docs/interface.md, Errors, 3)."""


class NotFound(Refused):
    """Raised for 404 with the Error body: the platform has nothing with this id."""


class Conflict(Refused):
    """Raised for 409: the echoed lastModified is outdated (docs/interface.md, Errors, 4)."""


class RateLimited(Refused):
    """Raised for 429: too many requests; see `retry_after`."""


class Redirected(Refused):
    """Raised for 3xx, never followed, since the credentials belong to the configured host alone."""

    interception: str = ""


class ServerError(HttpError, Ambiguous):
    """Raised for 5xx, 408 or 425: the platform failed, perhaps after it had begun."""


ABOUT_HOST = CredentialsRefused | CredentialsMissing | RateLimited | Redirected | Intercepted
"""Errors that concern every request to the host, not one operation."""

MAX_RETRY_AFTER = 3600.0
"""Maximum Retry-After in seconds; a longer one counts as a mistake."""

WERE_REFUSED, NOT_CONFIGURED = "the credentials were refused", "not configured: "
"""Words by which a sentence about credentials is recognized where only the sentence is stored."""

PERHAPS_DONE = "it may have gone through; check before you resend it"

LOG_IN = "log in to the network in a browser"


def interception_words(host: str) -> str:
    """Describe an answer from something other than the platform."""
    return f"something between you and {host} is answering (a login page?)"
