"""A platform that sends back what it was sent, and the search for credentials in what came of it."""

import base64
import html
import json
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote

COOKIE = "session=Canary/Cookie+q8Zk2%3DvT.7; csrf=Canary-Second-Pair-4711"
KEY = "CANARY-key/0815+x9"
BEARER = "eyJjYW5hcnkiOjF9.CanaryBearer-77_zz"
ENVIRON = {"FRONTDESK_COOKIE": COOKIE, "FRONTDESK_API_KEY": KEY, "FRONTDESK_BEARER": BEARER}
SECRETS = (
    *(pair.partition("=")[2] for pair in COOKIE.split("; ")),
    unquote("Canary/Cookie+q8Zk2%3DvT.7"),
    KEY,
    BEARER,
)
"""What is secret of them; whoever has one of these has what it takes."""

_UNESCAPED = re.compile(r"\\(?:u00|x)([0-9a-fA-F]{2})|&#(\d+);")

Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[[str, str, dict[str, str], bytes], Answer]
"""From method, path, headers and body of a request to its answer."""


def encodings(value: str) -> list[str]:
    """A value in the ways in which programs write it."""
    escaped = json.dumps(value)[1:-1]
    return [
        value,
        f"Bearer {value}",
        quote(value),
        quote(value, safe=""),
        quote(value, safe="/+="),
        re.sub("%..", lambda found: found[0].lower(), quote(value, safe="")),
        quote(quote(value, safe=""), safe=""),
        "".join(f"%{ord(letter):02x}" for letter in value),
        quote_plus(value),
        escaped.replace("/", "\\/"),
        escaped.replace("=", "\\u003d").replace("+", "\\u002b"),
        html.escape(value).replace("+", "&#43;"),
        *(
            encode(f"{before}{value}{behind}".encode()).decode()
            for encode in (base64.b64encode, base64.urlsafe_b64encode)
            for before in ("", "a", "ab")
            for behind in ("", "x", "xy")
        ),
        base64.b64encode(f"Bearer {value}".encode()).decode().rstrip("="),
        value.encode().hex(),
        f"0x{f'Bearer {value};'.encode().hex().upper()}",
        "".join(f"\\x{letter:02x}" for letter in value.encode()),
    ]


def sent_back(headers: dict[str, str]) -> str:
    """The credentials of a request in every encoding, as the lines of a dump."""
    credentials = [headers[name] for name in ("cookie", "x-api-key", "authorization") if name in headers]
    bare = [value.removeprefix("Bearer ") for value in credentials]
    bare += [pair.partition("=")[2] for pair in headers.get("cookie", "").split("; ")]
    dump = [f"{name}: {value}" for name, value in headers.items()]
    return "\n".join([*dump, *(each for value in bare if value for each in encodings(value))])


def leaks(text: str | bytes) -> list[str]:
    """The secrets that somebody finds who looks for them, decoding what looks encoded."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    texts = {text, text.replace("\\/", "/")}
    texts |= {_UNESCAPED.sub(lambda found: chr(int(found[1], 16) if found[1] else int(found[2])), text)}
    texts |= {unquote(unquote(each)) for each in list(texts)} | {unquote(each) for each in list(texts)}
    encoded = {each.translate(_TO_STANDARD) for each in texts}
    return [
        secret
        for secret in SECRETS
        if any(secret in each for each in texts)
        or any(part in each for part in _base64_parts(secret) for each in encoded)
        or any(secret.encode().hex() in each.lower() for each in texts)
    ]


_TO_STANDARD = str.maketrans("-_", "+/")


@cache
def _base64_parts(secret: str) -> list[str]:
    """The characters of Base64 that a secret decides alone, for each place in which it can begin."""
    parts = []
    for before in range(3):
        encoded = base64.b64encode(b" " * before + secret.encode()).decode()
        parts.append(encoded[-(-8 * before // 6) : 8 * (before + len(secret)) // 6])
    return parts


def leaks_below(*folders: Path) -> dict[str, list[str]]:
    """Files in these folders that hold a secret; the one that is for secrets is left out."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    found = {str(file): leaks(file.read_bytes()) for file in files if file.name != "credentials.toml"}
    return {name: secrets for name, secrets in found.items() if secrets}


def as_error(status: int, **extra: str) -> Fault:
    """A refusal with an Error body that says what was sent, and says it in its headers too."""

    def answer(_method: str, _path: str, headers: dict[str, str], _body: bytes) -> Answer:
        echo = sent_back(headers)
        body = {"error": echo, "message": f"you sent {echo}", "detail": {"headers": [headers], echo: [echo]}}
        said = {"Location": "https://elsewhere.test/?c=" + quote(headers.get("cookie", "")), "X-Echo": KEY}
        return status, {**said, "Retry-After": headers.get("x-api-key", ""), **extra}, json.dumps(body).encode()

    return answer


def as_page(status: int) -> Fault:
    """A refusal with a dump of the request as HTML."""

    def answer(_method: str, _path: str, headers: dict[str, str], _body: bytes) -> Answer:
        return status, {"Content-Type": "text/html"}, f"<pre>{sent_back(headers)}</pre>".encode()

    return answer


def as_data(_method: str, path: str, headers: dict[str, str], _body: bytes) -> Answer:
    """A success with what was sent in each text that people read, in unknown fields and in their names."""
    echo = sent_back(headers)
    extra = {"unknown": {"deep": [{"headers": headers, echo: echo}]}, "associatedTo": echo}
    at = {"createdAt": 1_760_000_000_000, "lastModified": 1_760_000_000_000}
    graph = {"nodes": [{"id": "n1", "type": "Start", "data": {"text": echo}}], "edges": []}
    task = {"taskId": "t1", "title": echo, "body": echo, "statusCase": "open", **extra, "phoneNumberId": "L1"}
    task |= {"participantsIdentifiers": "L1#C1", "updatedAt": 1_760_000_000, "assignedAgentIds": []}
    task |= {"customer": {"phoneNumberId": "C1", "customerName": echo}}
    workflow = {"id": "w1", "name": echo, "isActive": False, "workflow": graph, **at, **extra}
    campaign = {"id": "c1", "name": echo, "status": "completed", "message": echo, **at, **extra}
    message = {"messageId": "m1", "createdAt": 1_760_000_000_000, "message": echo, "messageDirection": "incoming"}
    answers: list[tuple[str, Any]] = [
        ("/tasks/list", {"dbObject": [task, {"title": echo}, echo], "hasMoreItemsToFetch": False}),
        ("/tasks/", {"task": task}),
        ("/getMessages", {"dbObject": [message | extra], "hasMoreItemsToFetch": False}),
        ("/campaigns", campaign),
        ("/workflows/", workflow),
        ("/workflows", {"result": [workflow]}),
        ("/ai-agents", {"agents": [{"id": "a1", "name": echo, "description": echo, **extra}]}),
        ("/", {"message": echo}),
    ]
    body = next(body for start, body in answers if path.startswith(start))
    return 200, {}, json.dumps(body).encode()


def as_junk(_method: str, _path: str, headers: dict[str, str], _body: bytes) -> Answer:
    """A success that isn't what the interface shows."""
    return 200, {}, json.dumps([sent_back(headers)]).encode()


def broken(fault: Fault, **headers: str) -> Fault:
    """The same with headers that belie it: cut off where it is longer than it is, or said to be compressed."""

    def answer(method: str, path: str, sent: dict[str, str], body: bytes) -> Answer:
        status, said, content = fault(method, path, sent, body)
        return status, {**said, **{name.replace("_", "-"): value for name, value in headers.items()}}, content

    return answer


FAULTS: dict[str, Fault] = {
    **{f"error {status}": as_error(status) for status in (302, 400, 401, 403, 404, 409, 429, 500, 503)},
    **{f"page {status}": as_page(status) for status in (302, 401, 403, 500)},
    "data": as_data,
    "junk": as_junk,
    "cut off data": broken(as_data, Content_Length="1000000"),
    "cut off 401": broken(as_error(401), Content_Length="1000000"),
    "no length": broken(as_error(400), Content_Length="abc"),
    "compressed": broken(as_data, Content_Encoding="gzip"),
    "huge header": broken(as_error(403), X_Dump=f"{COOKIE} {KEY} {BEARER} " * 2_000),
    "huge page": lambda *request: (401, {}, sent_back(request[2]).encode() * 100),
}


class Echo:
    """The platform, running.

    Attributes:
        fault: how it answers.
        answered: everything that it has sent.
    """

    def __init__(self) -> None:
        self.fault: Fault = as_error(401)
        self.answered: list[str] = []
        echo = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                status, said, content = echo.fault(self.command, self.path, headers, body)
                echo.answered.append(f"{said} {content.decode()}")
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **said}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "Echo":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def running() -> Iterator[Echo]:
    """A platform for one test."""
    with Echo() as echo:
        yield echo
