"""The ASGI application: where a request comes from, faults, credentials, operation, body, handler, and the log.

Requests are refused that somebody else's web page may have sent through the browser of the person who runs the
sandbox. Such a page knows the address but isn't served from it: the browser names it in Origin and Sec-Fetch-Site.
A page whose name was pointed at this machine afterwards (DNS rebinding) is known by the Host. Programs send
neither Origin nor Sec-Fetch-Site.
"""

import asyncio
import ipaddress
import logging
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from frontdesk_sandbox.connections import close_connection
from frontdesk_sandbox.controls import handle_control, is_control
from frontdesk_sandbox.faults import (
    BODIES,
    RAW,
    SILENT,
    FaultRule,
    broken_answer,
    echo_response,
    huge_chunks,
    login_page,
    send_broken,
    status_response,
)
from frontdesk_sandbox.handlers import HANDLERS
from frontdesk_sandbox.openapi import find_endpoint, find_operation, other_code
from frontdesk_sandbox.request import (
    MAX_BODY_BYTES,
    Call,
    identify,
    parse_json,
    parse_query,
    require_object,
    too_large,
)
from frontdesk_sandbox.responses import Refusal, Response, json_response
from frontdesk_sandbox.world import World

_OWN_SITES = ("same-origin", "none")
_HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names that a request's Host may have besides the loopback's: the address, and others with any port."""

    address: str
    allowed: Collection[str] = ()


def require_own_page(headers: Mapping[str, str], server: tuple[str, int | None] | None, names: OwnNames) -> None:
    """Raise Refusal (403) for a foreign Host, Origin or Sec-Fetch-Site; the connection came to `server`."""
    host = headers.get("host", "")
    if not _is_own_host(host.lower(), server, names):
        raise _refusal(
            f"The Host {host[:200]!r} isn't an address of this sandbox. To use it under this name, start it with "
            "--allow-host."
        )
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
        raise _refusal(f"A web page of {origin[:200]!r} sent this. Only programs and the sandbox's own pages may.")
    if headers.get("sec-fetch-site", "none") not in _OWN_SITES:
        raise _refusal("A web page of another site sent this. Only programs and the sandbox's own pages may.")


def _is_own_host(host: str, server: tuple[str, int | None] | None, names: OwnNames) -> bool:
    name, port = _split_port(host)
    address, own_port = server or ("", None)
    allowed = [each.lower() for each in names.allowed]
    if host in allowed or name in allowed:
        return True
    if port is not None and _is_loopback(name):
        return True  # SSH and proxies pass the port of their own side on
    return name in (names.address.lower(), address.lower()) and port == (own_port or _HTTP_PORT)


def _is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _split_port(host: str) -> tuple[str, int | None]:
    """Split a Host into its name, without the brackets of an IPv6 address, and its port; None for a bad one."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, str(_HTTP_PORT)
    return name.removeprefix("[").removesuffix("]"), int(port) if port.isascii() and port.isdigit() else None


def _refusal(message: str) -> Refusal:
    return Refusal(403, "foreign_request", message)


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES
"""Maximum part of a body that is too large that is still received, so that its sender gets the 413."""

MAX_LOGGED_LENGTH = 2000
"""The part of a path or a query that the request log keeps: 10,000 absurd ones must not fill the memory."""

_log = logging.getLogger(__name__)


class Application:
    """The interface and the sandbox's controls, on one URL."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._throttle = Throttle()
        self._random = random.Random(world.options.seed)
        self._own_names = OwnNames(world.options.host, world.options.allow_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path = _raw_path(scope)
        body = await _read_body(receive)
        refusal = self._foreign(scope)
        if refusal is not None:
            await _send(send, refusal)
            return
        if is_control(path):
            await _send(
                send,
                self._guarded(lambda: handle_control(self.world, (scope["method"], path), _headers(scope), body)),
            )
            return
        fault = self.world.faults.match(scope["method"], path)
        if fault is None:
            answer = self._answer(scope, path, body)
            self._log_request(scope, path, answer.status, answer)
            await _send(send, answer)
        else:
            await self._answer_with_fault(fault, scope, path, body, (receive, send))

    def _foreign(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that another web page may have sent; None for all others."""
        try:
            require_own_page(_headers(scope), scope.get("server"), self._own_names)
        except Refusal as refusal:
            return refusal.response()
        return None

    async def _answer_with_fault(
        self, fault: FaultRule, scope: Scope, path: str, body: bytes | None, exchange: tuple[Receive, Send]
    ) -> None:
        receive, send = exchange
        if fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
        own = self._answer(scope, path, body) if fault.is_carried_out else None
        if fault.kind in SILENT:
            self._log_request(scope, path, 0, own)
            await (close_connection(dict(scope)) if fault.kind == "drop" else wait_for_disconnect(receive))
            return
        answer = self._broken(fault, own, scope, path, body or b"")
        answer.headers.update(fault.headers)
        self._log_request(scope, path, answer.status, own)
        if fault.kind in RAW:
            await send_broken(fault.kind, answer, fault.seconds, dict(scope))
        elif fault.kind == "huge":
            await _send_chunks(send, answer)
        elif fault.kind == "truncate":
            await _send_half(send, answer)
            await close_connection(dict(scope))
        else:
            await _send(send, answer)

    def _broken(self, fault: FaultRule, own: Response | None, scope: Scope, path: str, body: bytes) -> Response:
        """Return the answer of a fault; `own` is the platform's, where the request was carried out."""
        if fault.kind == "page":
            return login_page()
        if fault.kind == "status":
            return status_response(fault)
        if fault.kind == "echo" and fault.status >= 300:
            return echo_response(fault.status, _headers(scope), body)
        if own is None:
            own = json_response({}, fault.status)
        if fault.kind == "garbage":
            return Response(own.status, self.world.faults.garbage())
        if fault.kind in BODIES:
            endpoint = find_endpoint(scope["method"], path)
            return broken_answer(fault.kind, own, endpoint, _headers(scope), body)
        return own

    def _answer(self, scope: Scope, path: str, body: bytes | None) -> Response:
        if path == "/openapi.json" and scope["method"] == "GET":
            from frontdesk_sandbox.openapi import document  # asked for rarely, and made of every model

            return json_response(document())
        answer = self._guarded(lambda: self._carry_out(scope, path, body))
        if not self.world.settings.other_codes:
            return answer
        status = other_code(answer.status, find_endpoint(scope["method"], path), self._random)
        return Response(status, answer.body, answer.headers)

    def _carry_out(self, scope: Scope, path: str, body: bytes | None) -> Response:
        match = find_operation(scope["method"], path)
        endpoint = match.endpoint
        headers = _headers(scope)
        identity = identify(headers, endpoint.credentials, self.world.settings.token)
        self._throttle.check(identity.account, self.world.settings.requests_per_second)
        if body is None:
            raise too_large()
        query = {} if endpoint.query is None else parse_query(scope["query_string"])
        raw = {} if endpoint.request is None else require_object(parse_json(body, headers.get("content-type")))
        return HANDLERS[endpoint.name](self.world, Call(identity, match.ids, query, raw))

    def _guarded(self, make: Callable[[], Response]) -> Response:
        try:
            return make()
        except Refusal as refusal:
            return refusal.response()
        except Exception:
            # Broad on purpose: what a request may cause is a Refusal, so this is a fault of the sandbox itself, of
            # any type. The client gets the documented Error body, and the log has the traceback.
            _log.exception("couldn't answer a request")
            return Refusal(500, "internal", "The sandbox failed; see its log.").response()

    def _log_request(self, scope: Scope, path: str, status: int, own: Response | None) -> None:
        """Log a request with the status that was answered, and the platform's own answer if it came to one."""
        query = scope["query_string"][:MAX_LOGGED_LENGTH].decode("latin-1")
        outcome = own.status if own is not None else 0
        self.world.log_request(scope["method"], path[:MAX_LOGGED_LENGTH], query, status, outcome)


class Throttle:
    """A token bucket an account, one second deep; the interface shows no rate limit (rule 19)."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, account: str, per_second: int) -> None:
        """Take a token; raise Refusal (429, with Retry-After) when none is left."""
        if per_second <= 0:
            return
        now = time.monotonic()
        tokens, at = self._buckets.get(account, (float(per_second), now))
        tokens = min(float(per_second), tokens + (now - at) * per_second)
        if tokens < 1:
            self._buckets[account] = (tokens, now)
            raise Refusal(429, "too_many_requests", "Too many requests per second.", {"Retry-After": "1"})
        self._buckets[account] = (tokens - 1, now)


def _raw_path(scope: Scope) -> str:
    raw = scope.get("raw_path") or scope["path"].encode()
    return str(raw.split(b"?")[0].decode("latin-1"))


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        # Cookies may come in several lines; of anything else the last one counts.
        found[key] = f"{found[key]}; {text}" if key == "cookie" and key in found else text
    return found


async def _read_body(receive: Receive) -> bytes | None:
    """Return the body, or None if it is larger than the limit."""
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_DISCARDED_BYTES:
        event = await receive()
        if event["type"] != "http.request":
            break
        chunk = event.get("body", b"")
        size += len(chunk)
        if size <= MAX_BODY_BYTES:
            chunks.append(chunk)
        if not event.get("more_body", False):
            break
    return b"".join(chunks) if size <= MAX_BODY_BYTES else None


async def _send(send: Send, answer: Response) -> None:
    await send(_start(answer))
    await send({"type": "http.response.body", "body": answer.body})


async def _send_chunks(send: Send, answer: Response) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": []})
    for chunk in huge_chunks(answer):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_half(send: Send, answer: Response) -> None:
    await send(_start(answer))
    await send({"type": "http.response.body", "body": answer.body[: len(answer.body) // 2], "more_body": True})


def _start(answer: Response) -> dict[str, Any]:
    headers = {"content-length": str(len(answer.body))}
    if answer.body:
        headers["content-type"] = "application/json"
    headers |= {name.lower(): value for name, value in answer.headers.items()}
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return {"type": "http.response.start", "status": answer.status, "headers": encoded}
