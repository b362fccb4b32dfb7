"""What can go wrong with a request, told apart by what it means for sending again.

ApiError
├── BadRequestInput          what was asked can't be asked: nothing was sent, no retry will help
├── NotSent                  nothing reached the platform: send again as you like
│   └── CredentialsMissing   a credential that the operation needs isn't there
├── Ambiguous                perhaps done: for a write, read back before sending again
│   ├── BadReply             answered, but not with what the interface shows
│   │   ├── Intercepted      not the platform's answer: a login page, a proxy
│   │   ├── ReplyTooLarge    more than the cap
│   │   ├── TooManyItems     a page of far more items than were asked for
│   │   └── BrokenPaging     a cursor that repeats, or more pages without one
│   └── ServerError          5xx, 408 or 425 (an HttpError too)
└── HttpError                answered with a status that is no success
    ├── ServerError
    └── Refused              the platform said no: nothing was changed
        ├── CredentialsRefused   401, or 403 with an Error body
        ├── PlanRequired         403 of analytics reset with a message only
        ├── NotFound             404 with the Error body
        ├── Conflict             409
        ├── RateLimited          429
        └── Redirected           3xx: a login page, or the configured host isn't the platform's

`str(error)` is one sentence: what went wrong and what to do. It never holds a credential; what
the platform wrote into `error` and `message` is a stranger's text.
"""


class ApiError(Exception):
    """A request that failed."""


class UnsentWrite(Exception):
    """A write that a client with `dry_run` was asked for; nothing was sent.

    Attributes:
        body: the JSON text; None for no body.
    """

    def __init__(self, method: str, url: str, body: str | None) -> None:
        super().__init__(f"{method} {url} wasn't sent: this is a dry run")
        self.method, self.url, self.body = method, url, body


class NotSent(ApiError):
    """Nothing reached the platform."""


class BadRequestInput(ApiError, ValueError):
    """Input that can't be sent; nothing was sent."""


class CredentialsMissing(NotSent):
    """A credential that the operation needs isn't configured; nothing was sent."""


class Ambiguous(ApiError):
    """The request was sent, and its outcome is unknown."""


class BadReply(Ambiguous):
    """A success that can't be read, or a 404 without the Error body; `raw` is the object in it, if any."""

    raw: object = None


class Intercepted(BadReply):
    """A login page, proxy or gateway answered in the platform's place; `interception` says so in a few words."""

    def __init__(self, sentence: str, *, interception: str) -> None:
        super().__init__(sentence)
        self.interception = interception


class ReplyTooLarge(BadReply):
    """The answer is longer than any that the operation could mean (`Endpoint.reply_bytes`).

    Attributes:
        problem: the operation, the host and the size.
        advice: what to do.
    """

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__("; ".join(filter(None, (problem, advice))))
        self.problem, self.advice = problem, advice


class TooManyItems(BadReply):
    """A page holds far more items than were asked for."""


class InvalidPaging(BadReply):
    """Paging can't go on: the cursor repeats, or is missing although more pages exist."""


class HttpError(ApiError):
    """The platform answered with a status that is no success.

    Attributes:
        error: the Error body's `error`, else None. The interface doesn't show its values: never branch on it.
        message: the body's `message`, if it is text.
        retry_after: seconds.
        host: who answered, with its port.
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
    """The platform said no; nothing was changed."""


class CredentialsRefused(Refused):
    """401, or 403: the Cookie, x-api-key or Bearer token isn't accepted."""


class PlanRequired(Refused):
    """The account's plan doesn't include the operation (docs/interface.md, Errors, 3)."""


class NotFound(Refused):
    """404 with the Error body: the platform has nothing with this id."""


class Conflict(Refused):
    """409: the echoed lastModified is stale (docs/interface.md, Errors, 4)."""


class RateLimited(Refused):
    """429: too many requests; see `retry_after`."""


class Redirected(Refused):
    """3xx: never followed, since the credentials belong to the configured host alone."""

    interception: str = ""


class ServerError(HttpError, Ambiguous):
    """5xx, 408 or 425: the platform failed, perhaps after it had begun."""


ABOUT_HOST = CredentialsRefused | CredentialsMissing | RateLimited | Redirected | Intercepted
"""Errors that concern every request to the host, not one operation."""

MAX_RETRY_AFTER = 3600.0
"""Seconds; a longer Retry-After is taken for a mistake."""

PERHAPS_DONE = "it may have gone through; check before you resend it"

LOG_IN = "log in to the network in a browser"


def interception_words(host: str) -> str:
    """Describe an answer in the platform's place."""
    return f"something between you and {host} is answering (a login page?)"
