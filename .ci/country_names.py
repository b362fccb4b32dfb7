"""Write the names of countries that recipient lists are read with; run it for a new release of CLDR.

    python3 -m venv /tmp/names && /tmp/names/bin/pip install babel phonenumberslite
    /tmp/names/bin/python .ci/country_names.py

A line for each country with a calling code: its ISO code of two letters, a tab, and its ISO code of three letters
and its names in `LANGUAGES` and in its own official languages, separated by `|`, folded as frontdesk folds what a
list says. A name that two countries have is left out.
"""

import sys
from collections import defaultdict
from pathlib import Path

import phonenumbers
from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.languages import get_official_languages

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
from frontdesk_lists.phone_numbers import fold_name

LANGUAGES = (
    *("en", "es", "pt", "fr", "de", "it", "nl", "pl", "ru", "uk", "tr", "he", "ar", "hi", "id", "zh", "zh_Hant"),
    *("sv", "da", "fi", "cs", "hu", "ro", "el", "ja", "ko", "vi"),
)

ALSO = {
    "AE": "uae",
    "CD": "democratic republic of the congo|dr congo|drc",
    "CI": "ivory coast",
    "CZ": "czech republic",
    "GB": "great britain|britain|u.k.",
    "HK": "hong kong",
    "KR": "korea",
    "MO": "macau|macao",
    "NL": "holland",
    "PS": "palestine",
    "RU": "russian federation",
    "TR": "turkey",
    "US": "usa|u.s.|u.s.a.|united states of america|america",
    "VN": "viet nam",
}
"""Usual names that CLDR doesn't give first."""

TARGET = Path(__file__).resolve().parent.parent / "src/frontdesk_lists/country_names.txt"


def main() -> None:
    """Write the file."""
    names = {code: _names_of(code) for code in sorted(phonenumbers.SUPPORTED_REGIONS)}
    owners = defaultdict(set)
    for code, each in names.items():
        for name in each:
            owners[name].add(code)
    lines = [
        f"{code}\t{'|'.join(sorted(name for name in each if len(owners[name]) == 1))}"
        for code, each in names.items()
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _names_of(code: str) -> set[str]:
    found = {*filter(None, ALSO.get(code, "").split("|"))}
    aliases = get_global("territory_aliases").items()
    found |= {alias for alias, codes in aliases if codes == [code] and _is_iso(alias)}
    for language in (*LANGUAGES, *get_official_languages(code, regional=True, de_facto=True)):
        try:
            name = Locale.parse(language).territories.get(code)
        except (UnknownLocaleError, ValueError):
            continue
        if name:
            found.add(name)
    return {fold_name(each) for each in found if "|" not in each}


def _is_iso(alias: str) -> bool:
    return len(alias) == 3 and alias.isalpha()


if __name__ == "__main__":
    main()
