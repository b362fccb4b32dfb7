"""Address of the relay: parsed, and refused if the connection wouldn't be encrypted and checked.

`config.team` parses it for a profile, and `relay.connection` connects to it.
"""

from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from frontdesk.config.hosts import is_loopback
from frontdesk.config.tables import ConfigError

DEFAULT_PORT = 5432
EXAMPLE = "postgresql://noa@db/frontdesk"
LOGIN = "run `frontdesk login`"
"""The remedy for members of a team; the owner of its database has no profile."""

_SCHEMES = ("postgresql", "postgres")
_OPTIONS = frozenset({"sslmode", "sslrootcert", "host", "port"})
_CHECKED = "verify-full"
_WITHOUT_TLS = ("disable", "allow", "prefer")
"""The modes of PostgreSQL that go on without TLS if the server has none."""
_MODES = (*_WITHOUT_TLS, "require", "verify-ca", _CHECKED)


@dataclass(frozen=True, slots=True)
class RelayAddress:
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
