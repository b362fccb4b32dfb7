"""Fields of a draft that are asked for alike: texts that are typed, and ids that are picked or typed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import ClassVar

from frontdesk.campaigns.audience.models import iso_code
from frontdesk.campaigns.draft import Draft, named
from frontdesk.campaigns.view import wizard as steps
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.tui.dialogs.picker import TagDialog
from frontdesk.tui.keymap import keys_line


@dataclass(frozen=True, slots=True)
class TextStep:
    """A text that is typed into a prompt; `fault` returns why it isn't accepted, or None."""

    title: str
    placeholder: str
    value: Callable[[Draft], str]
    decide: Callable[[Draft, str], Draft]
    note: str = ""
    fault: Callable[[str], SafeText | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class IdStep:
    """An id that is picked among those known here, or typed; `field` is the draft's."""

    title: str
    placeholder: str
    field: str


def _country_fault(typed: str) -> SafeText | None:
    is_code = not typed or (len(typed) == 2 and typed.isascii() and typed.isalpha())
    return None if is_code else trusted("Two letters, as IL, US or DE.")


TEXTS = {
    steps.NAME: TextStep(
        "Name",
        "Spring sale",
        attrgetter("name"),
        named,
        note="Typed once more before it is sent.",
        fault=lambda typed: None if typed else trusted("A campaign needs a name."),
    ),
    steps.DESCRIPTION: TextStep(
        "Description", "none", attrgetter("description"), lambda draft, typed: replace(draft, description=typed)
    ),
    steps.COUNTRY: TextStep(
        "Home country",
        "IL",
        attrgetter("country"),
        lambda draft, typed: replace(draft, country=iso_code(typed)),
        note="Its two letters, or nothing. Numbers without a calling code are read as its own.",
        fault=_country_fault,
    ),
}
IDS = {
    steps.LINE: IdStep("Line", "The line's name, or its id", "line_id"),
    steps.FOLDER: IdStep("Folder", "A campaign folder's id", "folder_id"),
}


class AudienceTagsDialog(TagDialog):
    """The tags whose conversations a campaign is for; answers with their ids."""

    keys = keys_line(("tab", "mark"), ("enter", "take"), ("esc", "close"))
    heading: ClassVar[str] = "For those tagged:"
    warning: ClassVar[str] = "How many carry them, the platform's interface doesn't say."
    undo_hint: ClassVar[str] = ""
