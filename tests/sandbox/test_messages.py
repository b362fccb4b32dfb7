"""Threads (rules.md chapter 10) and what arrives in them."""

from typing import Any

import pytest

from frontdesk.contract.messages import Message
from sandbox.asking import Sandbox, assert_error_body

LINE = "972737001200"


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


def test_188_to_193_196_198_a_long_thread_comes_newest_first_and_whole(still: Sandbox) -> None:
    pair = longest_thread(still)
    assert len(still.post("/getMessages", pair).json()["dbObject"]) == 25
    messages = walk(still, pair)
    assert len(messages) > 3000
    keys = [(message["createdAt"], message["messageId"]) for message in messages]
    assert keys == sorted(set(keys), reverse=True)
    assert len({message["createdAt"] for message in messages}) < len(messages), "equal times are part of the seed"
    ends = set(pair.values())
    assert all({message["sender"], message["receiver"]} == ends for message in messages)


def test_193_many_messages_of_one_millisecond_are_neither_lost_nor_repeated(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"message_page_size": 3})
    same = {"sender": "100", "receiver": LINE, "createdAt": 1_700_000_000_000}
    made = sandbox.post("/sandbox/messages", [same | {"message": str(place)} for place in range(20)]).json()
    walked = walk(sandbox, {"phoneNumberId": LINE, "targetPhoneNumberId": "100"})
    assert sorted(message["messageId"] for message in walked) == sorted(message["messageId"] for message in made)


def test_197_a_new_message_never_disturbs_older_pages(sandbox: Sandbox) -> None:
    pair = longest_thread(sandbox)
    first = sandbox.post("/getMessages", pair).json()
    before = sandbox.post("/getMessages", pair | {"startKey": first["lastEvaluatedKey"]}).json()
    sandbox.post("/sandbox/messages", {"sender": pair["targetPhoneNumberId"], "receiver": pair["phoneNumberId"]})
    assert sandbox.post("/getMessages", pair | {"startKey": first["lastEvaluatedKey"]}).json() == before


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
def test_187_194_incomplete_questions_are_refused(still: Sandbox, body: dict[str, Any]) -> None:
    assert_error_body(still.post("/getMessages", body), 400)


def test_195_an_unknown_pair_is_an_empty_thread(still: Sandbox) -> None:
    page = still.post("/getMessages", {"phoneNumberId": "x", "targetPhoneNumberId": "y"})
    assert page.json() == {"dbObject": [], "hasMoreItemsToFetch": False}


def test_199_200_the_seed_fits_the_contract_and_has_values_nobody_knows(still: Sandbox) -> None:
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
