"""Join a page of a thread with its known segments.

A page joins a segment when it shares a message with it, overlaps it in time, or was requested from its end. The
platform sorts by time alone: within one millisecond only its own answers tell the order of messages.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from frontdesk.storage.records import MessagePosition

LAST_MS = 8_640_000_000_000_000
"""The latest time that a calendar can show; later ones are taken for it."""


class Segment(NamedTuple):
    """A part of a thread without gaps. `complete`: nothing older exists.

    `cursor` requests what is older, where that isn't `oldest`: messages of one millisecond have an order of
    their own.
    """

    newest: MessagePosition
    oldest: MessagePosition
    complete: bool
    cursor: MessagePosition | None = None


def covering(segments: Sequence[Segment], at: float) -> tuple[Segment | None, bool]:
    """Return the segment from which a moment (Unix milliseconds) is reached, and whether it reaches it already.

    None where nothing of the thread is known. Infinity before all times reaches the beginning.
    """
    at_or_after = [each for each in segments if each.newest.created_at >= at]
    segment = min(at_or_after, key=lambda each: each.oldest, default=None)
    if segment is None:
        newest = max(segments, key=lambda each: each.newest, default=None)
        return newest, newest is not None
    return segment, segment.complete or segment.oldest.created_at < at


def join(
    segments: Sequence[Segment],
    page: Sequence[MessagePosition],
    *,
    known: Collection[MessagePosition],
    start: MessagePosition | None,
    has_more: bool,
    start_is_stored: bool = True,
    ends_within_moment: bool = False,
    cursor: MessagePosition | None = None,
) -> tuple[list[Segment], bool]:
    """Return the segments with a page added, newest first, and whether it met one that it did not start from.

    Args:
        page: its messages in the platform's order, which may be any within one millisecond.
        known: those of them that were stored before.
        start: what the page was requested with; `start_is_stored` where that is a message of a segment.
        ends_within_moment: whether more is stored of its last message's millisecond than it holds.
    """
    # A page covers everything from its start on; the first page has nothing newer above it.
    first_at = LAST_MS if start is None else start.created_at
    last_at = min(page).created_at if page else first_at
    merged: list[Segment] = []
    apart: list[Segment] = []
    outdated: list[Segment] = []
    met = False
    for each in segments:
        follows = start is not None and (
            start == older_cursor(each) or (start_is_stored and _contains(start, each, segments))
        )
        shares = any(_contains(key, each, segments) for key in known)
        # A page that ends the thread covers all that is older, whatever it could show of that.
        reaches_down = each.newest.created_at > last_at or not has_more
        if follows or shares or (reaches_down and each.oldest.created_at < first_at):
            merged.append(each)
            # A first page without its newest message shows that this one has moved: what lies between isn't known.
            if start is None and page and not shares and each.newest.created_at > max(page).created_at:
                outdated.append(each)
            # The segment that the page continues isn't met: only another one is.
            met = met or not follows
        else:
            apart.append(each)
    if not page and not merged:
        return list(segments), met
    newest = max([*page, *(each.newest for each in merged)])
    oldest = min([*page, *(each.oldest for each in merged)])
    for each in apart[:]:  # a segment that lies within the joined range belongs to it
        if each.newest.created_at > oldest.created_at and each.oldest.created_at < newest.created_at:
            apart.remove(each)
            merged.append(each)
            newest, oldest = max(newest, each.newest), min(oldest, each.oldest)
    complete, bottom, bottom_at = not has_more, cursor or (page[-1] if page else start), last_at
    for each in merged:
        if each in outdated:
            continue
        # A segment loses its claim to the beginning where the page goes past it and has more below.
        is_passed = has_more and each.oldest.created_at >= last_at and not ends_within_moment
        complete = complete or (each.complete and not is_passed)
        if each.oldest.created_at < bottom_at or (
            # Within one millisecond the lower one is the one whose last message the other doesn't hold.
            each.oldest.created_at == bottom_at and older_cursor(each) not in (start, *page)
        ):
            bottom, bottom_at = older_cursor(each), each.oldest.created_at
    if complete:  # only one segment begins the thread
        whole = [each for each in apart if each.complete]
        apart = [each for each in apart if not each.complete]
        newest = max([newest, *(each.newest for each in whole)])
        oldest = min([oldest, *(each.oldest for each in whole)])
    cursor = None if complete or bottom == oldest else bottom
    joined = [*apart, Segment(newest, oldest, complete, cursor)]
    return sorted(joined, key=lambda each: each.newest, reverse=True), met


def _contains(key: MessagePosition, segment: Segment, segments: Sequence[Segment]) -> bool:
    """Whether a stored message belongs to a segment, although two can end within one millisecond."""
    if key in (segment.newest, segment.oldest):
        return True
    at = key.created_at
    if segment.oldest.created_at < at < segment.newest.created_at:
        return True
    return segment.oldest < key < segment.newest and not any(
        each.oldest.created_at <= at <= each.newest.created_at for each in segments if each != segment
    )


def older_cursor(segment: Segment) -> MessagePosition:
    """Return what the page below a segment is requested with."""
    return segment.cursor or segment.oldest
