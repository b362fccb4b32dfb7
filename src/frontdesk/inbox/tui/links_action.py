"""Show a message in full, or open one of its links.

A link is shown in full first. Over SSH a browser would open on the other machine, so it is copied instead.
"""

from collections.abc import Mapping, Sequence

from frontdesk.inbox.view import message, message_parts
from frontdesk.inbox.view.message import Parties, Spoken
from frontdesk.storage.records import Json
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog


def show_full_message(screen: BaseScreen, spoken: Spoken, parties: Parties) -> None:
    """Show a message in full in a dialog."""
    lines = message.full_message_lines(spoken, screen.app_context.view(), parties)
    screen.app.push_screen(RecordDialog(trusted("Message"), lines))


def open_links(screen: BaseScreen, raw: Json) -> None:
    """Ask before opening the link of a message; of several, which one."""
    found = message_parts.links_in(raw)
    if not found:
        notify(screen.app, trusted("There is no link in this message."), timeout_seconds=2)
    elif len(found) == 1:
        _confirm(screen, found[0])
    else:
        _choose(screen, found)


def is_remote(environ: Mapping[str, str]) -> bool:
    """Return whether a browser started here would open on another machine."""
    return any(environ.get(name) for name in ("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"))


def _choose(screen: BaseScreen, found: Sequence[str]) -> None:
    choices = [NamedChoice(str(place), _shown(link)) for place, link in enumerate(found)]
    dialog = PickerDialog(trusted(f"Links · {len(found)}"), choices, placeholder="which one")

    def chosen(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            _confirm(screen, found[int(answer.value)])

    screen.app.push_screen(dialog, chosen)


def _confirm(screen: BaseScreen, link: str) -> None:
    remote = is_remote(screen.app_context.environ)
    says = message_parts.warnings(link)
    if remote:
        says.append(trusted("This runs over SSH, where no browser of yours can be opened."))
    yes = trusted("Copy it") if remote else trusted("Open it in the browser")
    dialog = ConfirmDialog(trusted("Link"), _shown(link), says, yes=yes)

    def answered(answer: Answered[bool] | Closed | None) -> None:
        if not isinstance(answer, Answered):
            return
        if remote:
            copy(screen.app, link, trusted("The link"))
        else:
            screen.app.open_url(link)

    screen.app.push_screen(dialog, answered)


def _shown(link: str) -> SafeText:
    return show_line(link, message_parts.MAX_LINK_LENGTH)
