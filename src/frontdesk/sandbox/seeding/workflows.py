"""The business's workflows: a welcome menu, returns, a survey, what campaigns run, and an unfinished draft.

Called by `everything`; `campaigns` names some of them.
"""

from typing import Any

from frontdesk.sandbox.fixtures import DELIVERIES_LINE, LINES
from frontdesk.sandbox.seeding.graph_builder import ExitSpec, Step, WorkflowSpec, build_workflow

_ISRAEL, _SPAIN, _INSTAGRAM, _WEB = LINES[0].id, LINES[1].id, LINES[3].id, LINES[5].id


def make_workflows(now: int) -> list[dict[str, Any]]:
    """All documents, in order of creation; `now` in Unix seconds."""
    return [build_workflow(outline, now) for outline in _OUTLINES]


def _inbound(identity: str, to: str, keywords: list[str], kind: str = "whatsappTrigger") -> Step:
    data = {"eventType": "Messages Created", "keywords": keywords}
    return Step(identity, kind, "Trigger", "When a customer writes", data, to)


def _manual(identity: str, to: str) -> Step:
    return Step(
        identity, "workflowTrigger", "Trigger", "Started by a campaign", {"eventType": "Manual Trigger"}, to
    )


def _message(identity: str, title: str, text: str, to: str | None = None, *exits: ExitSpec, **more: Any) -> Step:
    data = {"messageType": "custom", "message": text, "waitForUserResponse": bool(exits)} | more
    kind = data.pop("channel", "whatsapp")
    return Step(identity, str(kind), "Action", title, data, to, exits)


def _fallback(identity: str, to: str | None, share: float = 0.05) -> ExitSpec:
    return ExitSpec(identity, "Anything else", to, share, "noSelectionFallback", {"afterTries": 2})


def _timeout(identity: str, to: str | None, share: float = 0.08) -> ExitSpec:
    return ExitSpec(identity, "No answer in 60 min", to, share, "awaitResponseTimeout", {"minutes": 60})


_WELCOME = WorkflowSpec(
    "wf-welcome",
    "Welcome and menu",
    "folder-service",
    _ISRAEL,
    "whatsapp",
    _inbound("welcome-trigger", "welcome-menu", []),
    (
        _message(
            "welcome-menu",
            "Greeting",
            "Hi! 👋 This is Acme Home. What is it about?",
            None,
            ExitSpec("welcome-order", "Where is my order?", "welcome-lookup", 0.46),
            ExitSpec("welcome-return", "Return something", "welcome-returns", 0.17),
            ExitSpec("welcome-person", "Talk to a person", "welcome-assign", 0.21),
            _fallback("welcome-else", "welcome-ai", 0.07),
            _timeout("welcome-silent", None, 0.05),
        ),
        Step(
            "welcome-lookup",
            "httpRequest",
            "Operation",
            "Look up the order",
            {"method": "GET", "url": "https://shop.acme-home.example/orders/{{order}}"},
            "welcome-found",
        ),
        Step(
            "welcome-found",
            "if",
            "Condition",
            "Order found?",
            {"left": "{{lookup.status}}", "operator": "equals", "right": "200"},
            None,
            (
                ExitSpec("welcome-found-yes", "Yes", "welcome-eta", 0.88, "conditionEvaluation", {"result": True}),
                ExitSpec(
                    "welcome-found-no", "No", "welcome-assign", 0.12, "conditionEvaluation", {"result": False}
                ),
            ),
        ),
        _message(
            "welcome-eta", "When it comes", "Your order arrives on {{lookup.day}} between {{lookup.window}}."
        ),
        Step("welcome-returns", "workflowPointer", "Action", "Go to returns", {"workflowId": "returns/v2"}),
        Step(
            "welcome-ai",
            "ai",
            "Action",
            "Let the AI agent answer",
            {"messageType": "ai", "aiAgentId": "ai-01"},
            "welcome-assign",
        ),
        Step("welcome-assign", "assignAgent", "Action", "Assign to the service team", {"team": "service"}),
    ),
    started=18_420,
    notes="Main entry for the Israeli line. Ask Yael before you change the menu.",
    age_days=410,
)

_RETURNS = WorkflowSpec(
    "returns/v2",
    "Returns",
    "folder-service",
    _ISRAEL,
    "whatsapp",
    _inbound("ret-trigger", "ret-reason", ["return", "refund", "החזרה", "إرجاع"]),
    (
        _message(
            "ret-reason",
            "Why?",
            "I'm sorry it didn't work out. What's the reason?",
            None,
            ExitSpec("ret-size", "Wrong size", "ret-swap", 0.31),
            ExitSpec("ret-broken", "Damaged", "ret-photo", 0.27),
            ExitSpec("ret-mind", "Changed my mind", "ret-label", 0.24),
            _fallback("ret-else", "ret-task", 0.06),
            _timeout("ret-silent", "ret-remind", 0.08),
        ),
        _message("ret-swap", "Swap it", "We'll swap it. The driver takes the wrong one back.", "ret-task"),
        _message("ret-photo", "Ask for a photo", "Could you send a photo of the damage?", "ret-wait"),
        Step("ret-wait", "wait", "Operation", "Wait a quarter of an hour", {"minutes": 15}, "ret-task"),
        _message("ret-label", "Send the label", "Here is your return label. Drop it off at any post office. 📦"),
        _message("ret-remind", "Remind once", "Still there? Just pick one of the three."),
        Step(
            "ret-task",
            "task",
            "Action",
            "Make a task",
            {"title": "Return from {{customer.name}}", "dueInHours": 24},
        ),
    ),
    started=3_964,
    age_days=230,
)

_SURVEY = WorkflowSpec(
    "wf-survey",
    "Delivery survey",
    "folder-deliveries",
    DELIVERIES_LINE,
    "whatsapp",
    _manual("sur-trigger", "sur-ask"),
    (
        _message(
            "sur-ask",
            "Ask",
            "Hi {name}, your Acme Home delivery has arrived. How did it go? 🚚",
            None,
            ExitSpec("sur-good", "😀 Great", "sur-thanks", 0.38),
            ExitSpec("sur-fine", "🙂 Fine", "sur-thanks", 0.17),
            ExitSpec("sur-bad", "🙁 Not good", "sur-tag", 0.06),
            _timeout("sur-silent", None, 0.34),
            messageType="template",
            templateName="delivery_survey",
        ),
        Step("sur-tag", "assignTags", "Action", "Tag as complaint", {"tagIds": ["tag-complaint"]}, "sur-task"),
        Step(
            "sur-task", "task", "Action", "Call the customer", {"title": "Unhappy with the delivery"}, "sur-sorry"
        ),
        _message("sur-sorry", "Sorry", "I'm sorry to hear that. Somebody will call you today."),
        _message("sur-thanks", "Thanks", "Thank you! 🙏"),
    ),
    started=1_206,
    age_days=150,
)

_EARLY_ACCESS = WorkflowSpec(
    "wf-early-access",
    "Early access",
    "folder-sales",
    DELIVERIES_LINE,
    "whatsapp",
    _manual("ea-trigger", "ea-invite"),
    (
        _message(
            "ea-invite",
            "Invitation",
            "Hi {name}! ✨ Members see our new collection a day before everybody else. Would you like the link?",
            None,
            ExitSpec("ea-yes", "Yes, please", "ea-link", 0.22),
            ExitSpec("ea-no", "Not now", None, 0.11),
            ExitSpec("ea-stop", "No more of these", "ea-optout", 0.01),
            _timeout("ea-silent", None, 0.51),
            messageType="template",
            templateName="early_access",
        ),
        _message("ea-link", "The link", "Here you go: https://acme-home.example/early 🛋", "ea-tag"),
        Step("ea-tag", "assignTags", "Action", "Tag as interested", {"tagIds": ["tag-returning"]}),
        Step("ea-optout", "updateCustomer", "Action", "Opt out", {"field": "optedOut", "value": True}),
    ),
    started=2_318,
    age_days=21,
)

_AFTER_HOURS = WorkflowSpec(
    "wf-after-hours",
    "After hours",
    "folder-service",
    _SPAIN,
    "whatsapp",
    _inbound("ah-trigger", "ah-hours", []),
    (
        Step(
            "ah-hours",
            "switch",
            "Condition",
            "What time is it?",
            {"value": "{{now.hour}}"},
            None,
            (
                ExitSpec("ah-night", "22 to 8", "ah-sleep", 0.19, "switchCaseEvaluation", {"from": 22, "to": 8}),
                ExitSpec(
                    "ah-evening", "18 to 22", "ah-later", 0.31, "switchCaseEvaluation", {"from": 18, "to": 22}
                ),
                ExitSpec("ah-day", "8 to 18", None, 0.50, "switchCaseEvaluation", {"from": 8, "to": 18}),
            ),
        ),
        _message(
            "ah-sleep", "Night", "¡Buenas noches! Abrimos a las 9. Te respondemos a primera hora. 🌙", "ah-task"
        ),
        _message(
            "ah-later", "Evening", "Ya hemos cerrado por hoy, pero dejamos tu mensaje el primero. 🙌", "ah-task"
        ),
        Step(
            "ah-task", "task", "Action", "Answer in the morning", {"title": "Wrote after hours", "dueInHours": 12}
        ),
    ),
    started=5_730,
    age_days=300,
)

_COMMENTS = WorkflowSpec(
    "wf-comments",
    "Answer comments on posts",
    "folder-sales",
    _INSTAGRAM,
    "instagram",
    _inbound("co-trigger", "co-price", ["price", "precio", "מחיר"], "instagramTrigger"),
    (
        _message(
            "co-price",
            "Price in private",
            "Thanks for asking! Shall we send you the price?",
            None,
            ExitSpec("co-yes", "Yes", "co-send", 0.61),
            ExitSpec("co-no", "No, thanks", None, 0.12),
            _fallback("co-else", "co-send", 0.04),
            channel="instagram",
        ),
        _message(
            "co-send",
            "Send the price list",
            "Here is our price list 👉 acme-home.example/prices",
            channel="instagram",
        ),
    ),
    started=871,
    active=False,
    notes="Off while the price list is being redone.",
    age_days=64,
)

_WEB_LEAD = WorkflowSpec(
    "wf-web-lead",
    "Website: collect a lead",
    "folder-sales",
    _WEB,
    "web",
    Step(
        "web-trigger",
        "webchatTrigger",
        "Trigger",
        "When a chat begins",
        {"eventType": "New Conversation Started"},
        "web-hello",
    ),
    (
        _message("web-hello", "Hello", "Hi! Looking for something special?", "web-find", channel="webchat"),
        Step(
            "web-find", "ai", "Action", "Product finder", {"messageType": "ai", "aiAgentId": "ai-04"}, "web-note"
        ),
        Step("web-note", "stickyNote", "Note", "Sales calls back within an hour", {}, "web-task"),
        Step("web-task", "task", "Action", "Call back", {"title": "Lead from the website", "dueInHours": 1}),
    ),
    started=640,
    age_days=35,
)

_DRAFT = WorkflowSpec(
    "wf-draft-chairs",
    "Chair recall (draft)",
    "folder-deliveries",
    DELIVERIES_LINE,
    "whatsapp",
    _manual("dr-trigger", "dr-tell"),
    (
        _message(
            "dr-tell",
            "Tell them",
            "Hi {name}, please check the number under your chair.",
            None,
            ExitSpec("dr-affected", "It begins with A7", "dr-swap"),
            ExitSpec("dr-fine", "Another number", None),
            messageType="template",
        ),
        Step("dr-swap", "courierBooking", "Action", "Book a courier", {"days": 3}),
    ),
    active=False,
    age_days=2,
)

_OUTLINES = (_WELCOME, _RETURNS, _AFTER_HOURS, _SURVEY, _COMMENTS, _WEB_LEAD, _EARLY_ACCESS, _DRAFT)
