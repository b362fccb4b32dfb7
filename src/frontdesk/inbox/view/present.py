"""The colleagues who have a conversation open at their own desks."""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.team_state import Colleague
from frontdesk_lines.display_text import cut

MAX_NAMES, MAX_NAME_CELLS = 2, 12


def present_words(present: Sequence[Colleague], view: RenderContext, limit: int = MAX_NAME_CELLS) -> str:
    """Return who is there: `Dan here`, `Dan, Noa +1 here`; empty for nobody.

    The reader's own other desks aren't named.
    """
    others = [each for each in present if not each.agent_id or each.agent_id != view.names.me]
    names = sorted({view.colleague(each.agent_id, each.desk).text for each in others})
    if not names:
        return ""
    shown = ", ".join(cut(each, limit) for each in names[:MAX_NAMES])
    more = f" +{len(names) - MAX_NAMES}" if len(names) > MAX_NAMES else ""
    return f"{shown}{more} here"
