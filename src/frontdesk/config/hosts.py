"""Hosts of a profile, and the URLs that credentials may be sent to."""

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from frontdesk.config.tables import ConfigError, declare, keys_of
from frontdesk_api.hosts import Hosts

LOGIN = "run `frontdesk login`"
"""The remedy where credentials are missing or refused."""

_url = partial(declare, pattern=r"^\s*([Hh][Tt][Tt][Pp][Ss]://|[Hh][Tt][Tt][Pp]://(localhost|127\.|\[::1\]))")
_other_url = partial(_url, without="base_url")


@dataclass(frozen=True, slots=True)
class HostKeys:
    """The keys of `Hosts` in a profile's table."""

    base_url: str = _url("The platform's address, `https://…`; plain `http` only for this machine.")
    campaigns_url: str = _other_url("The address for campaigns, if it differs.")
    workflows_url: str = _other_url("The address for workflows, if it differs.")
    business_url: str = _other_url("The address for tasks, if it differs.")
    ai_url: str = _other_url("The address for AI agents, if it differs.")


HOST_KEYS = tuple(keys_of(HostKeys))
"""The keys of the five hosts (docs/interface.md, Hosts)."""


def origins(hosts: Hosts) -> frozenset[str]:
    """Return scheme, host and port of each URL, where credentials for these hosts may be sent."""
    default_ports = {"https": ":443", "http": ":80"}
    urls = [urlsplit(getattr(hosts, key).lower()) for key in HOST_KEYS]
    return frozenset(f"{url.scheme}://{url.netloc.removesuffix(default_ports[url.scheme])}" for url in urls)


def are_local(hosts: Hosts) -> bool:
    """Return whether every host is an address of this machine; names aren't resolved."""
    return all(is_loopback(urlsplit(getattr(hosts, key)).hostname or "") for key in HOST_KEYS)


def environment_name(key: str) -> str:
    """Return the environment variable of a host (docs/configuration.md)."""
    return f"FRONTDESK_{key.upper()}"


def environment_store_name(hosts: Hosts, environ: Mapping[str, str]) -> str:
    """Name the store for hosts of the environment.

    The name differs for each set of hosts, business and agent, so that no store mixes two of them.
    """
    url = urlsplit(hosts.base_url)
    address = re.sub(r"[^A-Za-z0-9.]+", "-", url.hostname or "host").strip("-.")
    port = url.port or (443 if url.scheme == "https" else 80)
    # Leave out the Cookie: its token is renewed, and unsent changes must stay in the same store.
    account = [environ.get("FRONTDESK_API_KEY", "").strip(), environ.get("FRONTDESK_AGENT_ID", "").strip()]
    seed = "\n".join([*(getattr(hosts, key) for key in HOST_KEYS), *account])
    return f"env-{address[:40]}-{port}-{hashlib.sha256(seed.encode(errors='replace')).hexdigest()[:8]}"


def parse_hosts(given: Mapping[str, Any], where: str = "") -> Hosts:
    """Parse the hosts from the keys of `HOST_KEYS`; all but the base URL default to it.

    Args:
        where: the path of the table in the config; "environment" names variables.

    Raises:
        ConfigError: a host isn't a URL that credentials may be sent to.
    """

    def path(key: str) -> str:
        return environment_name(key) if where == "environment" else f"{where}.{key}".lstrip(".")

    if not given.get("base_url"):
        raise ConfigError(f"{path('base_url')}: missing; set it to the platform's address, https://…")
    base = check_url(given["base_url"], path("base_url"))
    rest = {key: check_url(given[key], path(key)) if given.get(key) else base for key in HOST_KEYS[1:]}
    return Hosts(base_url=base, **rest)


def check_url(value: object, where: str) -> str:
    """Normalize a base URL: no slash at the end; https, or http to this machine.

    Raises:
        ConfigError: the URL is anything else; the text begins with `where`.
    """
    if not isinstance(value, str):
        raise ConfigError(f"{where}: expected text")
    text = value.strip().rstrip("/")
    try:
        url = urlsplit(text)
        host, _port = url.hostname, url.port
    except ValueError:
        raise ConfigError(f"{where}: not a URL; write it as https://host") from None
    if url.scheme not in ("http", "https") or not host or not re.fullmatch(r"[!-~]+", text):
        raise ConfigError(f"{where}: not a URL; write it as https://host")
    if url.username is not None or "?" in text or "#" in text or "\\" in text:
        raise ConfigError(f"{where}: write only the address, without a user name, ?, # or \\")
    if url.scheme == "http" and not is_loopback(host):
        raise ConfigError(f"{where}: http would show your credentials to the network; use https://{host}")
    return text


def is_loopback(host: str) -> bool:
    """Return whether a name is this machine's own, without resolving it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # 127.999.1.1 isn't an address but a name, which a resolver may send anywhere
        return host == "localhost"
