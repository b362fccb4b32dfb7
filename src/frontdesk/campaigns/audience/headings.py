"""What the heading of a column says of its cells, in the languages of `country_names.txt`; for `layout`."""

import re
from functools import cache

from frontdesk.campaigns.audience.country_names import fold_name

# A word each; `_` stands for a space, and a star for the rest of a word.
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
    """Whether the column is said to hold phone numbers."""
    return _says(_NUMBER, heading) or _says(_NUMBER_ALONE, heading, whole=True)


def names_no_numbers(heading: str) -> bool:
    """Whether the column is said to hold other digits."""
    return _says(_NO_NUMBER, heading)


def names_countries(heading: str) -> bool:
    """Whether the column is said to hold countries."""
    return _says(_COUNTRY, heading) and not names_no_countries(heading)


def names_no_countries(heading: str) -> bool:
    """Whether the column is said to hold languages, states or other codes that countries have, too."""
    return _says(_NO_COUNTRY, heading)


FULL_NAME, NAME, GIVEN_NAME, SOME_NAME, FAMILY_NAME = 5, 4, 3, 2, 1
"""How well a column suits to greet people, best first; a bare name may be the family's."""


def name_rank(heading: str) -> int:
    """Return which names the column is said to hold; 0 for none, also where it says ids or companies."""
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
