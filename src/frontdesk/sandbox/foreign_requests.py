"""Refuse requests that a web page of somebody else may have sent through the browser of whoever runs the sandbox.

Such a page knows the address but isn't served from it: the browser names it in Origin and Sec-Fetch-Site. A page
whose name was pointed at this machine afterwards (DNS rebinding) is known by the Host. Programs send neither
Origin nor Sec-Fetch-Site.
"""

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from frontdesk.sandbox.responses import Refusal

_OWN_SITES = ("same-origin", "none")
_HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names that a request's Host may have besides those of the loopback.

    Attributes:
        address: what the sandbox was told to listen on.
        allowed: further ones, each with any port unless it names one.
    """

    address: str
    allowed: Collection[str] = ()


def require_own_page(headers: Mapping[str, str], server: tuple[str, int | None] | None, names: OwnNames) -> None:
    """Refuse a foreign Host, Origin or Sec-Fetch-Site.

    Args:
        server: the address and port that the connection came to.

    Raises:
        Refusal: 403, with what to do about it.
    """
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
