"""AudienceTagsDialog: the tags whose conversations a campaign is for."""

from typing import ClassVar

from frontdesk.tui.dialogs.tags import TagDialog


class AudienceTagsDialog(TagDialog):
    """Answers with the ids of the tags."""

    deed: ClassVar[str] = "take"
    to_do: ClassVar[str] = "For those tagged:"
    only: ClassVar[str] = "How many carry them, the platform's interface doesn't say."
    held: ClassVar[str] = ""
