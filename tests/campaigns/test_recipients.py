"""Who is on a list as the platform knows them, and the list that is made of some of them."""

import csv
import io
from pathlib import Path

from frontdesk.campaigns.recipients import AudienceMember, campaign_recipients, recipients_csv
from frontdesk_api.contract.ids import CustomerId
from lists.sample_files import read, read_layout


def test_each_number_once_by_its_digits_whatever_way_it_is_written() -> None:
    found = campaign_recipients(
        {"audienceCountry": "GB"},
        [
            {"phoneNumberId": "+44 7700 900001", "customerName": "Ann"},
            {"phoneNumberId": "07700900001", "customerName": "Ann again"},
            {"phoneNumberId": "052-123-4567", "countryCode": "IL"},
            {"phoneNumberId": "0044 7700 900002", "countryCode": "nowhere"},
            {"phoneNumberId": "igsid:9", "customerName": 5},
            {"phoneNumberId": ""},
            {"customerName": "No number"},
        ],
    )
    assert [each.customer_id for each in found] == ["447700900001", "972521234567", "447700900002", "9"]
    assert found[0].name == "Ann"


def test_a_list_for_a_new_campaign_has_the_interfaces_names_and_no_formulas() -> None:
    people = [
        AudienceMember(CustomerId("447700900001"), '=HYPERLINK("x")', "GB"),
        AudienceMember(CustomerId("1"), "דנה, \x1b[2Jלוי\n\ud800", ""),
    ]
    rows = list(csv.DictReader(io.StringIO(recipients_csv(people), newline="")))
    assert list(rows[0]) == ["phoneNumberId", "customerName", "countryCode"]
    assert rows[0] == {
        "phoneNumberId": "447700900001",
        "customerName": '\'=HYPERLINK("x")',
        "countryCode": "GB",
    }
    assert rows[1]["customerName"] == "דנה,  [2Jלוי  "


def test_a_list_that_frontdesk_made_says_that_its_digits_are_whole(tmp_path: Path) -> None:
    people = [
        AudienceMember(CustomerId("4915123456789"), "Udo", ""),
        AudienceMember(CustomerId("51987654321"), "", ""),
    ]
    path = tmp_path / "list.csv"
    path.write_text(recipients_csv(people))
    columns = read_layout(path).columns
    assert columns is not None
    audience = read(path, columns, country=None)
    assert [each.number for each in audience.recipients] == ["4915123456789", "51987654321"]
    assert (audience.undecided, audience.home) == (0, None)
