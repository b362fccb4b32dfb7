"""Every kind of message has a line in the list."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.inbox.store.conversations import preview_of

LEAF = st.sampled_from((None, True, 0, 7, "", " \n", "words"))
OBJECT = st.dictionaries(st.sampled_from(("text", "title", "name", "url", "latitude", "x")), LEAF, max_size=2)
JSON = LEAF | OBJECT | st.lists(LEAF | OBJECT, max_size=2) | OBJECT.map(lambda inner: {"buttons": [inner]})


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ({}, ""),
        ({"message": "hello"}, "hello"),
        ({"message": "gone", "type": "deleted"}, "[message deleted]"),
        ({"message": {"text": "hello"}}, "hello"),
        ({"message": None, "status": "read"}, "[message without text]"),
        ({"hasAttachment": True, "attachmentBase64": {"fileName": "a.pdf"}}, "[a.pdf]"),
        ({"hasAttachment": True}, "[attachment]"),
        ({"attachment": {"url": "https://example.com/x"}}, "[attachment]"),
        ({"attachment": [{"latitude": 1.0, "longitude": 2.0}]}, "[location]"),
        ({"richContent": {"buttons": [{"title": "Yes"}, {"title": "No"}]}}, "[Yes] [No]"),
        ({"richContent": {"text": "Choose", "buttons": ["Yes"]}}, "Choose"),
        ({"type": "hologram"}, "[message of type hologram]"),
    ],
)
def test_each_kind_of_message_has_a_preview(raw: dict[str, Any], line: str) -> None:
    assert preview_of(raw) == line


@settings(max_examples=100)
@given(
    st.fixed_dictionaries(
        {"messageId": st.just("m")},
        optional=dict.fromkeys(("message", "type", "richContent", "attachment", "attachmentBase64"), JSON),
    )
)
def test_no_preview_is_empty(raw: dict[str, Any]) -> None:
    assert preview_of(raw).strip()
