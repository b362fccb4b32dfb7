"""One request (URL, JSON body) and its answer over httpx, with deadlines, size limits and one tree of errors.

Every request runs in its own task under its own deadline, so cancelling a caller breaks neither the pool nor
a write.
"""

import asyncio
import contextlib
import json
import logging
import os
import ssl
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel

from frontdesk.api.client.errors import PERHAPS_DONE, Ambiguous, ApiError, BadRequestInput, NotSent
from frontdesk.api.contract.endpoints import SHORT_BYTES, Credentials, Endpoint
from frontdesk.config.credentials import CredentialSet
from frontdesk.config.file_access import open_regular_file
from frontdesk.config.settings import Hosts

IN_FLIGHT = 4
"""Below the pool's size, so that no request waits for a pool slot."""

_TIMEOUT = httpx.Timeout(connect=5.0, pool=2.0, read=15.0, write=10.0)
_READER = httpx.Limits(max_connections=8, max_keepalive_connections=4, keepalive_expiry=4.0)
_WRITER = httpx.Limits(max_connections=8, max_keepalive_connections=0)

PART_BYTES = 64 * 1024
"""A write's larger body leaves in parts of this size."""

MaySend = Callable[[], bool]


def always() -> bool:
    """Let every write leave."""
    return True


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that is ready to be sent; of a success no more than `reply_bytes` are read."""

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
        body: up to the cap; empty where it was compressed.
        content_type: in lower case, without parameters; empty where missing.
        is_compressed: not empty, in another encoding than was requested.
        is_cut: longer than the cap.
        has_end: its length or end is stated, so that an empty one is known to be whole.
    """

    status: int
    body: bytes
    retry_after: str | None
    content_type: str = ""
    is_compressed: bool = False
    is_cut: bool = False
    has_end: bool = True


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
            logging.getLogger(name).setLevel(logging.WARNING)  # their lower levels log URLs and headers

    async def send(self, outgoing: Outgoing) -> HttpAnswer:
        """Send once. When the caller is cancelled the request still runs to its own end."""
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
        """End reads at once, give writes the grace time, close the connections."""
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
            task.exception()  # seen here, so that an abandoned failure isn't logged as forgotten

    async def _send(self, outgoing: Outgoing) -> HttpAnswer:
        try:
            async with asyncio.timeout(outgoing.seconds):
                return await self._exchange(outgoing)
        except TimeoutError:
            raise Ambiguous(
                f"no complete response within {outgoing.seconds:.0f} seconds; {_advice(outgoing)}"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            # `from None`: httpx puts a refused header's value, a credential, into its message.
            raise _api_error(error, outgoing) from None

    async def _exchange(self, outgoing: Outgoing) -> HttpAnswer:
        client = self._client(outgoing.url.startswith("https:"), outgoing.is_write)
        request = self._request(client, outgoing)
        auth = _OriginCredentials(httpx.URL(outgoing.url), outgoing.credentials, self._credentials)
        response = await client.send(request, auth=auth, stream=True)
        try:
            body, is_cut = b"", False
            is_empty = response.status_code == 204 or response.headers.get("content-length") == "0"
            encoding = response.headers.get("content-encoding", "identity").lower()
            is_compressed = encoding not in ("identity", "") and not is_empty
            if not response.is_success:
                with contextlib.suppress(httpx.HTTPError):  # the status alone says enough
                    body, _ = (b"", False) if is_compressed else await _read(response, SHORT_BYTES)
            elif not is_compressed:
                body, is_cut = await _read(response, outgoing.reply_bytes)
            return HttpAnswer(
                response.status_code,
                body,
                response.headers.get("retry-after"),
                response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                is_compressed,
                is_cut,
                response.status_code == 204
                or not {"content-length", "transfer-encoding"}.isdisjoint(response.headers),
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
        """Send no whole request where this process was stopped since, and another one has taken over."""
        if event.endswith(".send_request_headers.started") and not self._may_send():
            raise NotSent(_STOOD_STILL)
        if event.endswith(".send_request_body.started") and not self._may_send():
            raise Ambiguous(_STOOD_STILL)

    async def _parts(self, body: bytes) -> AsyncIterator[bytes]:
        """Yield a large body, but not its end where this process was stopped: then nothing is carried out."""
        for at in range(0, len(body), PART_BYTES):
            if not self._may_send():
                raise Ambiguous(_STOOD_STILL)
            yield body[at : at + PART_BYTES]

    def _client(self, is_https: bool, is_write: bool) -> httpx.AsyncClient:
        client = self._clients.get((is_https, is_write))
        if client is None:
            client = self._open(self._trust() if is_https else _trust_nobody(), is_write)
            self._clients[is_https, is_write] = client
        return client

    def _open(self, trust: ssl.SSLContext, is_write: bool) -> httpx.AsyncClient:
        try:
            return httpx.AsyncClient(
                verify=trust,
                limits=_WRITER if is_write else _READER,
                timeout=_TIMEOUT,
                transport=self._transport,
                proxy=self._proxy,
                follow_redirects=False,
                trust_env=False,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers={"User-Agent": "frontdesk"},
            )
        except (ValueError, ImportError, httpx.InvalidURL):
            raise NotSent("settings.proxy can't be used; write it as http://host:port") from None

    def _trust(self) -> ssl.SSLContext:
        import truststore  # heavy, and for https alone

        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._ca_file is not None:
            try:
                os.close(open_regular_file(self._ca_file, os.O_RDONLY))  # a pipe would keep it waiting
                context.load_verify_locations(self._ca_file)
            except OSError:
                raise NotSent(f"settings.ca_file: can't read certificates from {self._ca_file}") from None
        return context


_STOOD_STILL = "frontdesk was suspended while sending; trying again"


class _OriginCredentials(httpx.Auth):
    """Adds the credentials, to the configured origin and nowhere else."""

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


async def _read(response: httpx.Response, largest: int) -> tuple[bytes, bool]:
    """Return the body up to the cap, and whether there is more."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_raw():
        size += len(part)
        parts.append(part)
        if size > largest:
            return b"".join(parts)[:largest], True
    return b"".join(parts), False


def _trust_nobody() -> ssl.SSLContext:
    """For http hosts: loading the system's certificates takes longer than the request."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _api_error(error: Exception, outgoing: Outgoing) -> ApiError:
    """Tell errors before the request has left from those after."""
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


MAX_ID_BYTES = 512
"""A longer id is a mistake, and proxies cut long paths."""

LOOSE_CURSOR = "lastEvaluatedKey"
"""Sent back unchanged, its numbers too (docs/interface.md, List tasks)."""


def url_for(hosts: Hosts, endpoint: Endpoint[Any], ids: Mapping[str, str], query: Mapping[str, object]) -> str:
    """Build the URL. `#` becomes `%23` (docs/interface.md, Assign tags).

    Raises:
        BadRequestInput: an id would change which operation is called.
    """
    path = endpoint.path.format(**{name: encode_id(name, value) for name, value in ids.items()})
    url = getattr(hosts, endpoint.host.value) + path
    if query:
        url += "?" + "&".join(
            f"{quote(name, safe='')}={_encode_parameter(value)}" for name, value in query.items()
        )
    return str(url)


def encode_id(name: str, value: str) -> str:
    """Encode an id as one segment of a path.

    Raises:
        BadRequestInput: empty, `.` and `..` would reach another path, the rest no path at all.
    """
    if value in ("", ".", ".."):
        raise BadRequestInput(f"{name} {value!r} isn't a valid id; nothing was sent")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise BadRequestInput(f"{name} contains an invalid character; nothing was sent") from None
    if size > MAX_ID_BYTES:
        raise BadRequestInput(f"{name} is longer than {MAX_ID_BYTES} bytes; nothing was sent")
    return quote(value, safe="")


def _encode_parameter(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return quote(str(value), safe="")
    except UnicodeEncodeError:
        raise BadRequestInput("a parameter contains an invalid character; nothing was sent") from None


def encode_json(value: object) -> bytes:
    """Encode a JSON body.

    Raises:
        BadRequestInput: JSON in UTF-8 can't carry the value.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError) as error:
        why = (
            "it is nested too deeply"
            if isinstance(error, RecursionError)
            else "it contains a value JSON can't hold"
        )
        raise BadRequestInput(f"the input can't be sent as JSON: {why}; nothing was sent") from None


def body_of(model: BaseModel) -> dict[str, Any]:
    """Dump the fields that were set; whole numbers are written without a fraction."""
    fields = model.model_dump(mode="python", exclude_unset=True)
    return {name: value if name == LOOSE_CURSOR else _whole(value) for name, value in fields.items()}


def _whole(value: Any) -> Any:
    """`UnixSeconds` is a float in Python; 1760000000.0 must be sent as 1760000000."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    return value
