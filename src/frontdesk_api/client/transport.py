"""One request and its answer over httpx, with deadlines, size limits and one tree of errors.

Every request runs in its own task under its own deadline, so cancelling a caller breaks neither the pool nor
a write.
"""

import asyncio
import contextlib
import logging
import math
import os
import random
import ssl
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import httpx

from frontdesk_api.client.errors import (
    PERHAPS_DONE,
    Ambiguous,
    ApiError,
    CredentialsMissing,
    HttpError,
    InvalidPaging,
    NotSent,
    RateLimited,
    ReplyTooLarge,
    ServerError,
    TooManyItems,
)
from frontdesk_api.contract.endpoints import SHORT_BYTES, Credentials
from frontdesk_api.credentials import CredentialSet


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits for retrying a fetch.

    Attributes:
        total_seconds: for all attempts and the waits between them.
        retry_after_cap: a longer Retry-After is left to the caller, in the error.
    """

    attempts: int = 3
    base_seconds: float = 0.5
    longest_seconds: float = 8.0
    total_seconds: float = 30.0
    retry_after_cap: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random

    def wait_before_next(self, error: ApiError, attempt: int, seconds_left: float) -> float | None:
        """Return the seconds to wait before the next attempt, or `None` to fail now."""
        if attempt >= self.attempts or not _is_transient(error):
            return None
        retry_after = error.retry_after if isinstance(error, HttpError) else None
        if retry_after is not None:
            return retry_after if retry_after <= min(self.retry_after_cap, seconds_left) else None
        backoff = min(self.longest_seconds, self.base_seconds * 2 ** (attempt - 1)) * self.random()
        return backoff if backoff < seconds_left else None


ONCE = RetryPolicy(attempts=1)
"""The policy for callers with a backoff of their own."""


def parse_retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Parse a Retry-After header, seconds or an HTTP date, into seconds; return `None` if invalid."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    at = parse_http_date(text)
    return None if at is None else max(0.0, (at - (now or datetime.now(UTC))).total_seconds())


def parse_http_date(text: str) -> datetime | None:
    """Parse an HTTP date; return `None` if invalid."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _is_transient(error: ApiError) -> bool:
    if isinstance(error, CredentialsMissing | ReplyTooLarge | TooManyItems | InvalidPaging):
        return False
    return isinstance(error, NotSent | Ambiguous | RateLimited | ServerError)


IN_FLIGHT = 6
"""Maximum number of requests in flight, below the pool's size, so that none waits for a pool slot."""

_TIMEOUT = httpx.Timeout(connect=5.0, pool=2.0, read=15.0, write=10.0)
_READER = httpx.Limits(max_connections=8, max_keepalive_connections=4, keepalive_expiry=4.0)
_WRITER = httpx.Limits(max_connections=8, max_keepalive_connections=0)

HEADERS_SECONDS = 15.0
"""Maximum wait of a fetch for the head of its reply in seconds, even if `100 Continue` keeps arriving."""

PACE_SECONDS, MAX_PACE_FACTOR = 5.0, 2.0
"""Limits for a slow reply.

After PACE_SECONDS, give up on a reply that at its pace would take more than MAX_PACE_FACTOR times a fetch's
deadline.
"""

PART_BYTES = 64 * 1024
"""Size of the parts in which a larger body of a write is sent."""

MaySend = Callable[[], bool]


def always() -> bool:
    """Let every write leave."""
    return True


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that is ready to be sent; at most `reply_bytes` of a successful reply are received."""

    method: str
    url: str
    body: bytes | None
    credentials: Credentials
    is_write: bool
    reply_bytes: int
    seconds: float

    @property
    def host(self) -> str:
        """The host with its port."""
        return urlsplit(self.url).netloc


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response, not yet checked to be the platform's.

    Attributes:
        body: up to the cap; empty if it was compressed.
        content_type: in lower case, without parameters; empty if missing.
        is_compressed: whether the body isn't empty and has another encoding than was requested.
        is_cut: whether the body is longer than the cap.
        has_end: whether its length or end is stated, so that an empty one is known to be whole.
        clock_offset: seconds that the server's clock is ahead of this machine's; None if not stated.
    """

    status: int
    body: bytes
    retry_after: str | None
    content_type: str = ""
    is_compressed: bool = False
    is_cut: bool = False
    has_end: bool = True
    clock_offset: float | None = None


class Transport:
    """The connections and every request in flight."""

    def __init__(
        self,
        credentials: CredentialSet,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        ca_file: str | None = None,
        proxy: str | None = None,
        may_send: MaySend = always,
    ) -> None:
        self._credentials = credentials
        self._transport = transport
        self._ca_file = ca_file
        self._proxy = proxy
        self._may_send = may_send
        self._clients: dict[tuple[bool, bool], httpx.AsyncClient] = {}
        self._slots = {True: asyncio.Semaphore(IN_FLIGHT), False: asyncio.Semaphore(IN_FLIGHT)}
        self._running: dict[asyncio.Task[HttpAnswer], bool] = {}
        for name in ("httpx", "httpcore", "hpack"):
            logging.getLogger(name).setLevel(logging.WARNING)  # lower levels log URLs and headers

    async def send(self, outgoing: Outgoing) -> HttpAnswer:
        """Send once. If the caller is cancelled, the request still runs to its own end."""
        slots = self._slots[outgoing.is_write]
        await slots.acquire()
        try:
            task = asyncio.create_task(self._send(outgoing))
        except BaseException:
            slots.release()
            raise
        self._running[task] = outgoing.is_write
        task.add_done_callback(self._ended)
        task.add_done_callback(lambda _task: slots.release())
        return await asyncio.shield(task)

    async def close(self, grace_seconds: float) -> None:
        """End fetches at once, give writes the grace time, close the connections."""
        for task, is_write in self._running.items():
            if not is_write:
                task.cancel()
        if self._running:
            await asyncio.wait(list(self._running), timeout=grace_seconds)
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    def _ended(self, task: asyncio.Task[HttpAnswer]) -> None:
        self._running.pop(task, None)
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio doesn't log an abandoned failure

    async def _send(self, outgoing: Outgoing) -> HttpAnswer:
        try:
            async with asyncio.timeout(outgoing.seconds):
                return await self._exchange(outgoing)
        except TimeoutError:
            raise Ambiguous(
                f"no complete response within {outgoing.seconds:.0f} seconds; {_advice(outgoing)}"
            ) from None
        except _TooSlow:
            raise Ambiguous(f"{outgoing.host} responds too slowly; {_advice(outgoing)}") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            # `from None`: httpx puts a refused header's value, a credential, into its message.
            raise _api_error(error, outgoing) from None

    async def _exchange(self, outgoing: Outgoing) -> HttpAnswer:
        client = self._client(outgoing.url.startswith("https:"), outgoing.is_write)
        request = self._request(client, outgoing)
        auth = _OriginCredentials(httpx.URL(outgoing.url), outgoing.credentials, self._credentials)
        began_at = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(None if outgoing.is_write else HEADERS_SECONDS):
                response = await client.send(request, auth=auth, stream=True)
        except TimeoutError:
            raise Ambiguous(f"{outgoing.host} didn't respond in time; {_advice(outgoing)}") from None
        clock_offset = _clock_offset(response.headers, asyncio.get_running_loop().time() - began_at)
        try:
            body, is_cut = b"", False
            is_empty = response.status_code == 204 or response.headers.get("content-length") == "0"
            encoding = response.headers.get("content-encoding", "identity").lower()
            is_compressed = encoding not in ("identity", "") and not is_empty
            if not response.is_success:
                with contextlib.suppress(httpx.HTTPError):  # the status alone is enough
                    body, _ = (b"", False) if is_compressed else await _read(response, SHORT_BYTES)
            elif not is_compressed:
                seconds = math.inf if outgoing.is_write else MAX_PACE_FACTOR * outgoing.seconds
                body, is_cut = await _read(response, outgoing.reply_bytes, seconds)
            return HttpAnswer(
                response.status_code,
                body,
                response.headers.get("retry-after"),
                response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                is_compressed,
                is_cut,
                response.status_code == 204
                or not {"content-length", "transfer-encoding"}.isdisjoint(response.headers),
                clock_offset,
            )
        finally:
            await response.aclose()

    def _request(self, client: httpx.AsyncClient, outgoing: Outgoing) -> httpx.Request:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        body = outgoing.body
        if body is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        if not outgoing.is_write:
            return client.build_request(outgoing.method, outgoing.url, headers=headers, content=body)
        return client.build_request(
            outgoing.method,
            outgoing.url,
            headers=headers,
            content=body if body is None or len(body) <= PART_BYTES else self._parts(body),
            extensions={"trace": self._check_sending},
        )

    async def _check_sending(self, event: str, _info: Mapping[str, Any]) -> None:
        """End the request if this process was stopped in the meantime and another one has taken over."""
        if event.endswith(".send_request_headers.started") and not self._may_send():
            raise NotSent(_STOOD_STILL)
        if event.endswith(".send_request_body.started") and not self._may_send():
            raise Ambiguous(_STOOD_STILL)

    async def _parts(self, body: bytes) -> AsyncIterator[bytes]:
        """Yield a large body; if another process has taken over, withhold its end: then nothing is carried out."""
        for at in range(0, len(body), PART_BYTES):
            if not self._may_send():
                raise Ambiguous(_STOOD_STILL)
            yield body[at : at + PART_BYTES]

    def _client(self, is_https: bool, is_write: bool) -> httpx.AsyncClient:
        client = self._clients.get((is_https, is_write))
        if client is None:
            trust = self._trust() if is_https else _trust_nobody()
            # Plain http goes only to this machine; a proxy elsewhere would see its credentials.
            client = self._open(trust, is_write, self._proxy if is_https else None)
            self._clients[is_https, is_write] = client
        return client

    def _open(self, trust: ssl.SSLContext, is_write: bool, proxy: str | None) -> httpx.AsyncClient:
        try:
            return httpx.AsyncClient(
                verify=trust,
                limits=_WRITER if is_write else _READER,
                timeout=_TIMEOUT,
                transport=self._transport,
                proxy=proxy,
                follow_redirects=False,
                trust_env=False,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers={"User-Agent": "frontdesk"},
            )
        except (ValueError, ImportError, httpx.InvalidURL):
            raise NotSent("settings.proxy can't be used; write it as http://host:port") from None

    def _trust(self) -> ssl.SSLContext:
        import truststore  # heavy, and only for https

        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._ca_file is not None:
            try:
                is_file = stat.S_ISREG(os.stat(self._ca_file).st_mode)  # a pipe would block the fetch
                if is_file:
                    context.load_verify_locations(self._ca_file)
            except OSError:
                is_file = False
            if not is_file:
                raise NotSent(f"settings.ca_file: can't read certificates from {self._ca_file}") from None
        return context


_STOOD_STILL = "frontdesk was suspended while sending; trying again"


class _OriginCredentials(httpx.Auth):
    """Adds the credentials to requests for the configured origin alone."""

    def __init__(self, origin: httpx.URL, wanted: Credentials, credentials: CredentialSet) -> None:
        self._origin = (origin.scheme, origin.host, origin.port)
        self._wanted = wanted
        self._credentials = credentials

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if (request.url.scheme, request.url.host, request.url.port) == self._origin:
            if self._wanted is Credentials.BEARER and self._credentials.bearer is not None:
                request.headers["Authorization"] = f"Bearer {self._credentials.bearer.reveal()}"
            elif self._wanted is Credentials.ACCOUNT and self._credentials.cookie is not None:
                request.headers["Cookie"] = self._credentials.cookie.reveal()
            if self._credentials.api_key is not None:
                request.headers["x-api-key"] = self._credentials.api_key.reveal()
        yield request


def _clock_offset(headers: httpx.Headers, elapsed: float) -> float | None:
    """Compare the clocks: a server writes its time, in whole seconds, about halfway; a cache keeps an old one."""
    written_at = None if "age" in headers else parse_http_date(headers.get("date", ""))
    return None if written_at is None else written_at.timestamp() + 0.5 - (time.time() - elapsed / 2)


class _TooSlow(Exception):
    """Raised when a response body arrives too slowly to finish in time."""


async def _read(response: httpx.Response, largest: int, max_seconds: float = math.inf) -> tuple[bytes, bool]:
    """Return the body up to the cap, and whether it has more; raise _TooSlow if it would take too long."""
    parts: list[bytes] = []
    size, steady = 0, asyncio.get_running_loop().time
    began, length = steady(), response.headers.get("content-length", "")
    expected = min(largest, int(length[:20])) if length.isascii() and length.isdigit() else 0
    async for part in response.aiter_raw():
        size += len(part)
        parts.append(part)
        if size > largest:
            return b"".join(parts)[:largest], True
        elapsed = steady() - began
        if elapsed > PACE_SECONDS and elapsed * expected > max_seconds * size:
            raise _TooSlow
    return b"".join(parts), False


def _trust_nobody() -> ssl.SSLContext:
    """Return a context that trusts nobody, for http hosts: loading certificates takes longer than the request."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _api_error(error: Exception, outgoing: Outgoing) -> ApiError:
    """Distinguish errors before the request has left from those after."""
    host = outgoing.host
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return NotSent(f"connecting to {host} timed out; check the network and try again")
    if isinstance(error, httpx.ConnectError):
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return NotSent(
                f"the certificate of {host} isn't trusted; if it is your company's own, set settings.ca_file"
            )
        return NotSent(f"can't connect to {host}; check the network and the host in your profile")
    if isinstance(error, httpx.ProxyError):
        return NotSent("the proxy refused the connection; check settings.proxy")
    if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return NotSent("the request isn't valid HTTP; check the hosts and credentials in your profile")
    if isinstance(error, httpx.TimeoutException):
        return Ambiguous(f"{host} didn't respond in time; {_advice(outgoing)}")
    return Ambiguous(f"the connection to {host} broke before the response was complete; {_advice(outgoing)}")


def _advice(outgoing: Outgoing) -> str:
    if outgoing.is_write:
        return PERHAPS_DONE
    return "try again"
