"""Settings that a test may change while the service runs, where the interface leaves room for more than one way.

Set through `PUT /sandbox/settings`; docs/sandbox.md lists the defaults as choices.
"""

import time
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from frontdesk.sandbox.request import require_object, validate
from frontdesk.sandbox.responses import Refusal


class SandboxSettings(BaseModel):
    """The settings, each beside the rule that leaves it open (docs/interface-rules.md)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    message_page_size: Annotated[int, Field(ge=1, le=1000)] = 25  # 196
    tags_replace: bool = False  # 207
    strict_tasks: bool = False  # 182
    absent_counters: bool = False  # 79
    shuffle_tasks: bool = False  # 162
    more_workflows: bool = False  # 88
    graph_put: bool = True  # chapter 7
    other_codes: bool = False  # docs/interface-rules.md
    requests_per_second: Annotated[int, Field(ge=0)] = 0  # 19; 0 is no throttle


def update_settings(current: SandboxSettings, value: Any) -> SandboxSettings:
    """Change the given settings.

    Raises:
        Refusal: an unknown name or a wrong type.
    """
    return validate(SandboxSettings, current.model_dump() | require_object(value))


class Throttle:
    """A token bucket an account, one second deep; the interface shows no rate limit (rule 19)."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, account: str, per_second: int) -> None:
        """Take a token.

        Raises:
            Refusal: 429 with Retry-After when none is left.
        """
        if per_second <= 0:
            return
        now = time.monotonic()
        tokens, at = self._buckets.get(account, (float(per_second), now))
        tokens = min(float(per_second), tokens + (now - at) * per_second)
        if tokens < 1:
            self._buckets[account] = (tokens, now)
            raise Refusal(429, "too_many_requests", "Too many requests a second.", {"Retry-After": "1"})
        self._buckets[account] = (tokens - 1, now)
