"""A campaign's counters: what they say together, shares and losses, and when they can't be right."""

from typing import NamedTuple


class Counters(NamedTuple):
    """A campaign's nine counters; None is unknown, which is not 0."""

    total: float | None
    pending: float | None
    sent: float | None
    delivered: float | None
    read: float | None
    failed: float | None
    opted_out: float | None
    duplicates: float | None
    too_many: float | None


def count_words(counters: Counters) -> list[str]:
    """Say how many recipients were sent to, failed and were throttled."""
    words = []
    if counters.total:
        total = f"{counters.total:,.0f}"
        if counters.sent is None:
            words.append(f"{total} recipients, number sent unknown")
        else:
            words.append(f"{counters.sent:,.0f} of {total} sent")
    losses = ((counters.failed, "failed"), (counters.too_many, "throttled"))
    return [*words, *(f"{count:,.0f} {label}" for count, label in losses if count)]


def _of_sending(counters: Counters) -> Counters:
    return counters._replace(delivered=None, read=None)


class FunnelStep(NamedTuple):
    """One step of the funnel; its share is of `of`, all recipients."""

    label: str
    value: float | None
    of: float | None

    @property
    def share(self) -> float | None:
        if self.value is None or not self.of or self.of < 0:
            return None
        return max(0.0, min(1.0, self.value / self.of))


LABELS = ("total", "pending", "sent", "delivered", "read", "failed", "opted out", "duplicate", "throttled")
"""Of the nine counters in their order."""

RISING = {name: label for name, label in zip(Counters._fields, LABELS, strict=True) if name != "pending"}
"""The counters that never fall by themselves, with their words; pending does nothing else."""


def in_flight(counters: Counters) -> float | None:
    left = remaining(counters)
    return None if left is None or counters.pending is None else max(0.0, left - max(0.0, counters.pending))


def remaining(counters: Counters) -> float | None:
    """Recipients that are pending or in flight; None without the total or what was sent.

    Absent counters of other outcomes are left out, so that too many remain rather than too few.
    """
    if counters.total is None or counters.sent is None:
        return None
    rest = (counters.failed, counters.opted_out, counters.duplicates, counters.too_many)
    left = counters.total - counters.sent - sum(each for each in rest if each is not None)
    return max(0.0, left, counters.pending or 0.0)


def counter_doubt(counters: Counters) -> str:
    """Say which counters can't be right together (docs/interface.md, Campaign counters, 2); else empty."""
    named = list(zip(LABELS, counters, strict=True))
    if below := next((label for label, value in named if value is not None and value < 0), ""):
        return f"{below} can't be negative"
    parts = [value for label, value in named if value and label not in ("total", "delivered", "read")]
    if counters.total is not None and sum(parts) > counters.total:
        return "the counters exceed the total"
    for more, less in (("delivered", "sent"), ("read", "delivered")):
        value, most = getattr(counters, more), getattr(counters, less)
        if value is not None and most is not None and value > most:
            return f"more {more} than {less}"
    return ""


def finished_count(counters: Counters) -> float | None:
    """Recipients tried: sending to them has ended, without opt-outs and duplicates; None without what was sent."""
    if counters.sent is None:
        return None
    return counters.sent + sum(each for each in (counters.failed, counters.too_many) if each is not None)


def lost_count(counters: Counters) -> float | None:
    """Recipients that weren't reached: failed or throttled; None where neither is known."""
    known = [each for each in (counters.failed, counters.too_many) if each is not None]
    return sum(known) if known else None


def lost_share(counters: Counters) -> float | None:
    return share_of_tried(lost_count(counters), counters)


def share_of_tried(count: float | None, counters: Counters) -> float | None:
    """Return a count as a share of those tried; None while none were, or where it can't be right.

    As a share of all recipients it would rise with each message sent, even if the same proportion fails.
    """
    tried = finished_count(counters)
    return None if not tried or count is None or counter_doubt(counters) else count / tried


LOSSES = {"failed": "failed", "throttled": "too_many"}
"""The steps of the funnel that weren't reached, with their counters."""


def done_of_all(counters: Counters) -> tuple[float, float] | None:
    """Return how many recipients' outcome is known and how many there are; None where that can't be told."""
    total, rest = counters.total, remaining(counters)
    if total is None or total <= 0 or rest is None:
        return None
    return max(0.0, total - rest), total


def funnel(counters: Counters) -> tuple[FunnelStep, ...]:
    """Return the steps; their shares are all of all recipients, so that they can be compared."""
    total, flying = counters.total, in_flight(counters)
    steps = dict(zip(LABELS[1:], counters[1:], strict=True))
    return (
        FunnelStep("recipients", total, None),
        FunnelStep("pending", steps.pop("pending"), total),
        FunnelStep("in flight", flying, total),
        *(FunnelStep(label, value, total) for label, value in steps.items()),
    )


def fallen_counters(before: Counters, after: Counters) -> list[tuple[str, float]]:
    """Find the rising counters that fell between two reads: their field, and by how much."""
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in RISING]
    return [(name, was - now) for name, was, now in pairs if was is not None and now is not None and now < was]
