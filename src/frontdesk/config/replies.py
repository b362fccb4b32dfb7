"""`[[profiles.NAME.replies]]` of the config: workflows and texts that are offered as answers to a customer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.config.alerts import expect
from frontdesk.config.usable_rows import read_usable

KNOWN_FIELDS = ("customer", "number", "line", "me")
"""Fields of a text that are filled with what is known of the conversation; others are asked for."""

_FIELD = re.compile(r"\{([A-Za-z][A-Za-z0-9_ -]{0,39})\}")
_KEYS = frozenset({"name", "workflow", "folder", "text"})


@dataclass(frozen=True, slots=True)
class ReplySetting:
    """One answer: a workflow to run for the customer, or a text to copy.

    Attributes:
        folder: the campaign folder of the workflow's run; empty to be asked for it.
        text: may have fields in braces, `{date}`.
    """

    name: str
    workflow: str = ""
    folder: str = ""
    text: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the text's fields, each once, in order."""
        return tuple(dict.fromkeys(_FIELD.findall(self.text)))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its fields replaced; a value with braces stays as it is."""
        return _FIELD.sub(lambda found: values.get(found[1], found[0]), self.text)


def read_replies(
    raw: object, where: str, note: Callable[[str], object], problems: list[str]
) -> tuple[ReplySetting, ...]:
    """Read the replies of a profile; this raises nothing.

    Args:
        where: the key's path.
        note: called with the path of each unknown key.
        problems: gets a sentence for each reply that is left out.
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
        if key not in _KEYS:
            note(f"{path}.{key}")
    values = {key: row.get(key, "") for key in sorted(_KEYS)}
    for key, value in values.items():
        expect(isinstance(value, str), f"{path}.{key}: expected text")
    reply = ReplySetting(**values)
    expect(reply.name.strip() != "", f"{path}.name: expected a name")
    path = f"{path} ({reply.name})"
    expect((reply.workflow == "") is not (reply.text.strip() == ""), f"{path}: set either workflow or text")
    expect(reply.folder == "" or reply.workflow != "", f"{path}.folder: goes with workflow, not with text")
    return reply
