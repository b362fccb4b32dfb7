"""The URL and the JSON body of a request."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from frontdesk_api.client.errors import BadRequestInput
from frontdesk_api.contract.endpoints import Endpoint
from frontdesk_api.hosts import Hosts

MAX_ID_BYTES = 512
"""Maximum length of an id: a longer one is a mistake, and proxies cut long paths."""

LOOSE_CURSOR = "lastEvaluatedKey"
"""Types of a cursor that is sent back unchanged, including its numbers (docs/interface.md, List tasks)."""


def url_for(hosts: Hosts, endpoint: Endpoint[Any], ids: Mapping[str, str], query: Mapping[str, object]) -> str:
    """Build the URL, `#` as `%23` (docs/interface.md, Assign tags); raise BadRequestInput for an invalid id."""
    path = endpoint.path.format(**{name: encode_id(name, value) for name, value in ids.items()})
    url: str = (getattr(hosts, endpoint.host.value) or hosts.base_url) + path
    if query:
        url += "?" + "&".join(
            f"{quote(name, safe='')}={_encode_parameter(value)}" for name, value in query.items()
        )
    return url


def encode_id(name: str, value: str) -> str:
    """Encode an id as one segment of a path; raise BadRequestInput for one that would reach another path."""
    if value in ("", ".", ".."):
        raise BadRequestInput(f"{name} {value!r} isn't a valid id; nothing was sent")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise BadRequestInput(f"{name} contains an invalid character; nothing was sent") from None
    if size > MAX_ID_BYTES:
        raise BadRequestInput(f"{name} is longer than {MAX_ID_BYTES} bytes; nothing was sent")
    return quote(value, safe="")


def _encode_parameter(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return quote(str(value), safe="")
    except UnicodeEncodeError:
        raise BadRequestInput("a parameter contains an invalid character; nothing was sent") from None


def encode_json(value: object) -> bytes:
    """Encode a JSON body; raise BadRequestInput for a value that JSON in UTF-8 can't carry."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError) as error:
        why = (
            "it is nested too deeply"
            if isinstance(error, RecursionError)
            else "it contains a value JSON can't hold"
        )
        raise BadRequestInput(f"the input can't be sent as JSON: {why}; nothing was sent") from None


def body_of(model: BaseModel) -> dict[str, Any]:
    """Dump the fields that were set; whole numbers are written without a fraction."""
    fields = model.model_dump(mode="python", exclude_unset=True)
    return {name: value if name == LOOSE_CURSOR else _whole(value) for name, value in fields.items()}


def _whole(value: Any) -> Any:
    """Return whole floats as integers: `UnixSeconds` is a float, but 1760000000.0 must be sent as 1760000000."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    return value
