"""Cells of lists as people and spreadsheets write them: cleaned for one number to be read in them, or refused."""

import re
import unicodedata

from frontdesk.campaigns.audience.calling_codes import PLAIN_SIGNS, calling_code_of

ROUNDED = (
    "Excel rounded this number, so its last digits are lost; "
    "in the spreadsheet, format the column as Number with no decimals and save the list again"
)
_ROUNDED_FROM = re.compile(r"[1-9]\d{3,}0{5,}(?:[.,]00?)?")
"""Digits alone, as a spreadsheet saves 9.72505E+11; what is written with + or dashes was typed."""

FORMULA = "a formula, which isn't calculated here; put the number itself in the cell"

# Most numbers are written so, and can be nothing else: not several, no extension, not rounded.
_PLAIN = re.compile(r"\+?(?:[0-9]{6,15}|[0-9]{1,4}(?:[ -][0-9]{2,7}){1,3})")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d*)?[eE][+-]?\d+")
_NO_DECIMALS = re.compile(r"(\+?\d{4,})[.,]00?")
_DECIMALS = re.compile(r"\+?\d{6,}[.,]\d+")
_EXTENSION = re.compile(r"\d[\s.,;-]*(?:ext(?:ension)?|x|#|int|доб|שלוחה|تحويلة)[\s.:=]*\d", re.IGNORECASE)
_BETWEEN_NUMBERS = re.compile(r"[;,|/&\n\r\t]|\s{2,}|\s(?=\+)|\b(?:or|and|או)\b", re.IGNORECASE)
_OF_A_NUMBER = re.compile(r"[0-9 +().\-/]*")
NO_DIGIT = re.compile(r"[^0-9]")
_MAX_AREA_DIGITS = 5
"""Of an area code, after which German and Austrian letterheads put a slash."""


class BadNumber(Exception):
    """A cell holds no usable number; the text says why, and what can be done."""


def has_calling_code(cell: str) -> bool:
    """Whether a cell says its country itself, by + or 00."""
    return cell.translate(PLAIN_SIGNS).lstrip(" '`’(").startswith(("+", "00"))


def clean_cell(text: str) -> str:
    """Return the digits and signs of one number; raises `BadNumber` for anything else."""
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return text
    if not text.isascii():
        text = "".join(
            str(unicodedata.decimal(sign)) if sign > "\x7f" and sign.isdecimal() else sign
            for sign in text.translate(PLAIN_SIGNS)
        ).strip()
    if text[:1] in ("=", "@"):
        raise BadNumber(FORMULA)
    if text[:1] in ("'", "`", "’"):
        text = text[1:].lstrip()
    if _SCIENTIFIC.fullmatch(text):
        raise BadNumber(ROUNDED)
    if whole := _NO_DECIMALS.fullmatch(text):
        return whole[1]
    if _DECIMALS.fullmatch(text):
        raise BadNumber("has decimals; format the column as text, or as Number with no decimals")
    _refuse_non_number(text)
    return text


def _refuse_non_number(text: str) -> None:
    if not any(sign.isdigit() for sign in text):
        raise BadNumber("no digits" if text else "the number is missing")
    if _EXTENSION.search(text):
        raise BadNumber("has an extension, which can't receive messages")
    joined = _without_area_slash(text)
    parts = [len(NO_DIGIT.sub("", part)) for part in _BETWEEN_NUMBERS.split(joined)]
    words = [len(NO_DIGIT.sub("", word)) for word in text.split()]
    if "/" in joined or sum(part >= 6 for part in parts) > 1 or sum(word >= 9 for word in words) > 1:
        raise BadNumber("several numbers in one cell; put each in its own row")
    if not _OF_A_NUMBER.fullmatch(text):
        letters = any(sign.isalpha() for sign in text)
        raise BadNumber("has letters" if letters else "has characters that phone numbers don't have")
    if text.startswith("-"):
        raise BadNumber("starts with a minus sign")
    if "+" in text.lstrip(" (")[1:]:
        raise BadNumber("has a + that isn't at the start")


def _without_area_slash(text: str) -> str:
    """Return the text without the slashes that stand after its calling code and its area code."""
    while "/" in text:
        before, _, after = text.partition("/")
        area = NO_DIGIT.sub("", before.replace("(0)", "")).lstrip("0")
        if has_calling_code(before):
            area = area[len(calling_code_of(area[:3])) :]
        if len(area) > _MAX_AREA_DIGITS or after.lstrip().startswith(("0", "+")):
            break
        text = f"{before}-{after}"
    return text


def looks_rounded(text: str) -> bool:
    """Whether a cell holds a number that a spreadsheet has rounded, or may have."""
    text = text.strip()
    return text[-5:].strip("0.,") == "" and _ROUNDED_FROM.fullmatch(text) is not None


def rounding_doubt(text: str) -> str:
    """Return why the last digits of such a cell may be lost."""
    digits = re.split("[.,]", text.strip())[0]
    zeros = len(digits) - len(digits.rstrip("0"))
    return f"ends in {zeros} zeros, so a spreadsheet may have rounded it; compare it with the source"
