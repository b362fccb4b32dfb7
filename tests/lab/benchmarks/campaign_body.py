"""The body of a campaign of so many recipients, which the benchmarks of campaigns POST."""

from typing import Any

LINE = "972737001200"


def campaign(identity: str, name: str, recipients: int) -> dict[str, Any]:
    """From a list, for now."""
    return {
        "id": identity,
        "name": name,
        "contentType": "triggerWorkflow",
        "workflowId": "wf-early-access",
        "workflowName": "Early access",
        "folderId": "folder-campaigns",
        "whenToSendMessage": "now",
        "associatedToBusinessId": LINE,
        "isActive": True,
        "audienceCountry": "IL",
        "source": "excel",
        "customerList": [{"phoneNumberId": f"05{place:08d}"} for place in range(recipients)],
    }
