"""Whether a workflow's analytics were zeroed, told from its documents alone. Pure."""

from typing import Any

from frontdesk.storage import json_access
from frontdesk.storage.records import Json


def is_zeroed(document: Json) -> bool:
    """Whether analytics are shown and nothing in them was counted."""
    analytics = document.get("analytics")
    return isinstance(analytics, dict) and not _counted(analytics)


def was_zeroed(before: Json | None, after: Json) -> bool:
    """Whether counters were zeroed between two reads: a live workflow may have counted again since."""
    if before is None:
        return False
    was, now = json_access.number(before.get("lastModified")), json_access.number(after.get("lastModified"))
    if was is not None and (now is None or now <= was):
        return False
    started = [
        json_access.number(json_access.mapping(each.get("analytics")).get("totalStarted"))
        for each in (before, after)
    ]
    fell = started[0] is not None and started[1] is not None and started[1] < started[0]
    return fell or is_zeroed(after)


def _counted(analytics: Json) -> bool:
    """Whether any counter in it is more than zero; when it was last updated is none."""
    todo: list[Any] = [value for name, value in analytics.items() if name != "lastUpdated"]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        elif json_access.number(value):
            return True
    return False
