"""A workflow's tree as lines, with traffic in columns on the right, and its drop-offs.

Every line is made alone, so that a list of ten thousand draws the thirty that are seen.
"""

from collections.abc import Sequence
from datetime import tzinfo

from frontdesk.text import relative_time
from frontdesk.text.percentages import percent
from frontdesk_flows.document import node_summary
from frontdesk_flows.graph import FALLBACK, TIMEOUT
from frontdesk_flows.traffic import (
    CountedPeriod,
    DropOff,
    DropOffRow,
    ExitTraffic,
    NodeTraffic,
    TrafficPeriod,
    TrafficState,
    WorkflowTraffic,
    share,
)
from frontdesk_flows.tree_layout import RAILS, RowKind, TreeRow
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import (
    Line,
    Role,
    Span,
    TableColumn,
    fit,
    fitting_columns,
    read_out,
    sign,
    span,
    width_of,
)

MAX_LEVELS = 12

_ORDER = "in run order"

_TITLE_LIMIT = 120
_WORD_LIMIT = 30
_ROOM_FOR_TITLE = 25
_BAR = 5
_LOUD_SHARE = 0.1
"""From this share of a node's customers on, a loss is highlighted."""

_REFERENCES = {RowKind.LOOP: "back to ", RowKind.JOIN: "continues at ", RowKind.NEVER: "never run: "}
_OF_RUNS, _OF_NODE = "of runs", "of node"
"""Shares of all that were started, for a node, and of those who entered its node, for an exit."""

_COLUMNS = (
    TableColumn("entered", 8, 0),
    TableColumn(_OF_RUNS, 9, 4),
    TableColumn(_OF_NODE, 9, 1),
    TableColumn("", _BAR + 1, 5),
    TableColumn("waiting", 9, 3),
    TableColumn("dropped", 9, 2),
)
_DROP_OFF_ROLES = {
    DropOff.DROPPED: Role.BAD,
    DropOff.SILENT: Role.WARN,
    DropOff.NOT_UNDERSTOOD: Role.WARN,
    DropOff.UNUSED: Role.DIM,
}
_COUNT_CELLS, _SHARE_CELLS, _KIND_CELLS = 9, 9, 12
_PLACE_LIMIT = 80
_Cells = dict[str, Span]


def tree_row(row: TreeRow, traffic: WorkflowTraffic, width: int, glyphs: Glyphs) -> Line:
    """One row of the tree in exactly `width` cells."""
    cells = _cells(row, traffic, glyphs)
    columns = _fitting(width, traffic) if cells else ()  # a reference has no numbers, and its words need the room
    room, labels = width - sum(each.width for each in columns), [each.label for each in columns]
    waiting = cells.get("waiting") if row.kind is RowKind.NODE and "waiting" not in labels else None
    left = [*_rails(row, room, glyphs), *_words(row, glyphs, waiting)]
    if not row.runs:
        left = [Span(each.text, Role.DIM) if each.role is not Role.BAD else each for each in left]
    right = [cells.get(each.label, _blank(each.width)) for each in columns]
    return fit(left, width, _padded(right, columns))


def tree_sentence(row: TreeRow, traffic: WorkflowTraffic, glyphs: Glyphs) -> SafeText:
    """Word a row of the tree to be read out: its level, its words and its traffic."""
    words = read_out("".join(each.text.text for each in _words(row, glyphs)))
    parts = [f"Level {row.depth + 1}: {words}" if row.depth else words]
    cells = {label: cell.text.text for label, cell in _cells(row, traffic, glyphs).items() if label}
    if traffic.state is TrafficState.SHOWN:
        parts += [f"{text} {label}" for label, text in cells.items() if text not in ("", "-", "?")]
    return SafeText(", ".join(parts))


def period_words(counted: CountedPeriod | None, now: float, zone: tzinfo) -> str:
    """Say what period the counters are of, and where the samples don't reach back to its beginning."""
    if counted is None or counted.since is None:
        period = TrafficPeriod.RESET if counted is None else counted.period
        return f"counted {period}" if period is TrafficPeriod.RESET else str(period)
    since = relative_time.when(counted.since, now, zone)
    resets = f", across {counted.resets:,} reset{'s' * (counted.resets != 1)}" if counted.resets else ""
    words = {
        TrafficPeriod.YESTERDAY: f"since {since}" if counted.reaches_back else f"only since {since}",
        TrafficPeriod.UPDATE: f"since the update seen {since}"
        if counted.reaches_back
        else f"since {since}; no update seen",
        TrafficPeriod.EVER: f"all resets seen since {since}",
    }
    return words.get(counted.period, str(counted.period)) + resets


def tree_heading(traffic: WorkflowTraffic, width: int, period: str = "") -> Line:
    """Return the heading of the columns, after the period where there isn't room for the order as well."""
    columns = _fitting(width, traffic)
    words = span(f"{_ORDER}, {period}" if period else _ORDER, Role.DIM)
    if period and width_of([words]) >= width - sum(each.width for each in columns):
        words = span(period, Role.DIM)
    return fit([words], width, [span(f"{each.label:>{each.width}}", Role.DIM) for each in columns])


def totals(traffic: WorkflowTraffic, width: int, glyphs: Glyphs) -> Line:
    """Totals of started, completed, dropped and in progress; without traffic, the reason."""
    if traffic.state is not TrafficState.SHOWN:
        return fit([span(f"traffic: {traffic.state}", Role.DIM)], width)
    dropped = share(traffic.dropped, traffic.started)
    parts = [
        f"{count_words(traffic.started)} started",
        f"{count_words(traffic.completed)} completed{_in_brackets(traffic.conversion)}",
        f"{count_words(traffic.dropped)} dropped{_in_brackets(dropped)}",
        *([] if traffic.is_period else [f"{count_words(traffic.in_progress)} running"]),
    ]
    anomalies = anomaly_words(traffic, glyphs)
    words = span(glyphs.separator.join(parts), Role.STRONG)
    if width_of([words, *anomalies]) > width and traffic.started:
        parts[1:3] = [
            f"{share_words(traffic.conversion) or '?'} completed",
            f"{share_words(dropped) or '?'} dropped",
        ]
        words = span(glyphs.separator.join(parts), Role.STRONG)
    return fit([words, *anomalies], width)


def anomaly_words(traffic: WorkflowTraffic, glyphs: Glyphs) -> list[Span]:
    if not traffic.anomaly_count:
        return []
    words = counted(traffic.anomaly_count, "counter looks wrong", "counters look wrong")
    return [span(f"{glyphs.separator}{glyphs.warning} {words}", Role.WARN)]


def count_words(value: int | None) -> str:
    """Return a counter in at most seven cells; `?` if unknown, which is not 0."""
    if value is None:
        return "?"
    for size, letter in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if value >= size:
            return f"{value / size:.1f}{letter}" if value < 100 * size else f"{value // size:,}{letter}"
    return f"{value:,}"


def share_words(value: float | None) -> str:
    """Return a share in at most six cells, empty if unknown."""
    return "" if value is None else percent(value)


def title_of(row: TreeRow) -> Span:
    """Return the title of a row's node, else its id."""
    node = row.node
    if row.kind is RowKind.WAY:
        return span(row.title)
    if node is None:
        return Span(show_line(row.target, _TITLE_LIMIT))
    return Span(show_line(node.title.strip() or node.id or "(no id)", _TITLE_LIMIT))


def _words(row: TreeRow, glyphs: Glyphs, waiting: Span | None = None) -> list[Span]:
    """Return the words of a row, with how many wait there, if that has no column."""
    if row.kind is RowKind.HEADING:
        return [span(row.title, Role.STRONG)]
    title = title_of(row)
    node = row.node
    if row.kind is RowKind.MISSING:
        named = [Span(title.text, Role.BAD), span(": ", Role.BAD)] if row.target else []
        return [span(f"{glyphs.failed} ", Role.BAD), *named, span(row.title, Role.BAD)]
    if row.kind in _REFERENCES:
        sign = {RowKind.LOOP: glyphs.back_to, RowKind.JOIN: glyphs.goes_to}.get(row.kind, glyphs.failed)
        why = [span(f" ({row.title})", Role.DIM)] if row.title else []
        return [span(f"{sign} {_REFERENCES[row.kind]}", Role.DIM), Span(title.text, Role.DIM), *why]
    assert node is not None
    role = Role.ACCENT if row.kind in (RowKind.EXIT, RowKind.WAY) else Role.TEXT
    found = [Span(title.text, Role.STRONG if row.kind is RowKind.TRIGGER else role)]
    if waiting is not None:
        found.append(span(f"  {waiting.text.text} waiting", waiting.role))
    if row.kind is not RowKind.WAY:
        found += _kind_words(row)
        if row.title:
            found.append(span(f"  {glyphs.warning} {row.title}", Role.WARN))
    if row.ends:
        trigger = row.kind is RowKind.TRIGGER
        words = "leads nowhere: nothing runs" if trigger else "ends"
        found.append(span(f"  {glyphs.end} {words}", Role.BAD if trigger else Role.DIM))
    shown = node_summary(node) if row.kind is not RowKind.WAY else NOTHING
    return [*found, span("  "), Span(shown, Role.DIM)] if shown else found


def _kind_words(row: TreeRow) -> list[Span]:
    node = row.node
    if node is None:
        return []
    if row.kind is RowKind.EXIT:
        words = {FALLBACK: "fallback", TIMEOUT: "timeout"}.get(node.type)
        return [span(f"  {words}", Role.DIM)] if words else []
    kind = show_line(node.type or "(no type)", _WORD_LIMIT)
    waits = [span("  waits", Role.PENDING)] if node.waits_for_answer else []
    return [span("  "), Span(kind, Role.BOT), *waits]


def _rails(row: TreeRow, room: int, glyphs: Glyphs) -> list[Span]:
    """Two cells a level, the innermost `MAX_LEVELS` at most, fewer if the title needs the space."""
    levels = max(0, min(row.depth, MAX_LEVELS, RAILS, (room - _ROOM_FOR_TITLE) // 2))
    more = [bool(row.rails >> at & 1) for at in reversed(range(levels))]
    forks = row.kind in (RowKind.EXIT, RowKind.WAY)
    drawn = "".join(f"{glyphs.rail if each else ' '} " for each in (more[:-1] if forks else more))
    if forks and levels:
        drawn += f"{glyphs.fork if more[-1] else glyphs.last_fork} "
    if levels < row.depth:
        drawn = f"{glyphs.left}{row.depth} {drawn}"
    return [sign(drawn, Role.RULE)] if drawn else []


def _cells(row: TreeRow, traffic: WorkflowTraffic, glyphs: Glyphs) -> _Cells:
    if row.kind is RowKind.TRIGGER:
        loud = Role.WARN if (share(traffic.dropped, traffic.started) or 0) >= _LOUD_SHARE else Role.TEXT
        entered, dropped = span(count_words(traffic.started)), span(count_words(traffic.dropped), loud)
        cells = {"entered": entered, "dropped": dropped}
        return cells if traffic.is_period else cells | {"waiting": _waiting(traffic.in_progress)}
    if row.kind is RowKind.EXIT:
        return _exit_cells(traffic.exits.get(row.id, ExitTraffic()), glyphs)
    if row.kind is RowKind.NODE and row.runs:
        return _node_cells(traffic.nodes.get(row.id, NodeTraffic()), glyphs)
    if row.kind is RowKind.WAY:
        node = traffic.nodes.get(row.parent_id, NodeTraffic())
        return _exit_cells(ExitTraffic(node.onward, share(node.onward, node.entered)), glyphs)
    return {}


def _node_cells(node: NodeTraffic, glyphs: Glyphs) -> _Cells:
    cells = {
        "entered": _count(node.entered, Role.TEXT),
        _OF_RUNS: span(share_words(node.participation), Role.DIM),
        "": span(_bar(node.participation, glyphs), Role.DIM),
    }
    if node.still_here != 0 and node.entered is not None:
        cells["waiting"] = _waiting(node.still_here)
    if node.dropped:
        loud = (node.dropped_share or 0) >= _LOUD_SHARE
        cells["dropped"] = span(count_words(node.dropped), Role.BAD if loud else Role.WARN)
    return cells


def _waiting(count: int | None) -> Span:
    return span(count_words(count), Role.DIM if not count else Role.PENDING)


def _exit_cells(way: ExitTraffic, glyphs: Glyphs) -> _Cells:
    return {
        "entered": _count(way.taken, Role.ACCENT),
        _OF_NODE: span(share_words(way.share), Role.ACCENT),
        "": span(_bar(way.share, glyphs), Role.ACCENT),
    }


def _count(value: int | None, role: Role) -> Span:
    return span("-", Role.DIM) if value is None else span(count_words(value), role)


def _bar(part: float | None, glyphs: Glyphs) -> str:
    """As many cells as the share has fifths, at least one for any share."""
    if not part:
        return " " * _BAR
    cells = max(1, min(_BAR, round(part * _BAR)))
    return glyphs.full * cells + " " * (_BAR - cells)


def _fitting(width: int, traffic: WorkflowTraffic) -> Sequence[TableColumn]:
    if traffic.state is not TrafficState.SHOWN:
        return ()
    return fitting_columns(_COLUMNS, width - _ROOM_FOR_TITLE)


def _padded(cells: Sequence[Span], columns: Sequence[TableColumn]) -> list[Span]:
    found: list[Span] = []
    for cell, column in zip(cells, columns, strict=True):
        found += [_blank(column.width - width_of([cell])), cell]
    return [each for each in found if each.text]


def _blank(width: int) -> Span:
    return span(" " * max(0, width))


def _in_brackets(value: float | None) -> str:
    return f" ({share_words(value)})" if value is not None else ""


def drop_off_heading(width: int) -> Line:
    left = f"{'customers':>{_COUNT_CELLS}}{_OF_NODE:>{_SHARE_CELLS}}  {'how':<{_KIND_CELLS}}where"
    return fit([span(left, Role.DIM)], width)


def drop_off_row(row: DropOffRow, width: int, glyphs: Glyphs) -> Line:
    """Return how many, as which share of those who entered the node, how, where, and what became of them."""
    role = _DROP_OFF_ROLES[row.drop_off]
    count = "none" if row.drop_off is DropOff.UNUSED else count_words(row.customers)
    of = f"of {count_words(row.entered)}" if row.drop_off is DropOff.UNUSED else share_words(row.share)
    where = [Span(show_line(row.node.title.strip() or row.node.id, _PLACE_LIMIT))]
    if row.exit is not None:
        title = show_line(row.exit.title.strip() or row.exit.id, _PLACE_LIMIT)
        where += [span(glyphs.becomes, Role.DIM), Span(title, Role.ACCENT)]
        if row.ends:
            words = "ends" if row.drop_off is DropOff.UNUSED else "completed"
            where.append(span(f"  {glyphs.end} {words}", Role.DIM))
        elif row.drop_off is not DropOff.UNUSED:
            where.append(span("  continues", Role.DIM))
    head = [
        span(f"{count:>{_COUNT_CELLS}}", role),
        span(f"{of:>{_SHARE_CELLS}}"),
        span(f"  {row.drop_off:<{_KIND_CELLS}}", role),
    ]
    return fit([*head, *where], width)


def no_drop_offs(traffic: WorkflowTraffic) -> str:
    if traffic.state is not TrafficState.SHOWN:
        return f"Traffic: {traffic.state}."
    if not traffic.started:
        return (
            "No customers counted yet."
            if traffic.started == 0
            else "The number of customers who started is unknown."
        )
    return "No drop-offs counted."
