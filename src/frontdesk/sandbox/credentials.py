"""The Cookie, the x-api-key and the Bearer token of a request, and the account behind them.

Checked before a body is read (docs/interface.md, Authentication; rules 5-15).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from frontdesk.api.contract.endpoints import Credentials
from frontdesk.sandbox import fixtures
from frontdesk.sandbox.responses import Refusal


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


def identify(headers: Mapping[str, str], needed: Credentials) -> Identity:
    """Find the identity that both headers agree on.

    Raises:
        Refusal: 401 when one is missing, wrong, or belongs to another account than the other.
    """
    key = headers.get("x-api-key")
    if key is None:
        raise _refused("The x-api-key header is missing.")
    if needed is Credentials.BEARER:
        found = _by_bearer(headers.get("authorization"))
    else:
        found = _by_cookie(headers.get("cookie"))
    if found.api_key != key:
        raise _refused("The x-api-key is not one of this account.")
    return found


def identity_or_main(headers: Mapping[str, str]) -> Identity:
    """Find the Cookie's identity, else the main one."""
    token = _cookie_token(headers.get("cookie") or "")
    return next((identity for identity in IDENTITIES if identity.token == token), MAIN)


def _by_cookie(cookie: str | None) -> Identity:
    if cookie is None:
        raise _refused("The Cookie header is missing.")
    token = _cookie_token(cookie)
    for identity in IDENTITIES:
        if identity.token == token:
            return identity
    raise _refused("The Cookie's token is not known.")


def _by_bearer(authorization: str | None) -> Identity:
    if authorization is None:
        raise _refused("The Authorization header is missing.")
    form = _BEARER.fullmatch(authorization)
    if form is None:
        raise _refused("Authorization has to be of the form 'Bearer <token>'.")
    for identity in IDENTITIES:
        if identity.bearer == form[1]:
            return identity
    raise _refused("The Bearer token is not known.")


def _cookie_token(cookie: str) -> str | None:
    for part in cookie.split(";"):
        name, _, value = part.strip().partition("=")
        if name == fixtures.COOKIE_NAME:
            return value
    return None


def _refused(message: str) -> Refusal:
    return Refusal(401, "unauthorized", message)
