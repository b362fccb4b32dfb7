"""What must hold at every read of a campaign, and from one read to a later one.

Imported by the tests of this folder. The numbers are those of docs/interface.md, Campaign
counters.
"""

from typing import Any

BUCKETS = (
    "pendingCount",
    "sentCount",
    "failedCount",
    "optOutCount",
    "duplicateMessageCount",
    "tooManyRequestsCount",
)

STATES = ("scheduled", "pending", "inProgress")
"""In the order in which a campaign goes through them; every other state is an end."""

ENDS = ("completed", "failed", "stopped")

_NEVER_FALL = (
    "deliveredCount",
    "readCount",
    "failedCount",
    "optOutCount",
    "duplicateMessageCount",
    "tooManyRequestsCount",
    "lastModified",
)
_FIXED_ONCE_THERE = ("created", "startedAt", "completedAt", "failedAt", "failureReason")


def in_flight(stored: dict[str, Any]) -> int:
    """Who has been sent to and has no outcome yet: no field, but the remainder (1)."""
    return int(stored["totalRecipients"] - sum(stored[name] for name in BUCKETS))


def is_done(stored: dict[str, Any]) -> bool:
    """Whether nobody is left who waits for an outcome (5)."""
    return "startedAt" in stored and stored["pendingCount"] + in_flight(stored) == 0


def check_counters(stored: dict[str, Any]) -> None:
    """One read by itself."""
    assert all(stored[name] >= 0 for name in BUCKETS), stored
    assert in_flight(stored) >= 0, f"1, 2: the buckets hold more than there are: {stored}"
    assert 0 <= stored["readCount"] <= stored["deliveredCount"] <= stored["sentCount"], f"2: {stored}"
    if stored["status"] != "stopped":
        assert (stored["status"] == "completed") is is_done(stored), f"5: {stored}"
    times = [stored[name] for name in ("created", "startedAt", "completedAt", "failedAt") if name in stored]
    assert stored["lastModified"] >= max(times), f"6: {stored}"
    assert stored.get("startedAt", 0) <= stored.get("completedAt", stored["lastModified"]), f"6: {stored}"
    assert ("completedAt" in stored) is (stored["status"] == "completed"), f"rule 77: {stored}"
    assert ("failedAt" in stored) is ("failureReason" in stored) is (stored["status"] == "failed"), f"77: {stored}"


def check_step(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Two reads of one campaign, one after the other."""
    seen = f"{before} and then {after}"
    if before["status"] in ENDS:
        assert after["status"] == before["status"], f"nothing leaves an end: {seen}"
    elif after["status"] in STATES:
        assert STATES.index(after["status"]) >= STATES.index(before["status"]), f"a state came back: {seen}"
    for name in _NEVER_FALL:
        assert after[name] >= before[name], f"{name} fell: {seen}"
    for name in _FIXED_ONCE_THERE:
        assert name not in before or after.get(name) == before[name], f"{name} changed: {seen}"
    if "startedAt" in before:
        assert after["totalRecipients"] == before["totalRecipients"], f"4: {seen}"
        assert after["pendingCount"] <= before["pendingCount"], f"1: somebody is sent to again: {seen}"
        for name in ("optOutCount", "duplicateMessageCount"):
            assert after[name] == before[name], f"3: {name} is decided before sending: {seen}"
    late = before["sentCount"] - after["sentCount"]
    assert late <= 0 or after["failedCount"] - before["failedCount"] >= late, f"5: a late failure: {seen}"
