"""Replies of the config, `[[profiles.NAME.replies]]`: workflows and texts that are offered to a customer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from frontdesk.config.tables import declare

KNOWN_FIELDS = ("customer", "number", "line", "me")
"""Fields of a text that are filled from the conversation; a person types the others."""

_FIELD = re.compile(r"\{([A-Za-z][A-Za-z0-9_ -]{0,39})\}")


@dataclass(frozen=True, slots=True)
class ReplySetting:
    """A reply: a workflow to run for the customer, or a text to copy."""

    name: str = declare("What the list shows.", expected="a name", is_filled=True, unique=str, names_row=True)
    workflow: str = declare("The id of a workflow to run for the customer. A reply has this or `text`.", "")
    folder: str = declare(
        "With `workflow`: the id of the folder for the campaign that runs it.", "", without="frontdesk asks"
    )
    text: str = declare(
        "A text to copy, instead of a workflow. frontdesk fills in `{customer}`, `{number}`, `{line}` and "
        "`{me}`. It asks for any other field, such as `{day}`, and for values that it doesn't know.",
        "",
    )

    def fault(self) -> str:
        """Return the fault in the whole row, after its path."""
        if (self.workflow == "") is (self.text.strip() == ""):
            return ": set either workflow or text"
        return ".folder: goes with workflow, not with text" if self.folder and not self.workflow else ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the text's fields, each once, in order."""
        return tuple(dict.fromkeys(_FIELD.findall(self.text)))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its fields replaced; braces in a value stay."""
        return _FIELD.sub(lambda found: values.get(found[1], found[0]), self.text)
