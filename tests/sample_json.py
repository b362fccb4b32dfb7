"""Objects as the platform sends and takes them, for tests below the contract."""

from typing import Any


def raw_task(number: int, **fields: Any) -> dict[str, Any]:
    """A task as the platform sends it."""
    return {
        "taskId": f"t{number}",
        "title": f"Task {number}",
        "statusCase": "open",
        "phoneNumberId": "L1",
        "participantsIdentifiers": f"L1#C{number}",
        "assignedAgentIds": [],
        "updatedAt": 1_700_000_000 + number,
        "customer": {"phoneNumberId": f"C{number}", "customerName": f"Customer {number}"},
        **fields,
    }


def raw_message(number: int, **fields: Any) -> dict[str, Any]:
    """A message of second `number`, as the platform sends it."""
    return {
        "messageId": f"m{number:05}",
        "createdAt": number * 1000,
        "message": f"words {number}",
        "messageDirection": "incoming",
        **fields,
    }


def campaign_body(campaign_id: str, **fields: Any) -> dict[str, Any]:
    """The body that creates a campaign to one person of the sandbox, now."""
    return {
        "id": campaign_id,
        "name": "Hello",
        "contentType": "triggerWorkflow",
        "workflowId": "wf-survey",
        "workflowName": "Delivery survey",
        "folderId": "folder-service",
        "whenToSendMessage": "now",
        "associatedToBusinessId": "442079460018",
        "isActive": True,
        "source": "excel",
        "customerList": [{"phoneNumberId": "972546011607"}],
        **fields,
    }
