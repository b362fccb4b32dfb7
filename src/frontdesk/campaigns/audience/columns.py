"""Guess which column holds what, from headings and from the cells below."""

import re
from collections.abc import Callable, Sequence

from frontdesk.campaigns.audience.models import ColumnMapping
from frontdesk.campaigns.audience.phone_numbers import BadNumber, country_code, read_number

_NUMBER_WORDS = re.compile(
    r"phone|mobile|cell|msisdn|whats ?app|^tel|telefon|téléphone|teléfono|celular|m[oó]vil|handy|portable|"
    r"^(?:to|nr|no|number|recipient)$|טלפון|נייד|סלולר|פלאפון|מספר|هاتف|جوال|موبايل|телефон|номер",
    re.IGNORECASE,
)
_NAME_WORDS = re.compile(
    r"name|nombre|nom\b|prénom|vorname|customer|contact|client|^שם|לקוח|اسم|имя|фио", re.IGNORECASE
)
_WHOLE_NAME = re.compile(r"^(?:full|customer|contact|client|display)?[ _]?name$|שם מלא|^שם$", re.IGNORECASE)
_COUNTRY_WORDS = re.compile(
    r"country|^iso|país|pays|^land$|calling ?code|dial ?code|מדינה|ארץ|بلد|страна", re.IGNORECASE
)
_NO_NUMBER = re.compile(r"\bid\b|date|amount|price|order|zip|postal|account|תאריך|סכום|הזמנה|ת\.?ז", re.IGNORECASE)
_WRITTEN = re.compile(r"['’+(]{0,2}\+?[\d\s().\-/\u200e\u200f\u202a-\u202e\xa0]{7,}")
_WORD = re.compile(r"[^\W\d_]{2,}")


def guess_columns(rows: Sequence[Sequence[str]], country: str | None = None) -> ColumnMapping | None:
    """Guess the columns from a list's first rows; None where none looks like phone numbers."""
    if not rows:
        return None
    width = max(len(row) for row in rows)
    has_header = _is_header(rows)
    heading = [_cell(rows[0], at).strip() if has_header else "" for at in range(width)]
    body = rows[1:] if has_header else rows
    numbers = [_number_worth(heading[at], [_cell(row, at) for row in body], country) for at in range(width)]
    number = max(range(width), key=lambda at: (numbers[at], -at))
    if numbers[number] <= 0:
        return None
    others = [at for at in range(width) if at != number]
    countries = {at: _country_worth(heading[at], [_cell(row, at) for row in body]) for at in others}
    named = _best(others, lambda at: countries[at])
    others = [at for at in others if at != named]
    names = {at: _name_worth(heading[at], [_cell(row, at) for row in body]) for at in others}
    return ColumnMapping(number, _best(others, lambda at: names[at]), named, has_header)


def _best(among: list[int], worth: Callable[[int], float]) -> int | None:
    best = max(among, key=lambda at: (worth(at), -at), default=None)
    return best if best is not None and worth(best) > 0 else None


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    first = [cell.strip() for cell in rows[0] if cell.strip()]
    if not first or any(sum(sign.isdigit() for sign in cell) >= 5 for cell in first):
        return False
    if any(_NUMBER_WORDS.search(cell) or _NAME_WORDS.search(cell) for cell in first):
        return True
    return len(rows) > 1 and any(_looks_like_number(cell) for cell in rows[1])


def _number_worth(heading: str, cells: list[str], country: str | None) -> float:
    filled = [cell for cell in cells if cell.strip()]
    heading_worth = 0.6 if _NUMBER_WORDS.search(heading) else -0.3 if _NO_NUMBER.search(heading) else 0.0
    if not filled:
        return heading_worth if heading_worth > 0 else 0.0
    share = sum(_looks_like_number(cell) for cell in filled) / len(filled)
    if share < 0.3 and heading_worth <= 0:
        return 0.0
    good = sum(_can_be_read(cell, country) for cell in filled[:50]) / min(len(filled), 50)
    return share + good + heading_worth


def _looks_like_number(cell: str) -> bool:
    return bool(_WRITTEN.fullmatch(cell.strip())) and 7 <= sum(sign.isdigit() for sign in cell) <= 18


def _can_be_read(cell: str, country: str | None) -> bool:
    try:
        return not read_number(cell, country).doubt
    except BadNumber:
        return False


def _name_worth(heading: str, cells: list[str]) -> float:
    if _WHOLE_NAME.search(heading):
        return 3.0
    filled = [cell for cell in cells if cell.strip()]
    words = sum(bool(_WORD.search(cell)) and "@" not in cell and len(cell) < 80 for cell in filled)
    share = words / len(filled) if filled else 0.0
    if _NAME_WORDS.search(heading):
        return 1.0 + share
    # Without headings a column of words is most likely the name.
    return share if not heading and share >= 0.6 else 0.0


def _country_worth(heading: str, cells: list[str]) -> float:
    filled = [cell for cell in cells if cell.strip()]
    if not filled:
        return 0.0
    if _COUNTRY_WORDS.search(heading):
        # Whether it is understood or not: a row's own country must not be passed over in silence.
        return 1.0 + sum(country_code(cell) is not None for cell in filled) / len(filled)
    if heading or not all(cell.strip().isalpha() for cell in filled):
        return 0.0
    share = sum(country_code(cell, by_name=False) is not None for cell in filled) / len(filled)
    return share if share > 0.9 else 0.0


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""
