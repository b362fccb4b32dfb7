"""States and counters by name, for callers that need no models.

Called by stores, `sync`, views and the sandbox; free of pydantic, so that screens may use it.
"""

COUNTERS = (
    "totalRecipients",
    "pendingCount",
    "sentCount",
    "deliveredCount",
    "readCount",
    "failedCount",
    "optOutCount",
    "duplicateMessageCount",
    "tooManyRequestsCount",
)
"""A campaign's nine counters, in the order in which the interface lists them."""

CAMPAIGN_ENDED = frozenset({"completed", "failed", "stopped"})
"""Campaign states after which no further sending starts; counters may still move."""
