"""List AI agents (docs/interface.md, List AI agents; tests/sandbox/rules.md, chapter 12)."""

import json
from typing import Any

from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT
from frontdesk_sandbox.request import Call, parse_text
from frontdesk_sandbox.responses import Response, bad_request, encode, page_response
from frontdesk_sandbox.world import World

MAX_LIMIT = 1_000_000
"""The interface shows no upper bound of limit (rule 218); storage has one."""

TOKENS_AN_HOUR, TOKENS_STEP = 60, 41
"""Tokens of an active agent: some use more than others, evenly since the last change. A modelling choice."""


def list_ai_agents(world: World, call: Call) -> Response:
    """List a flat page in creation order; files only with getFiles (rule 216)."""
    query = call.parameters(AiAgentQuery)
    limit = min(query.limit or DEFAULT_AI_AGENTS_LIMIT, MAX_LIMIT)
    rows = world.storage.rows(
        "SELECT position, id, json FROM ai_agents WHERE account=? AND position>? ORDER BY position LIMIT ?",
        call.account,
        _position(world, call.account, query.exclusiveStartKey),
        limit + 1,
    )
    page, has_more = rows[:limit], len(rows) > limit
    cursor = {"id": page[-1][1]} if has_more else {}
    now = world.agents_at_ms() // 1000
    shown = [_render_agent(row[2], row[0], now, with_files=query.getFiles is True) for row in page]
    return page_response("agents", shown, has_more, cursor)


def _position(world: World, account: str, start_key: str | None) -> int:
    if start_key is None:
        return -1
    key: Any = parse_text(start_key, "exclusiveStartKey")
    if key == {}:
        return -1
    if not isinstance(key, dict) or not isinstance(key.get("id"), str):
        raise bad_request("exclusiveStartKey isn't a lastEvaluatedKey of this list.")
    row = world.storage.row("SELECT position FROM ai_agents WHERE account=? AND id=?", account, key["id"])
    if row is None:
        raise bad_request("exclusiveStartKey isn't a lastEvaluatedKey of this list.")
    return int(row[0])


def _render_agent(stored: str, position: int, now: int, *, with_files: bool) -> str:
    agent = json.loads(stored)
    if agent.get("isActive") is True:
        since = max(0, now - int(agent["lastModified"]))
        agent["tokensUsed"] += since * (TOKENS_AN_HOUR + TOKENS_STEP * (position % 9)) // 3600
    if not with_files and isinstance(agent.get("vectorStore"), dict):
        agent["vectorStore"].pop("files", None)
    return encode(agent)
