"""How a connection to the relay's address is encrypted; `config.relay_address` parses the address."""

import ssl

from frontdesk.config.relay_address import RelayAddress, parse_relay_url
from frontdesk.config.tables import ConfigError
from frontdesk.relay.errors import RelayRefused

WHERE = "the team's address"


def parse_address(url: str) -> RelayAddress:
    """Parse a relay's URL, as `parse_relay_url` does.

    Raises:
        RelayRefused: it can't be used.
    """
    try:
        return parse_relay_url(url, WHERE)
    except ConfigError as error:
        raise RelayRefused(str(error)) from None


def tls_context(address: RelayAddress) -> ssl.SSLContext | bool:
    """Return how the connection is encrypted: with the certificate checked, or not at all if local.

    Raises:
        RelayRefused: the certificates to trust can't be read.
    """
    if not address.uses_tls:
        return False
    try:
        return ssl.create_default_context(cafile=address.ca_file)
    except OSError:  # ssl.SSLError is one
        raise RelayRefused(
            f"can't read certificates in {address.ca_file}; check sslrootcert in the team's address"
        ) from None


__all__ = ["RelayAddress", "parse_address", "tls_context"]
