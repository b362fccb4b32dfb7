"""The number of a conversation's customer: whole, or none."""

import pytest

from frontdesk.campaigns.models import customer_number
from frontdesk.storage.records import ConversationRecord
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId


@pytest.mark.parametrize(
    ("customer_id", "number", "platform", "found"),
    [
        ("972502345678", "", "whatsapp", "972502345678"),
        ("", "+972 50-234-5678", "", "972502345678"),
        ("", "050-234-5678", "", ""),
        ("0502345678", "+972 50-234-5678", "whatsapp", "972502345678"),
        ("972502345678", "", "instagram", ""),
    ],
)
def test_what_people_dial_at_home_is_no_whole_number(
    customer_id: str, number: str, platform: str, found: str
) -> None:
    record = ConversationRecord(
        ConversationId("L1#x"), LineId("L1"), CustomerId(customer_id), "Dana", number, platform
    )
    assert customer_number(record) == found
