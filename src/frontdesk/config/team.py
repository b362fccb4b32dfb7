"""Team of a profile, `[profiles.NAME.team]`: the relay's address, and the account in it (docs/team.md).

An address is refused if the connection wouldn't be encrypted and checked; `relay.connection` connects to it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from frontdesk.config.hosts import LOGIN, is_loopback
from frontdesk.config.tables import ConfigError, declare, expect

DEFAULT_PORT = 5432
EXAMPLE = "postgresql://noa@db/frontdesk"

_SCHEMES = ("postgresql", "postgres")
_OPTIONS = frozenset({"sslmode", "sslrootcert", "host", "port"})
_CHECKED = "verify-full"
_WITHOUT_TLS = ("disable", "allow", "prefer")
"""The modes of PostgreSQL that go on without TLS if the server has none."""
_MODES = (*_WITHOUT_TLS, "require", "verify-ca", _CHECKED)


class RelayAddress(NamedTuple):
    """The relay's address, and the user to log in as.

    Attributes:
        host: a name, an address, or the folder of a socket.
        is_local: a socket or a loopback address, for which no TLS is needed.
        ca_file: the certificates to trust; None for the system's.
        asks_for_tls: whether the certificate of a loopback address is checked anyway.
    """

    host: str
    port: int
    user: str
    database: str
    is_local: bool
    ca_file: str | None = None
    asks_for_tls: bool = False

    @property
    def name(self) -> str:
        """The host, for messages."""
        return self.host if self.port == DEFAULT_PORT or self.host.startswith("/") else f"{self.host}:{self.port}"

    @property
    def is_socket(self) -> bool:
        return not self.host or self.host.startswith("/")

    @property
    def uses_tls(self) -> bool:
        """Return whether the connection is encrypted and the server's certificate checked."""
        return self.asks_for_tls or not self.is_local


def parse_relay_url(url: str, where: str, password_remedy: str = LOGIN) -> RelayAddress:
    """Parse `postgresql://user@host[:port]/database[?sslmode=verify-full][&sslrootcert=FILE]`.

    A socket is given as `?host=FOLDER`.

    Args:
        where: the beginning of errors, such as the key's path.
        password_remedy: the remedy for a password in the URL.

    Raises:
        ConfigError: the URL has another form, holds a password, or asks for a connection that isn't checked.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
        options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    except ValueError:
        raise ConfigError(f"{where}: not a URL; write it as {EXAMPLE}") from None
    if not (parts.scheme in _SCHEMES and parts.username and parts.path.strip("/") and url.isprintable()):
        raise ConfigError(f"{where}: not a database's address; write it as {EXAMPLE}")
    if parts.password is not None:
        raise ConfigError(f"{where}: remove the password from it, then {password_remedy}")
    if unknown := options.keys() - _OPTIONS:
        raise ConfigError(f"{where}: unknown option: {', '.join(sorted(unknown))}; remove it")
    try:
        port = int(options.get("port", port))
        is_port = port is None or 1 <= port <= 65_535
    except ValueError:
        is_port = False
    if not is_port:
        raise ConfigError(f"{where}: the port must be a number from 1 to 65535")
    host, ca_file, mode = (
        options.get("host", parts.hostname or ""),
        options.get("sslrootcert"),
        options.get("sslmode"),
    )
    is_socket = not host or host.startswith("/")
    is_local = is_socket or is_loopback(host)
    _check_encryption(where, mode, ca_file, is_socket=is_socket, is_local=is_local)
    asks_for_tls = is_local and (mode == _CHECKED or ca_file is not None)
    user, database = unquote(parts.username or ""), unquote(parts.path.strip("/"))
    return RelayAddress(host, port, user, database, is_local, ca_file, asks_for_tls)


def _check_encryption(
    where: str, mode: str | None, ca_file: str | None, *, is_socket: bool, is_local: bool
) -> None:
    """Refuse an address whose connection would be less encrypted than it says.

    Raises:
        ConfigError: the connection would be.
    """
    if mode is not None and mode not in _MODES:
        raise ConfigError(f"{where}: unknown sslmode={mode}; use {_CHECKED}, or omit it")
    if is_socket and (ca_file is not None or mode not in (None, *_WITHOUT_TLS)):
        raise ConfigError(f"{where}: a socket on this machine has no TLS; remove sslmode and sslrootcert")
    if mode in (None, _CHECKED):
        return
    if not is_local or mode not in _WITHOUT_TLS:
        raise ConfigError(f"{where}: sslmode={mode} is refused; only verify-full checks who answers")
    if ca_file is not None:
        raise ConfigError(f"{where}: sslrootcert needs sslmode={_CHECKED}; it has sslmode={mode}")


POLL_CHOICES = ("if nobody else", "never")

MAX_ACCOUNT_LETTERS = 40
"""Maximum length of an account, after which a channel is named: PostgreSQL's names have at most 63 bytes."""

_ACCOUNT = rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_ACCOUNT_LETTERS - 1}}}"


def check_team_url(value: Any, where: str, password_remedy: str = LOGIN) -> str:
    """Return a relay's URL if it names a user and a database, and holds no password.

    Args:
        password_remedy: the remedy for a password in the URL.

    Raises:
        ConfigError: the URL can't be used; the text begins with `where`.
    """
    expect(value is not None, f"{where}: missing; set it to the team's address, such as {EXAMPLE}")
    expect(isinstance(value, str), f"{where}: expected text")
    text = str(value).strip()
    parse_relay_url(text, where, password_remedy)
    return text


def check_account(value: Any, where: str) -> str:
    """Return the name of a team's account if it is valid.

    Raises:
        ConfigError: the name isn't valid; the text begins with `where`.
    """
    expect(value is not None, f"{where}: missing; set it to the name given to `frontdesk team init`")
    problem = (
        f"{where}: use only letters, digits, dots, dashes and underscores, at most {MAX_ACCOUNT_LETTERS}, "
        "with a letter or digit first"
    )
    expect(isinstance(value, str) and re.fullmatch(_ACCOUNT, value) is not None, problem)
    return str(value)


@dataclass(frozen=True, slots=True)
class TeamSettings:
    """The team of a profile."""

    url: str = declare(
        "The team's database: `postgresql://ROLE@HOST:PORT/DATABASE`, without a password. `?sslrootcert=FILE` "
        "names the certificates to trust, `?host=FOLDER` a socket on this machine.",
        read=check_team_url,
    )
    account: str = declare(
        "The team's account in it, the name given to `frontdesk team init`.", read=check_account
    )
    poll: str = declare(
        "`never`: this machine never polls the platform for the team.",
        POLL_CHOICES[0],
        choices=POLL_CHOICES,
        expected=" or ".join(f'"{each}"' for each in POLL_CHOICES),
    )

    @property
    def may_poll(self) -> bool:
        return self.poll != "never"

    @property
    def server(self) -> str:
        """The login and the server, `noa@db:5432`, that a stored password was entered for."""
        address = parse_relay_url(self.url, "url")
        return f"{quote(address.user, safe='')}@{address.host}:{address.port}"


def apply_environment(stored: TeamSettings | None, environ: Mapping[str, str]) -> TeamSettings | None:
    """Return the team with the values that the environment overrides.

    Raises:
        ConfigError: a variable can't be used, or the other one is missing.
    """
    url, account = environ.get("FRONTDESK_TEAM_URL", ""), environ.get("FRONTDESK_TEAM_ACCOUNT", "")
    if not url and not account:
        return stored
    team = stored or TeamSettings("", "")
    if url or not team.url:
        team = replace(team, url=check_team_url(url or None, "FRONTDESK_TEAM_URL"))
    if account or not team.account:
        team = replace(team, account=check_account(account or None, "FRONTDESK_TEAM_ACCOUNT"))
    return team
