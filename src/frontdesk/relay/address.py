"""The relay's address: parsed, and refused where the connection wouldn't be encrypted and checked."""

import ipaddress
import ssl
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from frontdesk.config.team import DEFAULT_PORT, EXAMPLE, SCHEMES
from frontdesk.relay.errors import RelayRefused


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """Where the relay is and as whom to log in.

    Attributes:
        host: a name, an address, or the folder of a socket.
        is_local: a socket or a loopback address, for which no TLS is needed.
        ca_file: the certificates to trust; None for the system's.
    """

    host: str
    port: int
    user: str
    database: str
    is_local: bool
    ca_file: str | None = None

    @property
    def name(self) -> str:
        """The host, for messages."""
        return self.host if self.port == DEFAULT_PORT or self.host.startswith("/") else f"{self.host}:{self.port}"

    def tls(self) -> ssl.SSLContext | bool:
        """Return how the connection is encrypted: with the certificate checked, or not at all if local."""
        return False if self.is_local else ssl.create_default_context(cafile=self.ca_file)


def parse_address(url: str) -> RelayAddress:
    """Parse `postgresql://user@host[:port]/database[?sslmode=verify-full][&sslrootcert=FILE]`.

    A socket is given as `?host=FOLDER`.

    Raises:
        RelayRefused: it is no such address, holds a password, or asks for a connection that isn't checked.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
        options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    except ValueError:
        raise RelayRefused(f"the team's address isn't a URL; it looks like {EXAMPLE}") from None
    if parts.scheme not in SCHEMES or not parts.username or not parts.path.strip("/"):
        raise RelayRefused(f"the team's address must look like {EXAMPLE}")
    if parts.password is not None:
        raise RelayRefused("the team's address holds a password; remove it and run `frontdesk login`")
    if unknown := options.keys() - {"sslmode", "sslrootcert", "host", "port"}:
        raise RelayRefused(f"the team's address has an unknown option: {', '.join(sorted(unknown))}")
    host = options.get("host", parts.hostname or "")
    is_local = not host or host.startswith("/") or _is_loopback(host)
    mode = options.get("sslmode", "verify-full")
    if not is_local and mode != "verify-full":
        raise RelayRefused(f"the team's address has sslmode={mode}; only verify-full checks who answers")
    try:
        port = int(options.get("port", port))
    except ValueError:
        raise RelayRefused("the team's address has a port that isn't a number") from None
    user, database = unquote(parts.username), unquote(parts.path.strip("/"))
    return RelayAddress(host, port, user, database, is_local, options.get("sslrootcert"))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
