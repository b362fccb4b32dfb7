"""The lines and folders to choose from, a row each: the name, the id, and how campaigns used it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frontdesk.campaigns.last_uses import LastUse, LastUses
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.cell_width import cell_width
from frontdesk.text.display_text import NOTHING, SafeText, show_label, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, fit, span, width_of

MAX_NAMED = 3
"""Campaigns of a folder that its row names."""


@dataclass(frozen=True, slots=True)
class KnownId:
    """A row.

    Attributes:
        name: empty where only the id is known.
        campaigns: in it, behind the id, cut where it is narrow.
        facts: words on it, the most important first: from the end they are left out where it is narrow.
        words: what else typing is matched against.
    """

    id: str
    name: SafeText = NOTHING
    campaigns: SafeText = NOTHING
    facts: tuple[SafeText, ...] = ()
    words: str = ""

    @property
    def search_words(self) -> str:
        return " ".join([self.name.text, self.id, self.words, *(each.text for each in self.facts)])


def known_lines(
    names: Mapping[str, str], channels: Mapping[str, str], uses: LastUses, workflow_line: str, view: RenderContext
) -> list[KnownId]:
    """Return the lines, the workflow's own first.

    Args:
        names: by id, in their order; the id itself where no name is known.
        channels: by id, where one is known.
        workflow_line: the id of the workflow's line; empty without one.
    """
    rows = [
        KnownId(
            each,
            NOTHING if name == each else show_label(name, 60),
            facts=(
                *([trusted("the workflow's line")] if each == workflow_line else []),
                *_use_words(uses.by_id.get(each), uses.unread, view),
                view.channel(channels[each]) if channels.get(each) else trusted("channel unknown"),
            ),
        )
        for each, name in names.items()
    ]
    return sorted(rows, key=lambda each: each.id != workflow_line)


def known_folders(uses: LastUses, view: RenderContext) -> list[KnownId]:
    """Return the folders, those used last first: only their ids are known, and the campaigns in them."""
    rows: list[KnownId] = []
    for each, use in uses.by_id.items():
        more = f" and {len(use.names) - MAX_NAMED} more" if len(use.names) > MAX_NAMED else ""
        campaigns = show_line(", ".join(use.names[:MAX_NAMED]) + more, 120)
        rows.append(KnownId(each, NOTHING, campaigns, (_used_words(use, view),), " ".join(use.names)))
    return rows


def _use_words(use: LastUse | None, unread: int, view: RenderContext) -> tuple[SafeText, ...]:
    if use is None:
        return (trusted("no campaigns known"),)
    more = "+" if unread else ""
    running = f"{use.running}{more} running" if use.running or unread else "none running"
    return trusted(running), _used_words(use, view)


def _used_words(use: LastUse, view: RenderContext) -> SafeText:
    if use.used_at is None:
        return trusted("last use unknown")
    return trusted(f"used {relative_time.when(use.used_at, view.now, view.zone)}")


def known_id_line(each: KnownId, width: int, view: RenderContext) -> Line:
    """Draw a row; an id is dim, and the only thing on its left where no name is known."""
    shown_id = Span(show_line(each.id, 60), Role.DIM)
    left = [span("  "), shown_id]
    if each.name:
        left = [span("  "), Span(each.name, Role.STRONG), span("  "), shown_id]
    facts = _facts(each.facts, width - width_of(left) - 2, view)
    return fit([*left, span("  "), Span(each.campaigns)] if each.campaigns else left, width, facts)


def _facts(facts: Sequence[SafeText], room: int, view: RenderContext) -> list[Span]:
    kept: list[Span] = []
    for each in facts:
        gap = [span(view.glyphs.separator, Role.DIM)] if kept else []
        if kept and width_of([*kept, *gap]) + cell_width(each.text) > room:
            break
        kept += [*gap, Span(each, Role.DIM)]
    return kept
