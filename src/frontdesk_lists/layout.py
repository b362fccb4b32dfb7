"""The layout of a recipient list: the kind of its file, from its first bytes, and which column holds what."""

import os
import re
import stat
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from frontdesk_lists.models import (
    NO_COUNTRY,
    AudienceError,
    ColumnMapping,
    CountryCount,
    CountrySample,
    HomeCountry,
    Kind,
)
from frontdesk_lists.phone_numbers import (
    MIN_DIGITS,
    BadNumber,
    calling_code_of,
    countries_of,
    country_code,
    fold_name,
    main_country,
    place_of,
    read_number,
)

MAX_LOOKED_AT = 300
"""Cells without a calling code that are tried in each country: each costs 40 µs."""
MAX_TRIED = 3
MAX_SAMPLES = 3
_KEPT_OF_A_CELL = 60

OF_LIST = "most numbers in the list that have a calling code are of {place}"
OF_CUSTOMERS = "most of your customers are in {place}"


class CountryTally:
    """The recipients of a list by their calling codes, counted row by row."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._guessed: Counter[str] = Counter()
        self._samples: defaultdict[tuple[str, bool], list[CountrySample]] = defaultdict(list)
        self._without_code: list[tuple[str, str]] = []

    def add(self, line: int, cell: str, digits: str, *, is_guessed: bool) -> None:
        """Count a recipient; `is_guessed` where neither its cell nor its row says the country."""
        code = calling_code_of(digits[:3])
        self._counts[code] += 1
        self._guessed[code] += is_guessed
        samples = self._samples[code, is_guessed]
        if len(samples) < MAX_SAMPLES:
            samples.append(CountrySample(line, cell[:_KEPT_OF_A_CELL], digits))

    def add_without_code(self, cell: str, digits: str) -> None:
        """Remember a cell that doesn't say its country, with its digits, empty for no number."""
        if len(self._without_code) < MAX_LOOKED_AT and (digits or sum(map(str.isdecimal, cell)) >= MIN_DIGITS):
            self._without_code.append((cell, digits))

    def build(self) -> tuple[CountryCount, ...]:
        return tuple(
            CountryCount(
                place_of(code) if code else "no country",
                count,
                self._guessed[code],
                tuple([*self._samples[code, True], *self._samples[code, False]][:MAX_SAMPLES]),
            )
            for code, count in self._counts.most_common()
        )

    def suggest(self, customers: Iterable[str]) -> HomeCountry | None:
        """Suggest a home country for the numbers without a calling code, also by the numbers of customers."""
        if not self._without_code:
            return None
        written = Counter({code: count - self._guessed[code] for code, count in self._counts.items()})
        nearby = Counter(calling_code_of(each[:3]) for each in customers if each[:3].isdecimal())
        tried: dict[str, str] = {}
        for codes, reason in ((+written, OF_LIST), (nearby, OF_CUSTOMERS)):
            for code, _ in codes.most_common(MAX_TRIED):
                if code and (country := main_country(code)):
                    tried.setdefault(country, reason.format(place=place_of(code)))
        found = {country: self._valid_in(country) for country in tried}
        best = max(tried, key=lambda country: len(found[country]), default="")
        # Those that are the same number with and without a home country don't need one.
        in_question = {at for at, (_, digits) in enumerate(self._without_code) if not digits}.union(
            *found.values()
        )
        if not best or not found[best] or len(found[best]) * 2 < len(in_question):
            return None
        return HomeCountry(best, tried[best], len(found[best]), len(in_question))

    def _valid_in(self, country: str) -> set[int]:
        """Return the places of cells that are a country's numbers, and another number than without it."""
        return {
            at for at, (cell, digits) in enumerate(self._without_code) if _valid(cell, country) not in ("", digits)
        }


def _valid(cell: str, country: str) -> str:
    try:
        number = read_number(cell, country)
    except BadNumber:
        return ""
    is_there = country in countries_of(calling_code_of(number.digits[:3]))
    return number.digits if is_there and not number.doubt else ""


# A word each; `_` means a space, and a star the rest of a word.
_NUMBER = """
    *phone* mobile* cell cells cellulare* msisdn *whatsapp* wa tel telefo* *telefon* telemovel* tlf* *celular*
    movil* handy* portable gsm mobil* rufnummer* natel *puhelin* puh kannykka* telepon* ponsel hp cep komork*
    contact_number contact_no numero_de_contacto landline κινητο* *τηλεφων* *телефон* моб мобильн* мобільн*
    *טלפון *נייד *סלולר* *פלאפון *هاتف *جوال *موبايل *تليفون *تلفون đien_thoai di_đong sđt dien_thoai di_dong
    sdt फोन फ़ोन मोबाइल दूरभाष 電話 电话 携帯 手机 手機 전화 휴대폰 핸드폰
"""
_NUMBER_ALONE = "to nr no number numero nummer numer recipient номер מספר رقم"
_NO_NUMBER = """
    id ids uid customerid clientid *date datum *datum fecha amount price *order* zip postal *postcode plz
    *account* *fax* iban vat tax sku ean betrag preis תאריך סכום הזמנה ת_ז פקס تاريخ فاكس *факс* дата
"""

_COUNTRY = """
    country* nation land *land lander* landes* landen* landcode* landkod* pais pays paese nazione kraj panstwo
    ulke* orszag* tara χωρα maa maakoodi zeme iso* calling_code dial_code dialing_code dialling_code ddi
    страна* країна* מדינה מדינת* ארץ *بلد *دولة negara quoc_gia देश 国 國 국가 나라
"""
_NO_COUNTRY = """
    bundesland* *island inland lang* *sprache idioma langue lingua taal locale state* province department*
    abteilung type status group gender geschlecht שפה язык
"""

_FULL_NAME = """
    full_name fullname customer_name contact_name client_name display_name nombre_completo nombre_del_cliente
    nombre_cliente nome_completo nome_do_cliente nome_cliente nome_e_cognome nom_complet nom_du_client
    nom_client nom_et_prenom kundenname vollstandiger_name ganzer_name volledige_naam klantnaam
    imie_i_nazwisko ad_soyad adı_soyadı musteri_adı jmeno_a_prijmeni teljes_nev nume_complet fullt_navn
    fulde_navn fullstandigt_namn kundnamn koko_nimi ονοματεπωνυμο фио имя_и_фамилия полное_имя піб повне_імя
    повне_ім_я שם_מלא שם_לקוח שם_הלקוח الاسم_الكامل اسم_العميل पूरा_नाम nama_lengkap nama_pelanggan ho_ten
    ho_va_ten 氏名 姓名 顧客名 客户名称 성명 고객명
"""
_NAME = """
    name nombre nome nom naam navn namn nimi nev nume jmeno isim ad adı ονομα имя імя ім_я שם اسم الاسم नाम
    nama ten 名前 이름
"""
_GIVEN_NAME = """
    first_name firstname given_name forename vorname rufname prenom nombre_de_pila primer_nombre primeiro_nome
    voornaam fornavn fornamn etunimi keresztnev utonev prenume krestni_jmeno imie imiona שם_פרטי الاسم_الاول
    nama_depan 名
"""
_FAMILY_NAME = """
    last_name lastname surname family_name nachname familienname apellido* sobrenome apelido cognome
    achternaam efternavn etternavn efternamn sukunimi vezeteknev nume_de_familie prijmeni nazwisko soyad
    soyadı soyisim επωνυμο фамилия прізвище שם_משפחה اسم_العائلة nama_belakang 姓 성
"""
_SOME_NAME = """
    *name nombre nome nom *naam *navn *namn *nimi nev nume jmeno isim customer client cliente* *kunde klient*
    kund contact* contatto *kontakt* ansprechpartner klant asiakas ugyfel zakaznik musteri πελατησ клиент*
    клієнт* контакт שם לקוח *عميل ग्राहक pelanggan khach_hang 顧客 客户 客戶 고객
"""
_NO_NAME = """
    id ids uid customerid clientid nr no num *number numero* *nummer* code* kod* key uuid guid ref *email*
    mail* e_mail* company* firma* unternehmen empresa azienda societe entreprise bedrijf organi* product*
    campaign* file* *username user login domain url website city town street status type group source owner
    since date segment номер מספר رقم
"""


def names_numbers(heading: str) -> bool:
    return _says(_NUMBER, heading) or _says(_NUMBER_ALONE, heading, whole=True)


def names_no_numbers(heading: str) -> bool:
    return _says(_NO_NUMBER, heading)


def names_countries(heading: str) -> bool:
    return _says(_COUNTRY, heading) and not names_no_countries(heading)


def names_no_countries(heading: str) -> bool:
    """Return whether the column is said to hold languages, states or other codes that countries have, too."""
    return _says(_NO_COUNTRY, heading)


FULL_NAME, NAME, GIVEN_NAME, SOME_NAME, FAMILY_NAME = 5, 4, 3, 2, 1
"""Ranks of columns for greeting people, best first; a bare name may be the family's."""


def name_rank(heading: str) -> int:
    """Return which names the column is said to hold; 0 for none, and for ids or companies."""
    if _says(_FULL_NAME, heading, whole=True):
        return FULL_NAME
    if _says(_NO_NAME, heading):
        return 0
    if _says(_NAME, heading, whole=True):
        return NAME
    if _says(_GIVEN_NAME, heading):
        return GIVEN_NAME
    if _says(_FAMILY_NAME, heading):
        return FAMILY_NAME
    return SOME_NAME if _says(_SOME_NAME, heading) else 0


def _says(words: str, heading: str, *, whole: bool = False) -> bool:
    text = fold_name(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading))
    return bool((_pattern(words).fullmatch if whole else _pattern(words).search)(text))


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile("|".join(map(_word, words.split())))


def _word(word: str) -> str:
    folded = fold_name(word.strip("*").replace("_", " "))
    if folded[0] >= "\u0900":  # from India to the east, words aren't parted or lose their vowel signs
        return re.escape(folded)
    before = "" if word.startswith("*") else r"(?<!\w)"
    return before + re.escape(folded) + ("" if word.endswith("*") else r"(?!\w)")


MAX_TITLE_ROWS = 10
_WRITTEN = re.compile(r"['’+(]{0,2}\+?[\d\s().\-/\u200e\u200f\u202a-\u202e\xa0]{7,}")
_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2}")
_WORD = re.compile(r"[^\W\d_]{2,}")


class _Column(NamedTuple):
    """A column of a list's first rows; `cells` are those that aren't empty, of `height` ones."""

    at: int
    heading: str
    cells: tuple[str, ...]
    height: int

    def share(self, suits: Callable[[str], bool]) -> float:
        return sum(map(suits, self.cells)) / len(self.cells) if self.cells else 0.0


def count_title_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of a list's first rows are above its headings."""
    above = list(takewhile(lambda row: not any(map(_looks_like_number, row)), rows[: MAX_TITLE_ROWS + 1]))
    headings = [0 if _has_digits(row) else sum(map(_is_heading, row)) for row in above]
    return max(range(len(above)), key=lambda at: (headings[at], -at), default=0)


def guess_columns(rows: Sequence[Sequence[str]], country: str | None = None) -> ColumnMapping | None:
    """Guess the columns from the rows from the headings on; None if none looks like phone numbers."""
    has_header = _is_header(rows)
    columns = _columns(rows, has_header)
    number = _best(columns, lambda each: _number_worth(each, country))
    if number is None:
        return None
    named = _best([each for each in columns if each != number], _country_worth)
    name = _best([each for each in columns if each not in (number, named)], _name_worth)
    return ColumnMapping(
        number.at, None if name is None else name.at, None if named is None else named.at, has_header
    )


def rival_columns(
    rows: Sequence[Sequence[str]], guess: ColumnMapping, country: str | None = None
) -> dict[str, tuple[int, ...]]:
    """Return by field of a guess the columns that may hold it as well as the guessed one, which is among them.

    Columns of numbers or names that say the same aren't rivals. Those of countries are all in it:
    `Audience.contradicted` counts the rows in which they contradict each other.
    """
    columns = _columns(rows, guess.has_header)
    number = columns[guess.number]
    others = [each for each in columns if each != number]
    name, named = (next((each for each in others if each.at == at), None) for at in (guess.name, guess.country))
    found = {
        "number": [number, *(each for each in others if _may_be_numbers(each, number, country))],
        "name": [] if name is None else [name, *(each for each in others if _may_be_names(each, name))],
    }
    rivals = {
        field: tuple(sorted({each.cells: each.at for each in reversed(among)}.values()))
        for field, among in found.items()
    }
    rivals["country"] = tuple(each.at for each in others if each == named or _may_be_countries(each, named))
    return {field: ats for field, ats in rivals.items() if set(ats) - {getattr(guess, field)}}


def _columns(rows: Sequence[Sequence[str]], has_header: bool) -> list[_Column]:
    body = rows[1:] if has_header else rows
    return [
        _Column(
            at,
            _cell(rows[0], at).strip() if has_header else "",
            tuple(cell for row in body if (cell := _cell(row, at).strip())),
            len(body),
        )
        for at in range(max(map(len, rows), default=0))
    ]


def _best(among: list[_Column], worth: Callable[[_Column], float]) -> _Column | None:
    best = max(among, key=lambda each: (worth(each), -each.at), default=None)
    return best if best is not None and worth(best) > 0 else None


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    if not rows or not any(map(str.strip, rows[0])) or _has_digits(rows[0]):
        return False
    return any(map(_is_heading, rows[0])) or (len(rows) > 1 and any(map(_looks_like_number, rows[1])))


def _is_heading(cell: str) -> bool:
    return names_numbers(cell) or name_rank(cell) > 0 or names_countries(cell)


def _has_digits(row: Sequence[str]) -> bool:
    return any(sum(sign.isdigit() for sign in cell) >= 5 for cell in row)


def _number_worth(column: _Column, country: str | None) -> float:
    by_heading = 0.6 if names_numbers(column.heading) else -0.3 if names_no_numbers(column.heading) else 0.0
    share = column.share(_looks_like_number)
    if share < 0.3 and by_heading <= 0:
        return 0.0
    good = column.cells[:50]
    readable = sum(_can_be_read(cell, country) for cell in good) / max(1, len(good))
    # A column that is filled here and there holds few people's second number.
    return (share + readable) * len(column.cells) / max(1, column.height) + by_heading


def _may_be_numbers(column: _Column, guessed: _Column, country: str | None) -> bool:
    if column.share(_looks_like_number) < 0.5:
        return False
    if names_numbers(column.heading):
        return True
    if names_numbers(guessed.heading) or names_no_numbers(column.heading):
        return False
    return country is None or any(_can_be_read(cell, country) for cell in column.cells[:50])


def _looks_like_number(cell: str) -> bool:
    cell = cell.strip()
    is_written = _WRITTEN.fullmatch(cell) is not None and _DATE.fullmatch(cell) is None
    return is_written and 7 <= sum(sign.isdigit() for sign in cell) <= 18


def _can_be_read(cell: str, country: str | None) -> bool:
    try:
        return not read_number(cell, country or NO_COUNTRY).doubt
    except BadNumber:
        return False


def _name_worth(column: _Column) -> float:
    share = column.share(_is_like_a_name) if column.cells else 1.0
    if column.heading:
        # An id isn't a name, whatever its heading says.
        rank = name_rank(column.heading)
        return rank + share if rank and share >= 0.5 else 0.0
    # Without headings a column of words is most likely the name.
    return share if share >= 0.6 and column.share(lambda cell: _WORD.search(cell) is not None) >= 0.6 else 0.0


def _may_be_names(column: _Column, guessed: _Column) -> bool:
    rank = name_rank(guessed.heading)
    ranks = (rank, GIVEN_NAME) if rank == NAME else (rank,)  # beside a given name it may be the family's
    return _name_worth(column) > 0 and name_rank(column.heading) in ranks


def _is_like_a_name(cell: str) -> bool:
    letters, digits = sum(map(str.isalpha, cell)), sum(map(str.isdigit, cell))
    return letters > 2 * digits and "@" not in cell and len(cell) < 80


def _country_worth(column: _Column) -> float:
    if names_countries(column.heading):
        # Whether it is understood or not, or filled yet: a row's own country must not be passed over in silence.
        return 1.0 + column.share(_is_country)
    share = column.share(lambda cell: _is_country(cell) and (not column.heading or len(cell) > 3))
    return share if share > 0.9 and not any(map(str.isdigit, "".join(column.cells))) else 0.0


def _may_be_countries(column: _Column, guessed: _Column | None) -> bool:
    if names_countries(column.heading):
        return True
    if guessed is not None and names_countries(guessed.heading):
        return False
    # Two letters below another heading may be a language or a department.
    return _country_worth(column) > 0 or (
        not names_no_countries(column.heading) and len(column.cells) > 0 and column.share(_is_country) > 0.9
    )


def _is_country(cell: str) -> bool:
    return country_code(cell) is not None


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


PROTECTED = "the workbook is password-protected; save a copy without a password"
DAMAGED = "the workbook is damaged and can't be read; open it in Excel and save it again"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
NO_LIST = "this is neither text nor an .xlsx workbook; save the list as .xlsx or .csv, without a password"
_NO_LISTS = (
    *(_OLE, b"%pdf", b"{\\rtf", b"<html", b"<!doctype html", b"<table", b"<?xml"),
    *(b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"rar!", b"sqlite format 3", b"\x89png", b"\xff\xd8\xff"),
)
"""The first bytes, in lower case, of files that could be taken for text; the first is Excel's old format."""


def size_of(path: Path) -> int:
    """Return a file's size in bytes; raises `AudienceError` if it can't be a list or isn't ours to open."""
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise AudienceError("this is a folder; choose the file with the list")
        if not stat.S_ISREG(found.st_mode):
            raise AudienceError("this isn't a regular file; save the list to a file first")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise AudienceError("file not found") from None
    except (OSError, ValueError) as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    if found.st_size == 0:
        raise AudienceError("the file is empty; add one row per recipient, with phone numbers in one column")
    return found.st_size


def reason_of(error: Exception) -> str:
    """Return the system's words for an error, without the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def kind_of(path: Path) -> Kind:
    """Tell a text file from a current Excel workbook; raises `AudienceError` for anything else."""
    names: set[str] = set()
    try:
        with path.open("rb") as file:
            head = file.read(1024)
        if is_zip := head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with zipfile.ZipFile(path) as archive:
                names = {name.lower() for name in archive.namelist()}
    except OSError as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    except Exception:  # a damaged archive raises nearly anything
        raise AudienceError(DAMAGED) from None
    has_sheets = "xl/workbook.bin" not in names and any(name.startswith("xl/") for name in names)
    if has_sheets and "[content_types].xml" in names:
        return "xlsx"
    if is_zip or head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_NO_LISTS):
        raise AudienceError(NO_LIST)
    return "csv"
