"""The letters that other keyboard layouts have on the keys of Latin letters.

One row a layout, in the order of POSITIONS; a space for a key that types ASCII or two characters.
"""

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
ARABIC_SHIFTED = {
    "Q": "\u064e",
    "W": "\u064b",
    "E": "\u064f",
    "R": "\u064c",
    "T": "\ufef9",
    "Y": "إ",
    "U": "‘",
    "I": "÷",
    "O": "×",
    "P": "؛",
    "A": "\u0650",
    "S": "\u064d",
    "G": "\ufef7",
    "H": "أ",
    "J": "ـ",
    "K": "،",
    "X": "\u0652",
    "B": "\ufef5",
    "N": "آ",
    "M": "’",
    "?": "؟",
    "b": "\ufefb",
}
DIGIT_ROWS = ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹")


def same_key(key: str) -> tuple[str, ...]:
    """Return the characters that the key of this Latin character types in the other layouts."""
    found: list[str] = []
    for latin, rows in ((POSITIONS, LOWER_ROWS), (SHIFTED, UPPER_ROWS), ("0123456789", DIGIT_ROWS)):
        at = latin.find(key) if len(key) == 1 else -1
        if at >= 0:
            found += [row[at] for row in rows if row[at] != " "]
    if key in ARABIC_SHIFTED:
        found.append(ARABIC_SHIFTED[key])
    return tuple(dict.fromkeys(found))
