"""Which column holds what is guessed from headings and cells, and not guessed where nothing tells."""

import pytest

from frontdesk.campaigns.audience.layout import guess_columns
from frontdesk.campaigns.audience.models import ColumnMapping


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
