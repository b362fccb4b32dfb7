"""What is opened from a message: the message whole, and its links. Called by the inbox.

A link is shown whole before anything is done with it. Over SSH a browser would open on the other machine,
so there it is copied instead.
"""

from collections.abc import Mapping, Sequence

from frontdesk.inbox.view import links, message_detail
from frontdesk.inbox.view.message import Parties, Spoken
from frontdesk.storage.records import Json
from frontdesk.text.display_text import Shown, own, show_line
from frontdesk.tui.base_screen import DeskScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Closed, Done
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.picker import ChoiceDialog, NamedChoice
from frontdesk.tui.dialogs.record import RecordDialog


def show_whole(screen: DeskScreen, spoken: Spoken, parties: Parties) -> None:
    """Show all of a message in a dialog."""
    lines = message_detail.whole(spoken, screen.room.view(), parties)
    screen.app.push_screen(RecordDialog(own("Message"), lines))


def open_links(screen: DeskScreen, raw: Json) -> None:
    """Ask about the link of a message; of several, which one."""
    found = links.links_in(raw)
    if not found:
        notify(screen.app, own("There is no link in this message."), timeout_seconds=2)
    elif len(found) == 1:
        _ask(screen, found[0])
    else:
        _choose(screen, found)


def is_remote(environ: Mapping[str, str]) -> bool:
    """Whether a browser that is started here opens where nobody sees it."""
    return any(environ.get(name) for name in ("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"))


def _choose(screen: DeskScreen, found: Sequence[str]) -> None:
    choices = [NamedChoice(str(place), _shown(link)) for place, link in enumerate(found)]
    dialog = ChoiceDialog(own(f"Links · {len(found)}"), choices, placeholder="which one")

    def chosen(answer: Done[str] | Closed | None) -> None:
        if isinstance(answer, Done):
            _ask(screen, found[int(answer.value)])

    screen.app.push_screen(dialog, chosen)


def _ask(screen: DeskScreen, link: str) -> None:
    remote = is_remote(screen.room.environ)
    says = links.warnings(link)
    if remote:
        says.append(own("This runs over SSH, where no browser of yours can be opened."))
    yes = own("Copy it") if remote else own("Open it in the browser")
    dialog = ConfirmDialog(own("Link"), _shown(link), says, yes=yes)

    def answered(answer: Done[bool] | Closed | None) -> None:
        if not isinstance(answer, Done):
            return
        if remote:
            copy(screen.app, link, own("The link"))
        else:
            screen.app.open_url(link)

    screen.app.push_screen(dialog, answered)


def _shown(link: str) -> Shown:
    return show_line(link, links.LONGEST)
