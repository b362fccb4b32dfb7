"""AI agents of the business: enough of them that a list of 25 has a second page.

None of them is ever assigned to a task (rule 223).
"""

from itertools import product
from typing import Any

from frontdesk.sandbox.data import read_table
from frontdesk.sandbox.fixtures import ACCOUNT


def make_ai_agents(now_ms: int) -> list[dict[str, Any]]:
    """One of each kind in each language, oldest first."""
    table = read_table("ai_agents")
    return [
        _make_agent(position, kind, language, now_ms)
        for position, (language, kind) in enumerate(product(table["languages"], table["kinds"]))
    ]


def _make_agent(position: int, kind: dict[str, str], language: str, now_ms: int) -> dict[str, Any]:
    identity = f"ai-{position + 1:02d}"
    files = [
        {"id": f"file-{position}-{number}", "status": "completed", "bytes": 18_000 + 977 * position * number}
        for number in range(1, 1 + position % 4)
    ]
    return {
        "id": identity,
        "name": f"{kind['name']} ({language})",
        "associatedTo": ACCOUNT,
        "folderId": "folder-service",
        "profileImage": "",
        "description": kind["description"],
        "created": now_ms // 1000 - 86_400 * (300 - 7 * position),
        "lastModified": now_ms // 1000 - 86_400 * (30 - position),
        "tokensUsed": 48_210 + position * 7_919,
        "isActive": position % 9 != 5,
        "roles": [
            {
                "name": "answer",
                "description": kind["description"],
                "instructions": f"Answer in {language}, in two sentences at most. Hand over when asked.",
                "webhook": "",
                "allRequired": False,
                "tool": {"name": kind["tool"], "parameters": {"orderNumber": {"type": "string"}}},
            },
            {
                "name": "handover",
                "description": "Passes the conversation to a person.",
                "instructions": "Say who takes over and when.",
                "webhook": "https://hooks.acme-home.example/handover",
                "allRequired": True,
                "tool": {},
            },
        ],
        "vectorStore": {
            "id": f"vs-{identity}",
            "required": bool(files),
            "files": files,
            "fileNamesMapping": {file["id"]: f"manual-{number}.pdf" for number, file in enumerate(files, 1)},
        },
    }
