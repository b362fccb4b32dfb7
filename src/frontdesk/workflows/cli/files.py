"""The workflows of a file that a person names: one, a list, lines of them, or an answer of the platform.

`check` and `simulate` read with it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.json_files import Unreadable, name_of, read_values

_FIELDS = ("id", "name", "trigger", "parsedData", "data")


def workflows_of(path: str, to_do: str) -> Sequence[Mapping[str, Any]]:
    """All workflows of a file, at least one.

    Args:
        to_do: what is done with them, as "check".

    Raises:
        CommandFailed: it can't be read, isn't JSON, or holds something else.
    """
    try:
        values = read_values(path)
    except Unreadable as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if len(values) == 1:
        (only,) = values
        if isinstance(only, dict) and isinstance(only.get("result"), list) and not _is_workflow(only):
            only = only["result"]
        values = only if isinstance(only, list) else [only]
    if not values:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)} holds an empty list; there is nothing to {to_do}")
    for at, each in enumerate(values, start=1):
        if not _is_workflow(each):
            which = name_of(path) if len(values) == 1 else f"entry {at:,} of {name_of(path)}"
            wanted = ", ".join(_FIELDS)
            raise CommandFailed(
                INPUT_WRONG, f"{which} is no workflow: that is a JSON object with at least one of {wanted}"
            )
    return values


def _is_workflow(value: object) -> bool:
    return isinstance(value, dict) and any(value.get(name) is not None for name in _FIELDS)
