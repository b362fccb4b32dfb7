"""A part of a list that stands for the whole: who is looked at first, and how sure a share of them is.

Called by `campaigns.metrics.delivery_results`, and by whoever picks the next recipient. Pure.
"""

import hashlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

SURE = 1.959963984540054
"""Standard deviations either way that hold 95 of 100 samples."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of the whole as a sample tells it, all from 0 to 1.

    Attributes:
        share: of the sample.
        low, high: between them the whole's share is, in 95 samples of 100.
    """

    share: float
    low: float
    high: float

    @property
    def plus_minus(self) -> float:
        """How far the whole's share may be from the sample's, the farther way; 0 where all were looked at."""
        return max(self.high - self.share, self.share - self.low)


def fair_order(salt: str, things: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """The things in an order that has nothing to do with the list's, and is the same each time.

    However far it is followed, what it began with is a sample drawn by lot: a list may be sorted by
    country or by how old a number is, and its head would tell of these alone.

    Args:
        salt: another order for another campaign, so that no number is always the first.
        name: what is drawn by; equal names stand beside each other.
    """
    return sorted(things, key=lambda each: _lot(salt, name(each)))


def estimate(hits: int, checked: int, whole: int) -> Estimate | None:
    """What a sample without repeats says of the whole: Wilson's interval, narrowed by how much of it was seen.

    Wilson's stays between 0 and 1 and says something where nothing was hit, which p ± z·√(p·q/n) does
    not. The finite population correction makes the sample count as n·(N-1)/(N-n).

    Args:
        hits: of those looked at.
        checked: how many were looked at.
        whole: how many there are.

    Returns:
        None where nothing was looked at.
    """
    if checked <= 0:
        return None
    whole = max(whole, checked)
    share = hits / checked
    if checked == whole:
        return Estimate(share, share, share)
    size = checked * (whole - 1) / (whole - checked)
    spread = SURE * SURE / size
    middle = (share + spread / 2) / (1 + spread)
    reach = SURE / (1 + spread) * math.sqrt(share * (1 - share) / size + spread / (4 * size))
    # What was seen is certain: so many are hit at least, and so many are not.
    low = max(middle - reach, hits / whole)
    high = min(middle + reach, (whole - checked + hits) / whole)
    return Estimate(share, min(low, share), max(high, share))


def _lot(salt: str, name: str) -> bytes:
    return hashlib.blake2b(f"{salt}\0{name}".encode(errors="surrogatepass"), digest_size=8).digest()
