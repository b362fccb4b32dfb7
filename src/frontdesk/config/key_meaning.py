"""What a key of config.toml means, written beside its field: `Annotated[str, Meaning("…")]`.

The readers take the keys that they know from it; docs/make.py makes the reference and the schema for editors.
"""

from dataclasses import MISSING, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a key means to whoever writes the file; a field without one isn't a key of it.

    Attributes:
        text: one or more sentences, with Markdown's back ticks.
        choices: the values it can have; of a list those of its entries, of a table its keys.
        see: the page that explains it, from docs/, such as `configuration.md#replies`.
        default: what happens without it, where the field's own default doesn't show that.
        pattern: a regular expression for texts, for editors; the readers have rules of their own.
        above: a number has to be above it, and at most `maximum`.
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
    """Return the keys that such a table can't do without."""
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
