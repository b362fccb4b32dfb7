"""Mentions of agents in the text of a note: `@name`, found and completed by their names or ids."""

import re
from collections.abc import Mapping, Sequence

from frontdesk.text.fuzzy import rank_matches
from frontdesk_api.contract.ids import AgentId

MAX_SUGGESTIONS = 5
_TYPED = re.compile(r"(?:^|(?<=[\s(]))@([^\s@]{0,60})$")


def mentioned_in(text: str, people: Mapping[AgentId, str]) -> tuple[AgentId, ...]:
    """Return the agents that a text mentions, in its order; of names that begin alike the longest counts.

    Args:
        people: the names of agents by their ids.
    """
    names = sorted(
        {(name.casefold(), each) for each, known in people.items() for name in (known, each) if name.strip()},
        key=lambda each: -len(each[0]),
    )
    folded = text.casefold()
    found: dict[AgentId, None] = {}
    for at in (match.end() for match in re.finditer(r"(?<!\w)@", folded)):
        named = next((each for name, each in names if _is_at(folded, at, name)), None)
        if named is not None:
            found[named] = None
    return tuple(found)


def typed_mention(before: str) -> str | None:
    """Return what is typed of a mention at the end of a text, without its sign; None outside of one."""
    found = _TYPED.search(before)
    return None if found is None else found[1]


def suggestions(typed: str, people: Mapping[AgentId, str]) -> Sequence[AgentId]:
    """Return the agents that a begun mention may mean, the best first."""
    if not typed:
        return list(people)[:MAX_SUGGESTIONS]
    words = [(str(each), f"{name} {each}") for each, name in people.items()]
    return [AgentId(each) for each in rank_matches(typed, words)][:MAX_SUGGESTIONS]


def _is_at(folded: str, at: int, name: str) -> bool:
    after = folded[at + len(name) : at + len(name) + 1]
    return folded.startswith(name, at) and not (after.isalnum() or after == "_")
