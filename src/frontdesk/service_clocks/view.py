"""Service clocks in words. Rows have the moment of a deadline, not the time left: that would repaint them."""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.service_clocks.store import NearestClock
from frontdesk.text import relative_time
from frontdesk_lines.display_text import SafeText, show_label
from frontdesk_lines.lines import Role, Span, span

MAX_DOUBT_SECONDS = 60.0
"""A resolution deadline whose earliest and latest moment are so near to each other counts as exact."""

_SHORT = {ClockKind.FIRST: "reply", ClockKind.NEXT: "reply", ClockKind.RESOLUTION: "solve"}


def is_sure(clock: ServiceClock) -> bool:
    """Return whether the deadline is exact, and not only the earliest that may be."""
    if clock.due_at is None or clock.due_latest is None:
        return clock.state is not ClockState.UNKNOWN and clock.due_at is None
    return clock.due_latest - clock.due_at <= MAX_DOUBT_SECONDS


def row_span(nearest: NearestClock, view: RenderContext, *, is_short: bool = False) -> Span:
    """Draw a clock in a row: `reply 16:40`, `solve ~Fri 09:00`, `! reply 2h late`, `reply ?`, `solve paused`.

    A question mark at the end stands for another clock, which isn't known and may come before.

    Args:
        is_short: whether it takes less room: `by 16:40`, `! reply 2h`.
    """
    clock, more = nearest.clock, " ?" if nearest.has_unknown else ""
    what = f"{_SHORT[clock.kind]} "
    if clock.due_at is None:
        words = "?" if clock.state is ClockState.UNKNOWN else "paused"
        return span(f"{what}{words}{more}", Role.DIM)
    doubt = "" if is_sure(clock) else "~"
    if clock.due_at <= view.now:
        late = relative_time.short_duration(view.now - clock.due_at)
        is_late = clock.due_latest is not None and clock.due_latest <= view.now
        ending = "" if is_short else " late"
        return span(f"! {what}{doubt}{late}{ending}{more}", Role.BAD if is_late else Role.WARN)
    is_near = clock.warn_at is not None and clock.warn_at <= view.now
    when = view.when(clock.due_at, is_short=is_short)
    return span(f"{'by ' if is_short else what}{doubt}{when}{more}", Role.WARN if is_near else Role.DIM)


def fact_spans(nearest: NearestClock | None, view: RenderContext) -> Sequence[Span]:
    """Draw a clock in full: `first response by 16:40`, and which policy it is of."""
    if nearest is None:
        return ()
    clock = nearest.clock
    role = row_span(nearest, view).role
    role = Role.TEXT if role is Role.DIM and clock.due_at is not None else role
    # One span: where it is too long, it goes on in the next line.
    return [span(f"{nearest_words(nearest, view)} ({show_label(clock.policy, 24).text})", role)]


def nearest_words(nearest: NearestClock, view: RenderContext) -> str:
    more = ", another deadline unknown" if nearest.has_unknown else ""
    return f"{nearest.clock.kind} {state_words(nearest.clock, view)}{more}"


def as_json(nearest: NearestClock | None) -> dict[str, object] | None:
    """Return a clock for `--json`; times are Unix seconds, null what isn't known."""
    if nearest is None:
        return None
    clock = nearest.clock
    return {
        "kind": str(clock.kind),
        "policy": clock.policy,
        "state": str(clock.state),
        "due": clock.due_at,
        "dueLatest": clock.due_latest,
        "othersUnknown": nearest.has_unknown,
    }


def state_words(clock: ServiceClock, view: RenderContext) -> str:
    """Return what a clock says: `by 16:40`, `was due 16:40`, `paused`, `unknown`."""
    if clock.due_at is None:
        return "unknown" if clock.state is ClockState.UNKNOWN else "paused"
    when = view.when(clock.due_at)
    doubt = "" if is_sure(clock) else " at the earliest"
    return f"was due {when}{doubt}" if clock.due_at <= view.now else f"by {when}{doubt}"


def alert_words(clock: ServiceClock, customer: SafeText, view: RenderContext) -> SafeText:
    """Return an alert: `Dana Levi: first response by 16:40`."""
    words = f"{customer.text}: {clock.kind} {state_words(clock, view)}"
    return SafeText(words, customer.was_sanitized)
