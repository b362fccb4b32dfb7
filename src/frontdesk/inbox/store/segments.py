"""How a page of a thread joins the stretches that are known of it; pure, called by `threads`.

A page joins a stretch when it shares a message with it, overlaps it in time, or was asked for from
its end. The platform sorts by time alone, so that within one moment only what it sent tells what
follows what; a stretch claims nothing there that was not seen.
"""

from collections.abc import Collection, Sequence

from frontdesk.inbox.models import Segment
from frontdesk.storage.records import MessagePosition

LAST_MS = 8_640_000_000_000_000
"""The last moment of any calendar; a time beyond it is taken for it."""


def join(
    stretches: Sequence[Segment],
    page: Sequence[MessagePosition],
    *,
    known: Collection[MessagePosition],
    start: MessagePosition | None,
    has_more: bool,
    start_is_stored: bool = True,
    is_cut_in_a_moment: bool = False,
    cursor: MessagePosition | None = None,
) -> tuple[list[Segment], bool]:
    """The stretches after a page was added, newest first, and whether it met one that it did not start from.

    The page has the platform's order, which may be any among messages of one moment.

    Args:
        known: places of the page that were stored before.
        start: what the page was asked with; `start_is_stored` where that is a message of a stretch.
        is_cut_in_a_moment: whether more is stored of its last message's moment than it holds.
    """
    # A page covers all from where it was asked for; the first one what is newer, too, for there is nothing.
    first_at = LAST_MS if start is None else start.created_at
    last_at = min(page).created_at if page else first_at
    merged: list[Segment] = []
    apart: list[Segment] = []
    met = False
    for each in stretches:
        follows = start is not None and (
            start == bottom_of(each) or (start_is_stored and _surely_in(start, each, stretches))
        )
        shares = any(_surely_in(key, each, stretches) for key in known)
        # A page that ends the thread covers all that is older, whatever it could show of that.
        reaches_down = each.newest.created_at > last_at or not has_more
        if follows or shares or (reaches_down and each.oldest.created_at < first_at):
            merged.append(each)
            # The stretch that the page was asked from is no news: it goes on until it meets another.
            met = met or not follows
        else:
            apart.append(each)
    if not page and not merged:
        return list(stretches), met
    newest = max([*page, *(each.newest for each in merged)])
    oldest = min([*page, *(each.oldest for each in merged)])
    for each in apart[:]:  # what lies in between has nothing on either side that isn't known
        if each.newest.created_at > oldest.created_at and each.oldest.created_at < newest.created_at:
            apart.remove(each)
            merged.append(each)
            newest, oldest = max(newest, each.newest), min(oldest, each.oldest)
    complete, bottom, bottom_at = not has_more, cursor or (page[-1] if page else start), last_at
    for each in merged:
        # What began the thread does so no longer where the page goes past it and says that there is more.
        is_passed = has_more and each.oldest.created_at >= last_at and not is_cut_in_a_moment
        complete = complete or (each.complete and not is_passed)
        if each.oldest.created_at < bottom_at or (
            # At one moment only the platform knows the order: whose last message the other one holds.
            each.oldest.created_at == bottom_at and bottom_of(each) not in (start, *page)
        ):
            bottom, bottom_at = bottom_of(each), each.oldest.created_at
    if complete:  # then so is every other one that the thread begins with
        whole = [each for each in apart if each.complete]
        apart = [each for each in apart if not each.complete]
        newest = max([newest, *(each.newest for each in whole)])
        oldest = min([oldest, *(each.oldest for each in whole)])
    cursor = None if complete or bottom == oldest else bottom
    joined = [*apart, Segment(newest, oldest, complete, cursor)]
    return sorted(joined, key=lambda each: each.newest, reverse=True), met


def _surely_in(key: MessagePosition, stretch: Segment, stretches: Sequence[Segment]) -> bool:
    """Whether a stored message belongs to a stretch, where two can end within one moment."""
    if key in (stretch.newest, stretch.oldest):
        return True
    at = key.created_at
    if stretch.oldest.created_at < at < stretch.newest.created_at:
        return True
    return stretch.oldest < key < stretch.newest and not any(
        each.oldest.created_at <= at <= each.newest.created_at for each in stretches if each != stretch
    )


def bottom_of(stretch: Segment) -> MessagePosition:
    """What the platform is asked with for what is older than a stretch."""
    return stretch.cursor or stretch.oldest
