"""The limits of an execution: its step budget, the depth of its workflows, and the reasons it ends with there."""

from collections.abc import Sequence

STEP_BUDGET = 200
"""Nodes that one execution may enter; it is dropped at one more."""

DEPTH_LIMIT = 8
"""Depth of workflows that point to each other in one execution."""

_MAX_NAMED, _MAX_NAME_LETTERS = 5, 40


def limit_reason(step_budget: int) -> str:
    """Return the reason of an execution that is dropped at its step budget without a loop."""
    return f"more than {step_budget:,} nodes in one run"


def loop_reason(titles: Sequence[str]) -> str:
    """Return the reason of an execution that is dropped at its step budget in a loop of these nodes."""
    return f"a loop without a wait: {_cycle_words(titles)}"


def depth_reason(workflow_ids: Sequence[str]) -> str:
    """Return the reason of an execution that is dropped at the depth limit."""
    *before, last = workflow_ids
    if last not in before:
        return f"more than {DEPTH_LIMIT} nested workflows"
    start = len(before) - 1 - before[::-1].index(last)
    return f"workflows that point to each other in a loop: {_cycle_words(before[start:])}"


def _cycle_words(names: Sequence[str]) -> str:
    """Return `"a", "b" and back to "a"`."""
    cut = [each if len(each) <= _MAX_NAME_LETTERS else each[: _MAX_NAME_LETTERS - 1] + "…" for each in names]
    named = ", ".join(f'"{each}"' for each in cut[:_MAX_NAMED])
    more = f" and {len(cut) - _MAX_NAMED:,} more" if len(cut) > _MAX_NAMED else ""
    return f'{named}{more}, and back to "{cut[0]}"'
