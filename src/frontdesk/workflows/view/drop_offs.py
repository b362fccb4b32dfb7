"""Where customers are lost in a workflow, as lines.

Called by the workflows screen and `frontdesk workflows show --heat`.
"""

from frontdesk.text.display_text import show_line
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.workflows.tree.drop_offs import DropOff, DropOffRow
from frontdesk.workflows.tree.traffic import TrafficState, WorkflowTraffic
from frontdesk.workflows.view.tree import count_words, share_words

_ROLES = {
    DropOff.DROPPED: Role.BAD,
    DropOff.SILENT: Role.WARN,
    DropOff.NOT_UNDERSTOOD: Role.WARN,
    DropOff.UNUSED: Role.DIM,
}
_COUNT, _SHARE, _LOSS = 8, 8, 12
_TITLE_LIMIT = 80


def drop_off_heading(width: int) -> Line:
    """What the columns are."""
    left = f"{'lost':>{_COUNT}}{'share':>{_SHARE}}  {'how':<{_LOSS}}where"
    return fit([span(left, Role.DIM)], width)


def drop_off_row(row: DropOffRow, width: int, glyphs: Glyphs) -> Line:
    """How many, which share of those who came, how, and where."""
    role = _ROLES[row.drop_off]
    count = "none" if row.drop_off is DropOff.UNUSED else count_words(row.lost)
    of = f"of {count_words(row.entered)}" if row.drop_off is DropOff.UNUSED else share_words(row.share)
    where = [Span(show_line(row.node.title.strip() or row.node.id, _TITLE_LIMIT))]
    if row.exit is not None:
        title = show_line(row.exit.title.strip() or row.exit.id, _TITLE_LIMIT)
        where += [span(glyphs.becomes, Role.DIM), Span(title, Role.ACCENT)]
        if row.ends:
            where.append(span(f"  {glyphs.end} ends", Role.DIM))
    head = [span(f"{count:>{_COUNT}}", role), span(f"{of:>{_SHARE}}"), span(f"  {row.drop_off:<{_LOSS}}", role)]
    return fit([*head, *where], width)


def no_drop_offs(traffic: WorkflowTraffic) -> str:
    """Why the list is empty."""
    if traffic.stand is not TrafficState.SHOWN:
        return f"Traffic: {traffic.stand}."
    if not traffic.started:
        return "Nobody is counted yet." if traffic.started == 0 else "How many started is not counted."
    return "Nobody is lost in what is counted."
