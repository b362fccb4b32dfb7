"""Cursors that can't be made up: a position, sealed together with the list it belongs to.

Used by the task list (rules 156, 161).
"""

import hashlib
import hmac
from typing import Any

from frontdesk.sandbox.answers import broken_rule, encode


def seal_cursor(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> dict[str, Any]:
    """The lastEvaluatedKey after the row at this position of the list that `scope` describes."""
    return {"updatedAt": updated_at, "taskId": task_id, "check": _check(secret, scope, updated_at, task_id)}


def open_cursor(secret: bytes, scope: list[Any], cursor: dict[str, Any]) -> tuple[float, str]:
    """The position that a cursor stands for.

    Raises:
        Refusal: it was altered, or belongs to another list.
    """
    updated_at, task_id, check = cursor.get("updatedAt"), cursor.get("taskId"), cursor.get("check")
    if len(cursor) != 3 or isinstance(updated_at, bool) or not isinstance(updated_at, int | float):
        raise broken_rule("lastEvaluatedKey is not one that this service gave.")
    if not isinstance(task_id, str) or not isinstance(check, str) or not check.isascii():
        raise broken_rule("lastEvaluatedKey is not one that this service gave.")
    if not hmac.compare_digest(check, _check(secret, scope, updated_at, task_id)):
        raise broken_rule("lastEvaluatedKey was altered or belongs to another list.")
    return updated_at, task_id


def _check(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> str:
    # A number may come back as 5.0 where 5 was given: JSON doesn't tell them apart.
    text = encode([scope, float(updated_at), task_id])
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]
