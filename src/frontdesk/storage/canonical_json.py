"""One text for one object: the same whatever order its fields came in.

Every part of the store that asks whether something differs compares these texts.
"""

import json
from collections.abc import Mapping
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def canonical(raw: Mapping[str, Any]) -> str:
    """An object as JSON with its fields sorted, as it is kept."""
    return _ENCODER.encode(raw)
