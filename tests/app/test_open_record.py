"""`frontdesk open`: a record by its id, a customer by any notation of the number, and the screens there."""

import json
from typing import Any

import pytest

from cli.commandline import Frontdesk
from frontdesk.accounts.profile_switcher import StartTarget
from frontdesk.app import run_tui
from frontdesk.app.open_record import find_target
from frontdesk.inbox.customer_lookup import NotOneCustomer
from frontdesk.storage.database import Store

LINE, OTHER = "442079460018", "34910000001"


@pytest.fixture
def known(store: Store) -> Store:
    """A store with a customer on two lines, another one, a task, a campaign and a workflow."""

    def fill(db: Any) -> None:
        for line, customer, number, at in (
            (LINE, "34655000922", "+34 655 000-922", 10),
            (OTHER, "34655000922", "+34 655 000-922", 20),
            (LINE, "447700954330", "", 30),
            (LINE, "insta-1", "+44 7700 (90) 0001", 40),
        ):
            db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id, number, active_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (f"{line}#{customer}", line, customer, number, at),
            )
        db.execute(
            "INSERT INTO documents (kind, document_id, name, raw, place) VALUES ('workflow', 'w1', 'W', ?, 0)",
            (json.dumps({"id": "w1"}),),
        )

    store.write(fill).result()
    return store


def find(store: Store, typed: str) -> StartTarget | None:
    return find_target(store.reading, typed)


def test_an_id_opens_its_record(known: Store) -> None:
    assert find(known, f"{LINE}#447700954330") == StartTarget("conversation", f"{LINE}#447700954330")
    assert find(known, "w1") == StartTarget("workflow", "w1")
    assert find(known, "nothing") is None
    assert find(known, "\x1b]0;x\x07") is None


@pytest.mark.parametrize("typed", ["447700954330", "+44 7700 954330", "0044 7700-954330", "07700 954330"])
def test_a_number_in_any_notation_opens_the_conversation(known: Store, typed: str) -> None:
    assert find(known, typed) == StartTarget("conversation", f"{LINE}#447700954330")


@pytest.mark.parametrize("typed", ["0655 000 922", "0655-000-922"])
def test_a_national_number_may_be_of_another_country_than_the_lines(known: Store, typed: str) -> None:
    known.write(lambda db: db.execute("DELETE FROM conversations WHERE line_id = ?", (OTHER,))).result()
    assert find(known, typed) == StartTarget("conversation", f"{LINE}#34655000922")


def test_of_two_customers_with_a_national_number_none_is_guessed(known: Store) -> None:
    known.write(
        lambda db: db.execute(
            "INSERT INTO conversations (conversation_id, line_id, customer_id) VALUES ('L#C', 'L', '972655000922')"
        )
    ).result()
    with pytest.raises(NotOneCustomer, match="may be 34655000922, 972655000922; write the number with its"):
        find(known, "0655 000 922")
    assert find(known, "972 655 000 922") == StartTarget("conversation", "L#C")


def test_a_customer_of_another_channel_is_found_by_the_number(known: Store) -> None:
    assert find(known, "+44 7700 900001") == StartTarget("conversation", f"{LINE}#insta-1")


def test_of_several_lines_the_latest_is_opened_and_the_others_are_told(known: Store) -> None:
    found = find(known, "+34655000922")
    assert found is not None
    assert found.id == f"{OTHER}#34655000922"
    assert found.note == "This customer also has 1 conversation on other lines; this is the latest."
    assert find(known, f"{LINE} 34655000922") == StartTarget("conversation", f"{LINE}#34655000922")


def test_the_command_opens_the_inbox_there_or_says_that_it_is_not_known(
    frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[StartTarget | None] = []

    def run_inbox(start_target: StartTarget | None = None) -> int:
        opened.append(start_target)
        return 0

    monkeypatch.setattr(run_tui, "run_inbox", run_inbox)
    with frontdesk.store() as store:
        store.write(
            lambda db: db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id) VALUES ('a#b', 'a', 'b')"
            )
        ).result()
    assert frontdesk("open", "a#b").status == 0
    assert opened == [StartTarget("conversation", "a#b")]
    said = frontdesk.fails(2, "open", "c#d")
    assert "nothing loaded so far has the id or number 'c#d'" in said
    assert len(opened) == 1
