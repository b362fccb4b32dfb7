"""AI agents of the business: enough of them that a list of 25 has a second page.

Called by `everything`. None of them is ever assigned to a task (rule 223).
"""

from typing import Any

from frontdesk.sandbox.fixtures import ACCOUNT

_KINDS = (
    ("Delivery assistant", "Answers where an order is and offers new time slots.", "track_order"),
    ("Returns assistant", "Explains returns, opens one, tells what is refunded when.", "open_return"),
    ("Assembly guide", "Helps with instructions, parts and tools.", "find_manual"),
    ("Product finder", "Finds furniture by room, size and budget.", "search_catalogue"),
    ("Invoice clerk", "Collects company details and sends invoices.", "send_invoice"),
    ("Showroom host", "Opening hours, directions, appointments.", "book_visit"),
    ("Wholesale desk", "Takes repeat orders from known businesses.", "repeat_order"),
)
_LANGUAGES = ("English", "Hebrew", "Arabic", "Spanish")


def make_ai_agents(now_ms: int) -> list[dict[str, Any]]:
    """One of each kind in each language, oldest first."""
    return [
        _agent(place, kind, language, now_ms)
        for place, (language, kind) in enumerate((language, kind) for language in _LANGUAGES for kind in _KINDS)
    ]


def _agent(place: int, kind: tuple[str, str, str], language: str, now_ms: int) -> dict[str, Any]:
    name, description, tool = kind
    identity = f"ai-{place + 1:02d}"
    files = [
        {"id": f"file-{place}-{number}", "status": "completed", "bytes": 18_000 + 977 * place * number}
        for number in range(1, 1 + place % 4)
    ]
    return {
        "id": identity,
        "name": f"{name} ({language})",
        "associatedTo": ACCOUNT,
        "folderId": "folder-service",
        "profileImage": "",
        "description": description,
        "created": now_ms // 1000 - 86_400 * (300 - 7 * place),
        "lastModified": now_ms // 1000 - 86_400 * (30 - place),
        "tokensUsed": 48_210 + place * 7_919,
        "isActive": place % 9 != 5,
        "roles": [
            {
                "name": "answer",
                "description": description,
                "instructions": f"Answer in {language}, in two sentences at most. Hand over when asked.",
                "webhook": "",
                "allRequired": False,
                "tool": {"name": tool, "parameters": {"orderNumber": {"type": "string"}}},
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
