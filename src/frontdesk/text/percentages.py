"""Shares as percentages, the same everywhere; called by every view and report that shows one."""

MAX_SHARE = 10.0
"""Maximum share shown as a number; a larger one is `>999%`, since columns are six cells wide."""

_BELOW_TEN = 0.0995


def percent(share: float, digits: int | None = None) -> str:
    """Format a share in at most six cells: `46%`, `4.2%`.

    A non-zero share is never `0%`, an incomplete one never `100%`.

    Args:
        share: 1 is all.
        digits: after the point; by default one below 10 percent, and none above.
    """
    if share >= MAX_SHARE:
        return ">999%"
    if digits is None:
        digits = 1 if 0 < share < _BELOW_TEN else 0
    least = 10.0**-digits
    value = share * 100
    shown = f"{value:.{digits}f}"
    if value > 0 and float(shown) == 0:
        return f"<{least:.{digits}f}%"
    if value < 100 and float(shown) == 100:
        return f">{100 - least:.{digits}f}%"
    return f"{shown}%"


def percent_and_count(part: float, whole: float) -> tuple[str, str]:
    """Return `61%` and `6,157 of 10,000`: a percentage beside a count is always of the same two numbers."""
    return percent(part / whole, 0), f"{part:,.0f} of {whole:,.0f}"
