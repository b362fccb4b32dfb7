"""Credentials of the platform, which nothing shows: no print, log, traceback or pickle."""

import hmac
from dataclasses import dataclass
from typing import NoReturn

from frontdesk_api.redaction import KNOWN

HEADER = {"cookie": "Cookie", "api_key": "x-api-key", "bearer": "Bearer token"}
"""The name of each kind's header."""


class Secret:
    """A value that no print, log, traceback or pickle shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash(self._value)

    def __deepcopy__(self, _memo: object) -> "Secret":
        return self

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise TypeError("a Secret can't be pickled")


@dataclass(frozen=True, slots=True)
class CredentialSet:
    """The credentials of the platform (docs/interface.md, Authentication); bearer deletes webhooks.

    Attributes:
        public: ids in the config that a Cookie may repeat; they stay readable.
    """

    cookie: Secret | None = None
    api_key: Secret | None = None
    bearer: Secret | None = None
    public: frozenset[str] = frozenset()

    @property
    def missing(self) -> list[str]:
        """The headers without which nothing can be fetched."""
        needed = {"cookie": self.cookie, "api_key": self.api_key}
        return [HEADER[kind] for kind, secret in needed.items() if secret is None]


def remember(credentials: CredentialSet) -> None:
    """Redact these credentials from now on in everything this process shows, stores and logs."""
    values = {kind: getattr(credentials, kind) for kind in HEADER}
    KNOWN.add(((kind, each.reveal()) for kind, each in values.items() if each is not None), credentials.public)
