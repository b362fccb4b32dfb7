"""Meaning of a key of config.toml, written beside its field: `Annotated[str, Meaning("…")]`.

The parsers take the known keys from it; docs/make.py makes the reference and the schema for editors.
"""

from dataclasses import MISSING, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a key for the person who writes the file; a field without one isn't a key of it.

    Attributes:
        text: one or more sentences, with Markdown's back ticks.
        choices: the allowed values; for a list, those of its entries; for a table, its keys.
        see: the page that explains it, from docs/, such as `configuration.md#replies`.
        default: the behaviour without the key, if the field's own default doesn't show it.
        pattern: a regular expression for texts, for editors; the parsers have rules of their own.
        above: the exclusive minimum of a number; `maximum` is inclusive.
    """

    text: str
    choices: tuple[str, ...] = ()
    see: str = ""
    default: str = ""
    pattern: str = ""
    above: float | None = None
    maximum: float | None = None


def keys_of(table: Any) -> tuple[str, ...]:
    """Return the keys of a table, whose class is a dataclass or a TypedDict with a Meaning for each."""
    return tuple(name for name, hint in table.__annotations__.items() if meaning_of(hint) is not None)


def needed_keys(table: Any) -> tuple[str, ...]:
    """Return the required keys of such a table."""
    required = getattr(table, "__required_keys__", None)
    if required is None:
        required = {
            name
            for name, field in table.__dataclass_fields__.items()
            if field.default is MISSING and field.default_factory is MISSING
        }
    return tuple(name for name in keys_of(table) if name in required)


def meaning_of(hint: Any) -> Meaning | None:
    """Return the meaning in an annotation, with or without `NotRequired` around it."""
    for each in (hint, *getattr(hint, "__args__", ())):
        for found in getattr(each, "__metadata__", ()):
            if isinstance(found, Meaning):
                return found
    return None
