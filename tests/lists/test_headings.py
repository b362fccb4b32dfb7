"""What headings say of their columns, in the languages in which lists are written."""

import pytest

from frontdesk_lists import layout
from frontdesk_lists.layout import guess_columns
from frontdesk_lists.models import ColumnMapping

LANGUAGES = {
    "en": ("Full name", "Mobile phone", "Country"),
    "es": ("Nombre", "Teléfono móvil", "País"),
    "pt": ("Nome", "Celular", "Pais"),
    "fr": ("Nom complet", "Tél. portable", "Pays"),
    "de": ("Vorname", "Mobiltelefon", "Land/Region"),
    "it": ("Nome", "Cellulare", "Paese"),
    "nl": ("Naam", "Mobiel nummer / telefoon", "Land"),
    "pl": ("Imię", "Telefon komórkowy", "Kraj"),
    "ru": ("Имя", "Номер телефона", "Страна"),
    "uk": ("Ім’я", "Мобільний телефон", "Країна"),
    "tr": ("Ad Soyad", "Cep Telefonu", "Ülke"),
    "he": ("שם מלא", "טלפון נייד", "מדינה"),
    "ar": ("الاسم", "رقم الهاتف", "البلد"),
    "hi": ("नाम", "मोबाइल नंबर", "देश"),
    "id": ("Nama", "No. HP / Telepon", "Negara"),
    "zh": ("姓名", "手机号码", "国家/地区"),
    "zh_Hant": ("姓名", "電話", "國家"),
    "sv": ("Namn", "Mobiltelefon", "Land"),
    "da": ("Navn", "Mobilnr.", "Land"),
    "fi": ("Nimi", "Matkapuhelin", "Maa"),
    "cs": ("Jméno", "Telefon", "Země"),
    "hu": ("Teljes név", "Telefonszám", "Ország"),
    "ro": ("Nume", "Număr de telefon", "Țara"),
    "el": ("Ονοματεπώνυμο", "Κινητό", "Χώρα"),
    "ja": ("氏名", "電話番号", "国"),
    "ko": ("이름", "휴대폰 번호", "국가"),
    "vi": ("Họ và tên", "Số điện thoại", "Quốc gia"),
    "no": ("Fornavn", "Telefonnummer", "Land"),
    "codes": ("customerName", "phoneNumberId", "countryCode"),
    "capitals": ("FIRST_NAME", "MOBILE_NO", "COUNTRY_CODE"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_s_columns_are_known_by_their_headings(language: str) -> None:
    row = ["K-17", "0502345678", "Dana", "Mars"]
    names, numbers, countries = LANGUAGES[language]
    assert guess_columns([["Id", numbers, names, countries], row], "IL") == ColumnMapping(1, 2, 3, True)


@pytest.mark.parametrize(
    ("heading", "rank"),
    [
        ("Customer ID", 0),
        ("Kundennummer", 0),
        ("Company name", 0),
        ("Contact e-mail", 0),
        ("Surname", layout.FAMILY_NAME),
        ("Nachname", layout.FAMILY_NAME),
        ("Customer", layout.SOME_NAME),
        ("Vorname", layout.GIVEN_NAME),
        ("Name", layout.NAME),
        ("customer name", layout.FULL_NAME),
    ],
)
def test_a_heading_says_which_names_there_are(heading: str, rank: int) -> None:
    assert layout.name_rank(heading) == rank


def test_other_digits_and_places_are_told_apart() -> None:
    assert not any(map(layout.names_numbers, ("Hotel", "Order number", "Address", "Microcell size")))
    assert all(map(layout.names_no_numbers, ("Order number", "Fax", "Zip", "Date of birth", "Customer ID")))
    assert not any(map(layout.names_countries, ("Bundesland", "State", "Language", "Landing page")))
