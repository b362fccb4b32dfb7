"""A number without its country is a customer's of the line's country, and no other's that happens to be stored."""

from typing import Any

import pytest

from frontdesk.inbox.customer_lookup import NotOneCustomer, customer_on_line, pair
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import LineId

LINE, PAGE = LineId("972737001200"), LineId("page-17")
AT_HOME, ABROAD = "972501234567", "971501234567"


def fill(store: Store, *customers: tuple[str, str], line: LineId = LINE) -> None:
    def insert(db: Any) -> None:
        for customer, number in customers:
            db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id, number) VALUES (?, ?, ?, ?)",
                (f"{line}#{customer}", line, customer, number),
            )

    store.write(insert).result()


@pytest.mark.parametrize("typed", ["050-1234567", "0501234567"])
def test_a_customer_of_another_country_than_the_line_is_not_chosen_for_a_number_without_one(
    store: Store, typed: str
) -> None:
    assert customer_on_line(store.reading, typed, LINE) is None
    fill(store, (ABROAD, "+971 50 123 4567"))
    for ask in (
        lambda: customer_on_line(store.reading, typed, LINE),
        lambda: pair(typed, [LINE], LINE, lambda *words: customer_on_line(store.reading, *words)),
    ):
        with pytest.raises(NotOneCustomer, match=f"may be {AT_HOME}, {ABROAD}; write the number with its calling"):
            ask()
    assert customer_on_line(store.reading, ABROAD, LINE) == ABROAD
    assert customer_on_line(store.reading, AT_HOME, LINE) is None


def test_a_customer_of_the_line_s_country_or_of_a_line_without_one_is_found(store: Store) -> None:
    fill(store, ("wa-1", "+972 50-123-4567"))
    assert customer_on_line(store.reading, "050-1234567", LINE) == "wa-1"
    fill(store, ("447700900123", ""))
    assert customer_on_line(store.reading, "07700 900123", LINE) == "447700900123", "too long for Israel"
    fill(store, (ABROAD, ""), line=PAGE)
    assert customer_on_line(store.reading, "050-1234567", PAGE) == ABROAD
