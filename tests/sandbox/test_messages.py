"""Threads (tests/sandbox/rules.md, chapter 10) and what arrives in them."""

from typing import Any

import pytest

from frontdesk_api.contract.messages import Message
from sandbox.asking import Sandbox, assert_error_body

LINE = "972737001200"
TYPES: dict[str, Any] = {
    **dict.fromkeys(("messageId", "sender", "receiver", "initiator", "status", "participantsIdentifiers"), str),
    **dict.fromkeys(("message", "type", "messagePlatform", "creationPlatform", "associatedTo"), str),
    **dict.fromkeys(("messageDirection", "informativeMessageType"), str),
    **dict.fromkeys(("translation", "error", "agentIdentification", "comment", "attachment"), dict),
    **dict.fromkeys(("richContent", "context", "attachmentBase64"), dict),
    **dict.fromkeys(("createdAt", "updatedAt"), (int, float)),
    **dict.fromkeys(("hasReaction", "hasAttachment"), bool),
    "reactions": list,
}


def longest_thread(sandbox: Sandbox) -> dict[str, str]:
    row = sandbox.world.storage.rows(
        "SELECT line, customer FROM messages GROUP BY line, customer ORDER BY count(*) DESC LIMIT 1"
    )[0]
    return {"phoneNumberId": row[0], "targetPhoneNumberId": row[1]}


def walk(sandbox: Sandbox, pair: dict[str, str], pages: int = 1000) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    body: dict[str, Any] = dict(pair)
    for _ in range(pages):
        page = sandbox.post("/getMessages", body).json()
        found += page["dbObject"]
        assert ("lastEvaluatedKey" in page) is page["hasMoreItemsToFetch"]  # 190
        if not page["hasMoreItemsToFetch"]:
            break
        assert set(page["lastEvaluatedKey"]) == {"messageId", "createdAt"}
        body["startKey"] = page["lastEvaluatedKey"]
    return found


@pytest.mark.rules("188-193 196 198")
def test_a_long_thread_comes_newest_first_and_whole(still: Sandbox) -> None:
    pair = longest_thread(still)
    assert len(still.post("/getMessages", pair).json()["dbObject"]) == 25
    messages = walk(still, pair)
    assert len(messages) > 3000
    keys = [(message["createdAt"], message["messageId"]) for message in messages]
    assert keys == sorted(set(keys), reverse=True)
    assert len({message["createdAt"] for message in messages}) < len(messages), "equal times are part of the seed"
    ends = set(pair.values())
    assert all({message["sender"], message["receiver"]} == ends for message in messages)


@pytest.mark.rules("193")
def test_many_messages_of_one_millisecond_are_neither_lost_nor_repeated(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"message_page_size": 3})
    same = {"sender": "100", "receiver": LINE, "createdAt": 1_700_000_000_000}
    made = sandbox.post("/sandbox/messages", [same | {"message": str(place)} for place in range(20)]).json()
    walked = walk(sandbox, {"phoneNumberId": LINE, "targetPhoneNumberId": "100"})
    assert sorted(message["messageId"] for message in walked) == sorted(message["messageId"] for message in made)


@pytest.mark.rules("191")
def test_a_cursor_is_where_it_goes_on_and_any_message_may_be_one(still: Sandbox) -> None:
    """Strictly older than the start key, whichever message of the thread it is."""
    pair = longest_thread(still)
    newest = walk(still, pair, pages=2)
    for place in (0, 7, 24, 30):
        key = {name: newest[place][name] for name in ("messageId", "createdAt")}
        page = still.post("/getMessages", pair | {"startKey": key}).json()["dbObject"]
        overlap = min(len(page), len(newest) - place - 1)
        assert page[:overlap] == newest[place + 1 : place + 1 + overlap]
        assert all((each["createdAt"], each["messageId"]) < (key["createdAt"], key["messageId"]) for each in page)


@pytest.mark.rules("196")
def test_the_size_of_a_page_can_be_set(sandbox: Sandbox) -> None:
    pair = longest_thread(sandbox)
    for size in (1, 7, 1000):
        sandbox.put("/sandbox/settings", {"message_page_size": size})
        assert len(sandbox.post("/getMessages", pair).json()["dbObject"]) == size
    for wrong in (0, 1001, "25", None):
        assert_error_body(sandbox.put("/sandbox/settings", {"message_page_size": wrong}), 400)


@pytest.mark.rules("199")
def test_over_http_every_listed_field_has_its_type(still: Sandbox) -> None:
    found: set[str] = set()
    for message in walk(still, longest_thread(still)):
        for name, kind in TYPES.items():
            if name in message:
                assert isinstance(message[name], kind), (name, message[name])
                assert isinstance(message[name], bool) is (kind is bool)
                found.add(name)
        if "context" in message:
            assert {type(message["context"][name]) for name in ("from", "id")} == {str}
        assert all(isinstance(reaction, dict) for reaction in message.get("reactions", ()))
    assert found >= {"messageId", "createdAt", "message", "hasReaction", "hasAttachment", "context", "reactions"}


@pytest.mark.rules("197")
def test_a_new_message_never_disturbs_older_pages(sandbox: Sandbox) -> None:
    pair = longest_thread(sandbox)
    first = sandbox.post("/getMessages", pair).json()
    before = sandbox.post("/getMessages", pair | {"startKey": first["lastEvaluatedKey"]}).json()
    sandbox.post("/sandbox/messages", {"sender": pair["targetPhoneNumberId"], "receiver": pair["phoneNumberId"]})
    assert sandbox.post("/getMessages", pair | {"startKey": first["lastEvaluatedKey"]}).json() == before


@pytest.mark.rules("187 194")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"phoneNumberId": LINE},
        {"targetPhoneNumberId": "1"},
        {"phoneNumberId": 1, "targetPhoneNumberId": "1"},
        {"phoneNumberId": LINE, "targetPhoneNumberId": "1", "startKey": {}},
        {"phoneNumberId": LINE, "targetPhoneNumberId": "1", "startKey": {"messageId": "a"}},
        {"phoneNumberId": LINE, "targetPhoneNumberId": "1", "startKey": {"messageId": "a", "createdAt": "1"}},
        {"phoneNumberId": LINE, "targetPhoneNumberId": "1", "startKey": {"messageId": 1, "createdAt": 1}},
        {"phoneNumberId": LINE, "targetPhoneNumberId": "1", "startKey": None},
    ],
)
def test_incomplete_questions_are_refused(still: Sandbox, body: dict[str, Any]) -> None:
    assert_error_body(still.post("/getMessages", body), 400)


@pytest.mark.rules("195")
def test_an_unknown_pair_is_an_empty_thread(still: Sandbox) -> None:
    page = still.post("/getMessages", {"phoneNumberId": "x", "targetPhoneNumberId": "y"})
    assert page.json() == {"dbObject": [], "hasMoreItemsToFetch": False}


@pytest.mark.rules("199 200")
def test_the_seed_fits_the_contract_and_has_values_nobody_knows(still: Sandbox) -> None:
    known = {
        "status": {"sent", "delivered", "read", "failed", "inProcess", "tooManyRequests"},
        "type": {"default", "note", "informative", "deleted"},
    }
    rows = still.world.storage.rows("SELECT json FROM messages ORDER BY id LIMIT 14000")
    messages = [Message.model_validate_json(row[0]) for row in rows]
    for field, values in known.items():
        found = {getattr(message, field) for message in messages}
        assert found - values, field
    assert any(message.error and message.error["code"] == 131026 for message in messages)
    assert any(message.context and message.context.model_extra for message in messages)
    assert any(message.reactions and message.hasReaction for message in messages)
    assert any(message.attachmentBase64 and message.attachmentBase64.fileSize for message in messages)
    assert any(message.translation for message in messages)


def test_an_arriving_message_shows_on_the_customers_tasks(sandbox: Sandbox) -> None:
    pair = longest_thread(sandbox)
    conversation = f"{pair['targetPhoneNumberId']}#{pair['phoneNumberId']}"
    task = sandbox.task(participantsIdentifiers=conversation, customer={"lastActiveAt": 1})
    sent = {"participantsIdentifiers": conversation, "message": "Hello?", "messageDirection": "incoming"}
    message = sandbox.post("/sandbox/messages", sent).json()
    assert message["sender"] == pair["targetPhoneNumberId"]
    assert sandbox.post("/getMessages", pair).json()["dbObject"][0] == message
    after = sandbox.get(f"/tasks/{task['taskId']}").json()["task"]
    assert after["unreadCount"] == task["unreadCount"] + 1
    assert after["customer"]["lastActiveAt"] == message["createdAt"]
    assert after["updatedAt"] > task["updatedAt"]


def test_unknown_fields_of_a_message_are_kept(sandbox: Sandbox) -> None:
    sent = {"sender": "5", "receiver": LINE, "carrier": {"hops": [1, 2]}, "status": "teleported"}
    sandbox.post("/sandbox/messages", sent)
    found = sandbox.post("/getMessages", {"phoneNumberId": LINE, "targetPhoneNumberId": "5"}).json()["dbObject"][0]
    assert found["carrier"] == {"hops": [1, 2]}
    assert found["status"] == "teleported"
