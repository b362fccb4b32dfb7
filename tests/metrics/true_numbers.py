"""Numbers counted from the platform's own records, by walking each thread from its beginning."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from frontdesk.metrics.models import Measure
from frontdesk.metrics.periods import Period

NEW_CONTACT_SECONDS = 24 * 3600


def share_of(values: Iterable[float], share: float) -> float | None:
    ordered = sorted(values)
    return ordered[math.ceil(len(ordered) * share) - 1] if ordered else None


def true_numbers(
    messages: Sequence[dict[str, Any]], tasks: Sequence[dict[str, Any]], period: Period
) -> dict[Measure, float | None]:
    """Return the numbers of messages and tasks that need no history."""

    def is_within(at: float) -> bool:
        return period.start <= at < period.end

    counts = dict.fromkeys((Measure.INCOMING, Measure.ANSWERS, Measure.AUTOMATIC), 0)
    first_waits: list[float] = []
    next_waits: list[float] = []
    threads = defaultdict(list)
    for each in messages:
        threads[each["participantsIdentifiers"]].append(each)
    for thread in threads.values():
        asked = answered = None
        for each in sorted(thread, key=lambda each: (each["createdAt"], each["messageDirection"] != "incoming")):
            at = each["createdAt"] / 1000
            if each.get("type") in ("note", "informative", "deleted"):
                continue
            if each["messageDirection"] == "incoming":
                counts[Measure.INCOMING] += is_within(at)
                asked = at if asked is None else asked
            elif each.get("initiator") != "person":
                counts[Measure.AUTOMATIC] += is_within(at)
            else:
                counts[Measure.ANSWERS] += is_within(at)
                if asked is not None and is_within(at):
                    is_first = answered is None or asked - answered >= NEW_CONTACT_SECONDS
                    (first_waits if is_first else next_waits).append(at - asked)
                asked, answered = None, at
    return {
        **counts,
        Measure.FIRST_RESPONSES: len(first_waits),
        Measure.FIRST_MEDIAN: share_of(first_waits, 0.5),
        Measure.FIRST_P90: share_of(first_waits, 0.9),
        Measure.NEXT_RESPONSES: len(next_waits),
        Measure.NEXT_MEDIAN: share_of(next_waits, 0.5),
        Measure.NEXT_P90: share_of(next_waits, 0.9),
        Measure.OPENED: sum(is_within(each["createdAt"]) for each in tasks),
        Measure.BACKLOG: sum(each["statusCase"] != "completed" for each in tasks),
    }
