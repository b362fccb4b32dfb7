"""Replies of the config, `[[profiles.NAME.replies]]`: workflows and texts that are offered to a customer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from frontdesk.config.alerts import expect
from frontdesk.config.key_meaning import Meaning, keys_of
from frontdesk.config.row_validation import read_usable

KNOWN_FIELDS = ("customer", "number", "line", "me")
"""Fields of a text that are filled from the conversation; a person types the others."""

_FIELD = re.compile(r"\{([A-Za-z][A-Za-z0-9_ -]{0,39})\}")


@dataclass(frozen=True, slots=True)
class ReplySetting:
    """A reply: a workflow to run for the customer, or a text to copy."""

    name: Annotated[str, Meaning("What the list shows.")]
    workflow: Annotated[
        str, Meaning("The id of a workflow to run for the customer. A reply has this or `text`.")
    ] = ""
    folder: Annotated[
        str,
        Meaning("With `workflow`: the id of the folder for the campaign that runs it.", default="frontdesk asks"),
    ] = ""
    text: Annotated[
        str,
        Meaning(
            "A text to copy, instead of a workflow. frontdesk fills in `{customer}`, `{number}`, `{line}` and "
            "`{me}`. It asks for any other field, such as `{day}`, and for values that it doesn't know."
        ),
    ] = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the text's fields, each once, in order."""
        return tuple(dict.fromkeys(_FIELD.findall(self.text)))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its fields replaced; braces in a value stay."""
        return _FIELD.sub(lambda found: values.get(found[1], found[0]), self.text)


def read_replies(
    raw: object, where: str, note: Callable[[str], object], problems: list[str]
) -> tuple[ReplySetting, ...]:
    """Parse the replies of a profile; this raises nothing.

    Args:
        where: the key's path.
        note: called with the path of each unknown key.
        problems: gets a sentence for each skipped reply.
    """
    names: set[str] = set()

    def read(row: dict[str, Any], path: str) -> ReplySetting:
        reply = _reply(row, path, note)
        expect(reply.name not in names, f"{path}.name: a duplicate of {reply.name}")
        names.add(reply.name)
        return reply

    return tuple(each for each in read_usable(raw, where, "reply", read, problems) if each is not None)


def _reply(row: dict[str, Any], path: str, note: Callable[[str], object]) -> ReplySetting:
    for key in row:
        if key not in keys_of(ReplySetting):
            note(f"{path}.{key}")
    values = {key: row.get(key, "") for key in keys_of(ReplySetting)}
    for key, value in values.items():
        expect(isinstance(value, str), f"{path}.{key}: expected text")
    reply = ReplySetting(**values)
    expect(reply.name.strip() != "", f"{path}.name: expected a name")
    path = f"{path} ({reply.name})"
    expect((reply.workflow == "") is not (reply.text.strip() == ""), f"{path}: set either workflow or text")
    expect(reply.folder == "" or reply.workflow != "", f"{path}.folder: goes with workflow, not with text")
    return reply
