"""Campaign states and counters by name, free of pydantic, so that screens may use them."""

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
"""A campaign's nine counters, in the interface's order."""

CAMPAIGN_ENDED = frozenset({"completed", "failed", "stopped"})
"""Campaign states after which no further sending starts; counters may still move."""
