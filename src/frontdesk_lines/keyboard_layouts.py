"""Keys in other keyboard layouts: the letters that the same keys type there."""

from collections.abc import Iterable

from textual.binding import Binding


def with_layout_keys(*keys: str) -> str:
    """Join keys for a binding, with the letters of other layouts in the same positions."""
    return ",".join(layout_keys(keys))


def layout_keys(keys: Iterable[str]) -> list[str]:
    """Return Textual's names of keys, with the letters of other layouts in the same positions."""
    letters = {"comma": ",", "slash": "/"}
    found = [twin for key in keys for twin in (key, *layout_characters(letters.get(key, key)))]
    return key_names(dict.fromkeys(found))


def key_names(keys: Iterable[str]) -> list[str]:
    """Return Textual's names of characters; of a comma, too, which otherwise separates keys."""
    joined = ",".join("comma" if key == "," else key for key in keys)
    return [each.key for each in Binding.make_bindings([Binding(joined, "")])]


# The letters of other keyboard layouts: one row a layout, in the order of POSITIONS; a space for a key that types
# ASCII or two characters.
POSITIONS = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"


SHIFTED = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?'


LOWER_ROWS = (
    "  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ ",  # Hebrew, SI 1452
    "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر ىةوزظ",  # Arabic 101
    "йцукенгшщзхъфывапролджэячсмитьбю ",  # Russian
    "йцукенгшщзхїфівапролджєячсмитьбю ",  # Ukrainian
    " ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ   ",  # Greek
)


UPPER_ROWS = (
    "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ ",
    "ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ ",
    "  ΕΡΤΥΘΙΟΠ  ΑΣΔΦΓΗΞΚΛ  ΖΧΨΩΒΝΜ   ",
)


# Arabic keys that type one Arabic character with Shift; lam with alef is one character on Linux.
ARABIC_SHIFTED = dict(
    zip(
        "QWERTYUIOPASGHJKXBNM?b",
        "\u064e\u064b\u064f\u064c\ufef9\u0625\u2018\u00f7\u00d7\u061b\u0650\u064d"
        "\ufef7\u0623\u0640\u060c\u0652\ufef5\u0622\u2019\u061f\ufefb",
        strict=True,
    )
)


DIGIT_ROWS = ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹")


def layout_characters(key: str) -> tuple[str, ...]:
    """Return the characters that the key of this Latin character types in the other layouts."""
    found: list[str] = []
    for latin, rows in ((POSITIONS, LOWER_ROWS), (SHIFTED, UPPER_ROWS), ("0123456789", DIGIT_ROWS)):
        at = latin.find(key) if len(key) == 1 else -1
        if at >= 0:
            found += [row[at] for row in rows if row[at] != " "]
    if key in ARABIC_SHIFTED:
        found.append(ARABIC_SHIFTED[key])
    return tuple(dict.fromkeys(found))
