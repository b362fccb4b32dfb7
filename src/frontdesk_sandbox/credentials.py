"""The Cookie, the x-api-key and the Bearer token of a request, and the account that they are of.

Checked before a body is received (docs/interface.md, Authentication; rules 5-15).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from frontdesk_api.contract.endpoints import Credentials
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.responses import Refusal


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
