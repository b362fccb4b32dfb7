"""What becomes of each recipient of a campaign: decided once by the seed, and how far it has come at a moment.

Called by campaign_delivery as it sends, and by the seed for campaigns that have already run.
"""

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from random import Random

FAILED_SHARE = 0.02
THROTTLED_SHARE = 0.003
LATE_FAILURE_SHARE = 0.004
UNDELIVERED_SHARE = 0.012
SLOW_DELIVERY_SHARE = 0.06
READ_SHARE = 0.70
REPLY_SHARE = 0.06
OPT_OUT_SHARE = 0.004


@dataclass(frozen=True, slots=True)
class Plan:
    """One recipient's future, in milliseconds after the dispatch; None is never.

    Attributes:
        outcome: the bucket after the dispatch: sent, failed or throttled.
        code: index into FAILURES for whatever fails.
    """

    outcome: str
    settled: float
    delivered: float | None = None
    read: float | None = None
    replied: float | None = None
    late_failure: float | None = None
    opts_out: bool = False
    code: int = 0

    @property
    def moments(self) -> list[float]:
        """The times of all its events, in no order."""
        moments = (self.settled, self.late_failure, self.delivered, self.read, self.replied)
        return [moment for moment in moments if moment is not None]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a recipient at a moment, and when to update it again (None: nothing more will happen)."""

    bucket: str
    delivered: bool
    read: bool
    replied: bool
    next_at: float | None


@lru_cache(maxsize=1 << 14)
def plan_for(seed: int, campaign: str, customer: str) -> Plan:
    """Return the plan of a recipient, always the same for a seed (docs/interface.md, Campaign counters, 7)."""
    digest = hashlib.blake2b(f"{seed}\0{campaign}\0{customer}".encode(), digest_size=8).digest()
    chance = Random(int.from_bytes(digest, "big"))
    settled = _lognormal(chance, 350, 0.5)
    fate = chance.random() if any(char.isdigit() for char in customer) else 0.0
    code = 0 if chance.random() < 0.7 else 1 + (chance.random() < 0.3)
    if fate < FAILED_SHARE:
        # What has no digit is nobody's number or id: undeliverable.
        return Plan("failed", settled, code=code if fate else 0)
    if fate < FAILED_SHARE + THROTTLED_SHARE:
        return Plan("throttled", settled)
    if fate < FAILED_SHARE + THROTTLED_SHARE + LATE_FAILURE_SHARE:
        return Plan("sent", settled, late_failure=settled + _lognormal(chance, 90_000, 1.0), code=code)
    if fate < FAILED_SHARE + THROTTLED_SHARE + LATE_FAILURE_SHARE + UNDELIVERED_SHARE:
        return Plan("sent", settled)
    slow = chance.random() < SLOW_DELIVERY_SHARE
    delivered = settled + (_lognormal(chance, 3 * 3_600_000, 0.8) if slow else _lognormal(chance, 2_000, 0.7))
    if chance.random() >= READ_SHARE:
        return Plan("sent", settled, delivered)
    read = delivered + _lognormal(chance, 8 * 60_000, 1.3)
    if chance.random() >= REPLY_SHARE:
        return Plan("sent", settled, delivered, read)
    replied = read + _lognormal(chance, 20 * 60_000, 1.0)
    return Plan("sent", settled, delivered, read, replied, opts_out=chance.random() < OPT_OUT_SHARE * 5)


def progress(plan: Plan, since_dispatch: float) -> Progress:
    """Return the state that the plan has reached, this many milliseconds after the dispatch."""
    next_at = min((at for at in plan.moments if at > since_dispatch), default=None)

    def reached(at: float | None) -> bool:
        return at is not None and at <= since_dispatch

    if not reached(plan.settled):
        return Progress("in_flight", False, False, False, next_at)
    bucket = "failed" if reached(plan.late_failure) else plan.outcome
    return Progress(bucket, reached(plan.delivered), reached(plan.read), reached(plan.replied), next_at)


def _lognormal(chance: Random, median: float, sigma: float) -> float:
    return math.exp(chance.gauss(math.log(median), sigma))
