"""Alerts on campaigns in words: on a campaign's row, in the status line, in a notification.

Called by the campaigns screen, the status line and `tui.campaign_alerts`.
"""

from collections.abc import Sequence

from frontdesk.campaigns.alerts import Finding
from frontdesk.present.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk.present.view import View
from frontdesk.store.alerts import Alert
from frontdesk.text import Shown, cut, own, show_line

NAME_CELLS = 30
_NAMED_MOST = 3


def alert_line(found: Sequence[Finding], width: int, view: View) -> Line:
    """What holds for a campaign, on one line; empty where nothing does."""
    if not found:
        return EMPTY
    words = [span(f"{view.glyphs.warning} {each.words}", Role.BAD) for each in found]
    return fit(_parted(words), width)


def on_row(lines: Sequence[Line], found: Sequence[Finding], width: int, view: View) -> tuple[Line, ...]:
    """A campaign's row with what holds on its last line, which parts it from the next one else."""
    return (*lines[:-1], alert_line(found, width, view)) if found else tuple(lines)


def in_detail(lines: Sequence[Line], found: Sequence[Finding], width: int, view: View) -> tuple[Line, ...]:
    """All that is known of a campaign with what holds below its name and id."""
    return (*lines[:2], *(alert_line([each], width, view) for each in found), *lines[2:])


def status_words(alerts: Sequence[Alert], view: View) -> Line:
    """What nobody has seen yet, for the status line: the newest, and how many more."""
    told = [each for each in alerts if each.campaign_id]
    if not told:
        return EMPTY
    more = f" and {len(told) - 1} more" if len(told) > 1 else ""
    return (span(f"{view.glyphs.warning} {_about(told[0])}{more}", Role.BAD),)


def announcement(alerts: Sequence[Alert]) -> tuple[Shown, Shown]:
    """The heading and the text of a notification."""
    if len(alerts) == 1:
        return own(_name(alerts[0])), show_line(alerts[0].words, 160)
    named = "; ".join(_about(each) for each in alerts[:_NAMED_MOST])
    return own(f"{len(alerts)} alerts"), own(named + (" …" if len(alerts) > _NAMED_MOST else ""))


def _about(alert: Alert) -> str:
    return f"{_name(alert)}: {show_line(alert.words, 160).text}"


def _name(alert: Alert) -> str:
    return cut(show_line(alert.name or alert.campaign_id, 80).text.strip() or "Campaign", NAME_CELLS)


def _parted(words: Sequence[Span]) -> list[Span]:
    return [part for each in words for part in (span("   "), each)][1:]
