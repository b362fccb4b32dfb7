"""Requests: their credentials, and JSON that can be stored and answered, checked against the contract's models.

The Cookie, the x-api-key and the Bearer token are checked before a body is received (docs/interface.md,
Authentication; rules 5-15). Whatever is wrong becomes a `Refusal`. The JSON reader is the sandbox's own, since the
sandbox plays the platform: its limits are the server's, and it must not agree with the client by sharing code.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, RootModel, ValidationError

from frontdesk_api.contract.endpoints import Credentials
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.responses import Refusal, bad_request


@dataclass(frozen=True, slots=True)
class Identity:
    """A set of credentials, their account, and the person they belong to."""

    account: str
    token: str
    api_key: str
    bearer: str
    name: str
    email: str


MAIN = Identity(
    fixtures.ACCOUNT, fixtures.TOKEN, fixtures.API_KEY, fixtures.BEARER, fixtures.ME.name, fixtures.ME.email
)
OTHER = Identity(
    fixtures.OTHER_ACCOUNT,
    fixtures.OTHER_TOKEN,
    fixtures.OTHER_API_KEY,
    fixtures.OTHER_BEARER,
    "Iris Birch",
    "iris@birch.example",
)
IDENTITIES = (MAIN, OTHER)

_BEARER = re.compile(r"Bearer ([^\s]+)")


def identify(headers: Mapping[str, str], needed: Credentials, token: str | None = None) -> Identity:
    """Find the identity that both headers agree on, else raise Refusal (401); `token` replaces the main one's."""
    key = _require(headers, "x-api-key")
    if needed is Credentials.BEARER:
        form = _BEARER.fullmatch(_require(headers, "Authorization"))
        if form is None:
            raise _unauthorized("Authorization must have the form 'Bearer <token>'.")
        found = next((identity for identity in IDENTITIES if identity.bearer == form[1]), None)
        unknown = "Unknown Bearer token."
    else:
        found = _find_by_cookie(_require(headers, "Cookie"), token)
        unknown = "Unknown token in the Cookie."
    if found is None:
        raise _unauthorized(unknown)
    if found.api_key != key:
        raise _unauthorized("The x-api-key doesn't belong to this account.")
    return found


def identity_or_main(headers: Mapping[str, str]) -> Identity:
    return _find_by_cookie(headers.get("cookie", "")) or MAIN


def _require(headers: Mapping[str, str], name: str) -> str:
    found = headers.get(name.lower())
    if found is None:
        raise _unauthorized(f"The {name} header is missing.")
    return found


def _find_by_cookie(cookie: str, new_token: str | None = None) -> Identity | None:
    pairs = (part.strip().partition("=") for part in cookie.split(";"))
    token = next((value for name, _, value in pairs if name == fixtures.COOKIE_NAME), None)
    tokens = {new_token or MAIN.token: MAIN, OTHER.token: OTHER}
    return None if token is None else tokens.get(token)


def _unauthorized(message: str) -> Refusal:
    return Refusal(401, "unauthorized", message)


ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_BODY_BYTES = 8 * 1024 * 1024
"""The interface shows no size limit; a list of 50,000 recipients fits."""

MAX_DEPTH = 100
MAX_INTEGER = 2**63


def parse_json(body: bytes, content_type: str | None) -> Any:
    """Parse the JSON of a body (rules 2, 70); raise Refusal for another media type or what no store could hold."""
    media = (content_type or "").split(";")[0].strip().lower()
    if media != "application/json" and not (media.startswith("application/") and media.endswith("+json")):
        raise bad_request(f"The body must be application/json, not {media or 'untyped'}.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request("The body isn't UTF-8.") from None
    return parse_text(text, "The body")


def parse_text(text: str, what: str) -> Any:
    """Parse JSON, which a refusal calls `what`; raise Refusal for a name twice in an object, too."""
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_parse_float,
            parse_int=_parse_integer,
            object_pairs_hook=_refuse_duplicates,
        )
    except RecursionError:
        raise bad_request(f"{what} is nested too deeply.") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise bad_request(f"{what} isn't valid JSON: {reason}.") from None
    check_storable(value)
    return value


def check_storable(value: Any) -> None:
    """Refuse strings with NUL or half a surrogate pair, and nesting beyond `MAX_DEPTH`."""
    # Iterators and not items: a wide body must not be held twice.
    levels: list[Iterator[Any]] = [iter((value,))]
    while levels:
        for item in levels[-1]:
            if len(levels) > MAX_DEPTH:
                raise bad_request("The body is nested too deeply.")
            if isinstance(item, str):
                check_text(item)
            elif isinstance(item, dict):
                for name in item:
                    check_text(name)
                levels.append(iter(item.values()))
                break
            elif isinstance(item, list):
                levels.append(iter(item))
                break
        else:
            levels.pop()


def check_text(text: str) -> None:
    if "\0" in text:
        raise bad_request("A string contains NUL.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise bad_request("A string contains half a surrogate pair.") from None


def validate(model: type[ModelT], value: Any) -> ModelT:
    """Check a value against a model, or raise Refusal; null in place of a declared type is a wrong type."""
    try:
        checked = model.model_validate(value)
    except ValidationError as error:
        raise bad_request("; ".join(map(describe_problem, error.errors(include_url=False)[:3]))) from None
    except RecursionError:
        raise bad_request("The body is nested too deeply.") from None
    nulls = sorted(_null_fields(checked))
    if nulls:
        raise bad_request(f"{', '.join(nulls)}: null isn't allowed.")
    return checked


def describe_problem(problem: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])


def parse_query(query: bytes) -> dict[str, Any]:
    """Parse query parameters; true, false and whole numbers get their JSON types."""
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100, separator="&"
        )
    except ValueError:
        raise bad_request("The query can't be read.") from None
    values: dict[str, Any] = {}
    for name, text in pairs:
        check_text(text)
        values[name] = _parse_value(name, text)
    return values


def require_object(value: Any) -> dict[str, Any]:
    """Refuse anything but a JSON object."""
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return value


def too_large() -> Refusal:
    return Refusal(413, "too_large", f"The body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB.")


_FLAGS = frozenset({"flat", "getFiles"})
_NUMBERS = frozenset({"limit"})


def _parse_value(name: str, text: str) -> Any:
    if name in _FLAGS and text in ("true", "false"):
        return text == "true"
    if name in _NUMBERS and len(text) < 400 and text.isascii() and text.removeprefix("-").isdecimal():
        return int(text)
    return text


def _null_fields(model: BaseModel) -> list[str]:
    if isinstance(model, RootModel):
        return _null_fields(model.root) if isinstance(model.root, BaseModel) else []
    declared = type(model).model_fields
    found = [name for name in model.model_fields_set if name in declared and getattr(model, name) is None]
    # An audience holds objects whose fields are strings or absent; a graph's insides are left alone.
    if "customerList" in declared:
        for entry in getattr(model, "customerList", ()):
            found.extend(f"customerList.{name}" for name in _null_fields(entry))
    return found


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Parsers differ over which of two equal names counts (docs/interface.md, Choices)."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a duplicate key")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} isn't a number")


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("number out of range")
    # JSON does not tell 5.0 from 5, so a whole number is one however it is written.
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _parse_integer(text: str) -> int:
    if len(text) > 20 or abs(int(text)) >= MAX_INTEGER:
        raise ValueError("number out of range")
    return int(text)


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the interface as a handler gets it, with the query and the body as they came.

    The handler asks for the body's model, because Create campaign answers some broken rules with another status.
    """

    identity: Identity
    ids: dict[str, str]
    query: dict[str, Any]
    raw: dict[str, Any]

    @property
    def account(self) -> str:
        """The account of the credentials (rule 13)."""
        return self.identity.account

    def body(self, model: type[ModelT]) -> ModelT:
        """Check the body against its model; raise Refusal if it breaks a rule of the interface."""
        return validate(model, self.raw)

    def parameters(self, model: type[ModelT]) -> ModelT:
        """Check the query likewise."""
        return validate(model, self.query)
