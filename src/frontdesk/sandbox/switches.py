"""What a test may turn while the service runs, where the interface leaves room for more than one way.

Read by handlers; set through `PUT /sandbox/settings`. docs/sandbox.md lists the defaults as choices.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from frontdesk.sandbox.bodies import require_object, validate


class Switches(BaseModel):
    """The rule that leaves each one open stands beside it (docs/interface-rules.md)."""

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


def changed(current: Switches, value: Any) -> Switches:
    """The switches with the named ones changed.

    Raises:
        Refusal: an unknown name or a wrong type.
    """
    merged = validate(Switches, current.model_dump() | require_object(value))
    assert isinstance(merged, Switches)
    return merged
