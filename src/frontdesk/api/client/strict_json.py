"""JSON as it comes from outside and as it goes out: strict both ways.

The client alone uses it. Python's own decoder lets through NaN, double names and numbers without end.
"""

import json
import re
from typing import Any, NoReturn

from pydantic import BaseModel

from frontdesk.api.client.errors import BadReply, BadRequestInput

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
LOOSE_CURSOR = "lastEvaluatedKey"
"""Sent back unchanged, its numbers too (docs/interface.md, List tasks)."""


def decode(body: bytes) -> Any:
    """The value of a JSON body; lone surrogates become U+FFFD.

    Raises:
        BadReply: it isn't UTF-8 or JSON, holds NaN or Infinity, or is nested too deep.
    """
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant)
        # An escape is the only way in for a lone surrogate: UTF-8 itself has none.
        return _mend(value) if "\\u" in text else value
    except UnicodeDecodeError:
        why = "isn't UTF-8 text"
    except RecursionError:
        why = "is nested too deep"
    except ValueError:
        why = "isn't JSON"
    raise BadReply(f"the platform's answer {why}")


def encode(value: object) -> bytes:
    """A JSON body.

    Raises:
        BadRequestInput: it holds what JSON in UTF-8 can't carry.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise BadRequestInput(f"the input can't be sent as JSON ({type(error).__name__})") from None


def body_of(model: BaseModel) -> dict[str, Any]:
    """The fields of a model that were set; whole numbers are written without a fraction."""
    fields = model.model_dump(mode="python", exclude_unset=True)
    return {name: value if name == LOOSE_CURSOR else _whole(value) for name, value in fields.items()}


def _whole(value: Any) -> Any:
    """`UnixSeconds` is a float inside; on the wire 1760000000 is no 1760000000.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    return value


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mend(key): _mend(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_mend(part) for part in value]
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
