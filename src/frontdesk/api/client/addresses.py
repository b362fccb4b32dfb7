"""From an operation and its ids to a URL: percent-encoded, and never another operation's.

The client alone uses it.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from frontdesk.api.client.errors import BadRequestInput
from frontdesk.api.contract.endpoints import Endpoint
from frontdesk.config.settings import Hosts

LONGEST_ID = 512
"""Bytes; an id beyond it is a mistake, and proxies cut long paths."""


def url_for(hosts: Hosts, endpoint: Endpoint[Any], ids: Mapping[str, str], query: Mapping[str, object]) -> str:
    """The URL of one request. `#` becomes `%23` (docs/interface.md, Assign tags).

    Raises:
        BadRequestInput: an id would change which operation is called.
    """
    path = endpoint.path.format(**{name: encode_id(name, value) for name, value in ids.items()})
    url = getattr(hosts, endpoint.host.value) + path
    if query:
        url += "?" + "&".join(
            f"{quote(name, safe='')}={_encode_parameter(value)}" for name, value in query.items()
        )
    return str(url)


def encode_id(name: str, value: str) -> str:
    """An id as one segment of a path.

    Raises:
        BadRequestInput: empty, `.` and `..` would reach another path, the rest no path at all.
    """
    if value in ("", ".", ".."):
        raise BadRequestInput(f"{name} {value!r} is no id; nothing was sent")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise BadRequestInput(f"{name} holds a broken character; nothing was sent") from None
    if size > LONGEST_ID:
        raise BadRequestInput(f"{name} is longer than {LONGEST_ID} bytes; nothing was sent")
    return quote(value, safe="")


def _encode_parameter(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return quote(str(value), safe="")
    except UnicodeEncodeError:
        raise BadRequestInput("a parameter holds a broken character; nothing was sent") from None
