"""The names of countries in many languages, for recipient lists; `.ci/country_names.py` writes the table."""

import re
import unicodedata
from functools import cache
from importlib.resources import files

_SIGNS = re.compile(r"[\W_]+")


def country_named(name: str) -> str | None:
    """Return the ISO code of the country with this name in any language of the table, if there is one."""
    return _codes().get(fold_name(name))


def fold_name(name: str) -> str:
    """Return a name without case, accents and punctuation, with `and` for an ampersand."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(sign)
    )
    return _SIGNS.sub(" ", plain.replace("&", " and ")).strip()


@cache
def _codes() -> dict[str, str]:
    lines = files(__package__).joinpath("country_names.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: code for code, names in rows for name in names.split("|")}
