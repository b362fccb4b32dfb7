"""Which column holds what is guessed from headings and cells; where several may hold it, all are told."""

import pytest

from frontdesk_lists.layout import count_title_rows, guess_columns, rival_columns
from frontdesk_lists.models import ColumnMapping


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([["Phone", "Name"], ["0502345678", "Dana"]], ColumnMapping(0, 1, None, True)),
        ([["id", "full name", "mobile"], ["1", "Dana Levi", "050-2345678"]], ColumnMapping(2, 1, None, True)),
        ([["שם", "טלפון"], ["דנה", "050-2345678"]], ColumnMapping(1, 0, None, True)),
        (
            [["phoneNumberId", "customerName", "countryCode"], ["0502345678", "D", "IL"]],
            ColumnMapping(0, 1, 2, True),
        ),
        ([["0502345678", "Dana"], ["0522345678", "Omar"]], ColumnMapping(0, 1, None, False)),
        ([["0502345678"], ["0522345678"]], ColumnMapping(0, None, None, False)),
        ([["Dana", "0502345678", "IL"], ["Omar", "+4930123456", "DE"]], ColumnMapping(1, 0, 2, False)),
        ([["a", "b"], ["Dana", "0502345678"]], ColumnMapping(1, None, None, True)),
        (
            [["Order", "Telephone"], ["1234567890", "0502345678"], ["1234567891", ""]],
            ColumnMapping(1, None, None, True),
        ),
        ([["first name", "last name", "tel"], ["D", "L", "0502345678"]], ColumnMapping(2, 0, None, True)),
        ([["name", "phone"]], ColumnMapping(1, 0, None, True)),
        ([["Phone"], ["9.72521E+11"], ["9.72521E+11"]], ColumnMapping(0, None, None, True)),
        ([["x", "y"], ["hello", "world"]], None),
        ([["x", "y"]], None),
        ([], None),
        ([[""]], None),
    ],
)
def test_the_guess(rows: list[list[str]], columns: ColumnMapping | None) -> None:
    assert guess_columns(rows, "IL") == columns


def test_a_column_that_can_be_read_beats_one_that_looks_like_it() -> None:
    rows = [["7", "12345678901234", "0502345678"], ["8", "12345678901235", "0522345678"]]
    guess = guess_columns(rows, "IL")
    assert guess is not None
    assert guess.number == 2


FULL, RARE = [f"05023456{at:02}" for at in range(20)], ["0522345678", *[""] * 19]


def list_of(*columns: list[str]) -> list[list[str]]:
    """Rows of these columns, each with its heading first."""
    return [list(row) for row in zip(*columns, strict=True)]


def test_a_nearly_empty_column_holds_few_people_s_numbers() -> None:
    rows = list_of(["Mobile 2", *RARE], ["Contact no", *FULL])
    guess = guess_columns(rows, "IL")
    assert guess is not None
    assert guess.number == 1
    assert rival_columns(rows, guess, "IL") == {"number": (0, 1)}


@pytest.mark.parametrize(
    ("rows", "rivals"),
    [
        (list_of(["Phone", *FULL], ["Name", *["Dana"] * 20]), {}),
        (list_of(["Phone", *FULL], ["Mobile", *reversed(FULL)]), {"number": (0, 1)}),
        (list_of(["Phone", *FULL], ["WhatsApp", *FULL]), {}),
        (list_of(["Phone", *FULL], ["Fax", *reversed(FULL)]), {}),
        (list_of(["Phone", *FULL], ["Order", *reversed(FULL)]), {}),
        (list_of(FULL, list(reversed(FULL))), {"number": (0, 1)}),
        ([["Phone", "Country", "Billing country"], ["0502345678", "IL", "DE"]], {"country": (1, 2)}),
        ([["Phone", "Country", "Land"], ["+972502345678", "IL", ""]], {"country": (1, 2)}),
        ([["Phone", "Country"], ["0502345678", "IL"]], {}),
        ([["Phone", "Market"], ["0502345678", "IL"], ["0151 23456789", "DE"]], {"country": (1,)}),
        ([["Phone", "Language"], ["0502345678", "DE"], ["0151 23456789", "FR"]], {}),
        ([["Phone", "Name", "Vorname"], ["0502345678", "Levi", "Dana"]], {"name": (1, 2)}),
        ([["Phone", "Customer", "Contact"], ["0502345678", "Acme", "Dana"]], {"name": (1, 2)}),
        ([["Phone", "First name", "Last name"], ["0502345678", "Dana", "Levi"]], {}),
        ([["0502345678", "Dana", "Haifa"], ["0522345678", "Omar", "Akko"]], {"name": (1, 2)}),
    ],
)
def test_columns_that_may_hold_the_same_are_told(
    rows: list[list[str]], rivals: dict[str, tuple[int, ...]]
) -> None:
    guess = guess_columns(rows, "IL")
    assert guess is not None
    assert rival_columns(rows, guess, "IL") == rivals


@pytest.mark.parametrize("heading", ["Customer ID", "Customer", "Client no", "Contact"])
@pytest.mark.parametrize("cells", [["10042", "10043"], ["K-10042", "K-10043"], ["a@example.com", "b@example.com"]])
def test_an_id_or_address_is_no_name(heading: str, cells: list[str]) -> None:
    rows = [[heading, "Phone"], [cells[0], "0502345678"], [cells[1], "0522345678"]]
    assert guess_columns(rows, "IL") == ColumnMapping(1, None, None, True)


def test_names_of_countries_are_countries_whatever_their_heading() -> None:
    rows = [["Phone", "Where"], ["0664 1234567", "Austria"], ["0151 23456789", "Germany"]]
    assert guess_columns(rows, "DE") == ColumnMapping(0, None, 1, True)


@pytest.mark.parametrize(
    ("rows", "above"),
    [
        ([["Customer list"], ["Name", "Land", "Telefon"], ["Udo", "DE", "0151 23456789"]], 1),
        ([["Customers"], ["As of", "01.03.2026"], ["Name", "Phone"], ["Dana", "0502345678"]], 2),
        ([["Name", "Phone"], ["Customer A", "x"], ["Dana", "0502345678"]], 0),
        ([["Phone"], ["0502345678"]], 0),
        ([["0502345678", "mobile"], ["x", "mobile phone"], ["Name", "Phone"]], 0),
        ([["x"], ["y"]], 0),
        ([], 0),
    ],
)
def test_headings_may_be_below_a_title(rows: list[list[str]], above: int) -> None:
    assert count_title_rows(rows) == above
