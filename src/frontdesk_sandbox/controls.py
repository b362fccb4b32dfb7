"""The sandbox's controls under /sandbox/, which are no part of the interface (docs/command-line.md).

Called by the application before anything else; they need no credentials, and faults never hit them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from frontdesk_sandbox.request import check_storable, identity_or_main, parse_json, require_object, too_large
from frontdesk_sandbox.responses import (
    Refusal,
    Response,
    bad_request,
    encode,
    json_response,
    not_found,
    not_specified,
)
from frontdesk_sandbox.storage import (
    Conversation,
    find_platform,
    insert_message,
    insert_task,
    make_message,
    message_id,
    new_task,
    record_arrival,
    split_conversation,
)
from frontdesk_sandbox.world import World, catch_up, update_settings

MAX_ADVANCE_SECONDS = 366 * 24 * 3600


def is_control(path: str) -> bool:
    return path == "/sandbox" or path.startswith("/sandbox/")


def handle_control(
    world: World, request: tuple[str, str], headers: Mapping[str, str], body: bytes | None
) -> Response:
    """Carry out a control by method and path; raise Refusal if there is none such, or its body is wrong."""
    method, path = request
    reader = _READERS.get(path) if method == "GET" else None
    if reader is not None:
        return json_response(reader(world))
    account = identity_or_main(headers).account
    name, _, identity = path.removeprefix("/sandbox/").partition("/")
    if method == "POST" and name == "campaigns" and identity.endswith("/stop"):
        return _stop_campaign(world, account, identity.removesuffix("/stop"))
    writer = _WRITERS.get(request)
    if writer is None:
        if path in _READERS or any(path == known for _, known in _WRITERS):
            raise not_specified(f"{method} {path}")
        raise Refusal(404, "not_found", f"No control at {path!r}.")
    if body is None:
        raise too_large()
    return json_response(writer(world, account, parse_json(body, "application/json") if body else None))


def _health(world: World) -> dict[str, Any]:
    tables = ("conversations", "messages", "tasks", "campaigns", "workflows", "ai_agents", "webhooks")
    counts = {table: world.storage.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}
    return {
        "status": "ok",
        "now": world.clock.now_ms(),
        "crowd": world.options.crowd,
        "speed": world.options.speed,
        "plan": world.options.plan,
        "seed": world.storage.meta("seed"),
        "counts": counts,
    }


def _set_faults(world: World, _account: str, value: Any) -> Any:
    world.faults.replace(value)
    return world.faults.as_json()


def _set_settings(world: World, _account: str, value: Any) -> Any:
    world.settings = update_settings(world.settings, value)
    return world.settings.model_dump()


def _advance(world: World, _account: str, value: Any) -> Any:
    seconds = require_object(value).get("seconds", 0)
    if not isinstance(seconds, int | float) or not 0 <= seconds <= MAX_ADVANCE_SECONDS:
        raise bad_request(f"seconds must be a number from 0 to {MAX_ADVANCE_SECONDS}.")
    world.clock.advance(seconds)
    catch_up(world)
    if not world.options.crowd:
        world.stop_agents()
    world.save_time()
    return {"now": world.clock.now_ms()}


def _one_or_many(add: Callable[[World, str, dict[str, Any]], dict[str, Any]]) -> Callable[[World, str, Any], Any]:
    """Make a control that adds an object, or each object of an array in one transaction."""

    def add_all(world: World, account: str, value: Any) -> Any:
        check_storable(value)
        with world.storage.writing():
            if isinstance(value, list):
                return [add(world, account, require_object(given)) for given in value]
            return add(world, account, require_object(value))

    return add_all


def _add_message(world: World, account: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store a message as given; the defaults are those of one that a customer just wrote."""
    storage, now = world.storage, world.clock.now_ms()
    where = _read_conversation(world, account, given)
    plain = make_message(
        where,
        platform=find_platform(storage, account, where.line),
        incoming=given.get("sender") != where.line and given.get("messageDirection") != "outgoing",
        text="",
        at_ms=now,
        identity=_make_id(world, "message"),
    )
    message = plain | given
    if not _is_id(message["messageId"]) or not _is_number(message["createdAt"]):
        raise bad_request("messageId must be a non-empty string and createdAt a number.")
    insert_message(storage, where, message)
    if message["messageDirection"] == "incoming":
        record_arrival(storage, where, int(message["createdAt"]))
        world.runs.queue_message(where, message, now)
    return message


def _read_conversation(world: World, account: str, given: dict[str, Any]) -> Conversation:
    conversation = given.get("participantsIdentifiers")
    if not isinstance(conversation, str):
        ends = given.get("sender"), given.get("receiver")
        if not all(isinstance(end, str) for end in ends):
            raise bad_request("A message needs participantsIdentifiers, or sender and receiver.")
        conversation = "#".join(str(end) for end in ends)
    where = split_conversation(world.storage, account, conversation)
    if where is None:
        raise not_found("line for conversation", conversation)
    return where


def _add_task(world: World, account: str, given: dict[str, Any]) -> dict[str, Any]:
    task = new_task(account, _make_id(world, "task"), world.clock.now_seconds()) | given
    if not _is_id(task["taskId"]):
        raise bad_request("taskId must be a non-empty string.")
    insert_task(world.storage, account, task)
    return task


def _add_webhook(world: World, account: str, value: Any) -> Any:
    given = {} if value is None else require_object(value)
    identity = given.get("webhookId") or _make_id(world, "webhook")
    if not _is_id(identity):
        raise bad_request("webhookId must be a string.")
    with world.storage.writing():
        world.storage.run("INSERT OR REPLACE INTO webhooks VALUES(?,?,?)", account, identity, encode(given))
    return {"webhookId": identity}


def _stop_campaign(world: World, account: str, identity: str) -> Response:
    """Stop a campaign, which nothing in the interface does."""
    with world.storage.writing():
        stopped = world.storage.run(
            "UPDATE campaigns SET status='stopped', due_at=NULL, modified=max(modified, ?) "
            "WHERE account=? AND id=? AND status IN ('pending', 'scheduled', 'inProgress')",
            *(world.clock.now_ms(), account, identity),
        )
    if not stopped:
        raise not_found("unfinished campaign", identity)
    return json_response({"status": "stopped"})


def _make_id(world: World, kind: str) -> str:
    count = int(world.storage.meta("made") or 0) + 1
    world.storage.set_meta("made", count)
    return f"{kind}_{message_id(kind, count)[4:]}"


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: object) -> bool:
    """Return whether a value can be a time: beyond this, adding one changes nothing."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


_READERS: dict[str, Callable[[World], Any]] = {
    "/sandbox/health": _health,
    "/sandbox/requests": lambda world: [vars(entry) for entry in reversed(world.request_log)],
    "/sandbox/faults": lambda world: world.faults.as_json(),
    "/sandbox/settings": lambda world: world.settings.model_dump(),
}

_WRITERS: dict[tuple[str, str], Callable[[World, str, Any], Any]] = {
    ("POST", "/sandbox/messages"): _one_or_many(_add_message),
    ("POST", "/sandbox/tasks"): _one_or_many(_add_task),
    ("POST", "/sandbox/webhooks"): _add_webhook,
    ("PUT", "/sandbox/faults"): _set_faults,
    ("PUT", "/sandbox/settings"): _set_settings,
    ("POST", "/sandbox/advance"): _advance,
}
