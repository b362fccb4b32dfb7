"""Alerts on campaigns as text: on a campaign's row, in the status line, in a notification."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.render_context import RenderContext
from frontdesk.text.cell_width import cell_width
from frontdesk.text.display_text import SafeText, cut, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, fit, span, width_of

if TYPE_CHECKING:  # every screen asks for words; only that of campaigns judges
    from frontdesk.campaigns.alerts.rules import AlertMatch
    from frontdesk.campaigns.models import CampaignRecord

NAME_CELLS = 30
_MAX_NAMED = 3
_MIN_NAME, _MIN_WORDS = 20, 14
"""Cells on a row: for the name with a gap on both sides of what holds, and for that."""


def on_row(
    record: "CampaignRecord", lines: Sequence[Line], found: "Sequence[AlertMatch]", width: int, view: RenderContext
) -> tuple[Line, ...]:
    """A campaign's row with what holds before its state; the name gives way to it, up to a point."""
    if not found:
        return tuple(lines)
    blank = next((at for at, part in enumerate(lines[0]) if at and not part.text.text.strip()), len(lines[0]))
    state = lines[0][blank + 1 :]
    first = f"{view.glyphs.warning} {found[0].words}"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    room = width - width_of(state) - _MIN_NAME
    words = first + more if cell_width(first + more) <= room else cut(first, max(_MIN_WORDS, room))
    name = span(show_line(record.name or record.campaign_id, 80), Role.STRONG)
    return (fit([name], width, [span(words, Role.BAD), span("  "), *state]), *lines[1:])


def in_detail(
    lines: Sequence[Line], found: "Sequence[AlertMatch]", width: int, view: RenderContext
) -> tuple[Line, ...]:
    """All that is known of a campaign with what holds below its name and id."""
    return (
        *lines[:2],
        *(fit([span(f"{view.glyphs.warning} {each.words}", Role.BAD)], width) for each in found),
        *lines[2:],
    )


def status_words(alerts: Sequence[Alert], view: RenderContext) -> Line:
    """What nobody has seen yet, for the status line: the newest, and how many more."""
    of_campaigns = [each for each in alerts if each.campaign_id]
    if not of_campaigns:
        return EMPTY
    more = f" and {len(of_campaigns) - 1} more" if len(of_campaigns) > 1 else ""
    return (span(f"{view.glyphs.warning} {_about(of_campaigns[0])}{more}", Role.BAD),)


def announcement(alerts: Sequence[Alert]) -> tuple[SafeText, SafeText]:
    """The heading and the text of a notification."""
    if len(alerts) == 1:
        return trusted(_name(alerts[0])), show_line(alerts[0].words, 160)
    named = "; ".join(_about(each) for each in alerts[:_MAX_NAMED])
    return trusted(f"{len(alerts)} alerts"), trusted(named + (" …" if len(alerts) > _MAX_NAMED else ""))


def _about(alert: Alert) -> str:
    return f"{_name(alert)}: {show_line(alert.words, 160).text}"


def _name(alert: Alert) -> str:
    return cut(show_line(alert.name or alert.campaign_id, 80).text.strip() or "Campaign", NAME_CELLS)
