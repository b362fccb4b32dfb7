"""The script of a dry run: what the customer writes and presses, and the time that passes."""

import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from frontdesk_flows.graph import Graph
from frontdesk_flows.simulation.trace import DryRun, SimulationState

MAX_LETTERS = 10_000
"""Letters kept of one node's data for a screen."""


def shorten_data(graph: Graph) -> Graph:
    """Shorten the data of nodes: a screen replays it from the beginning with every key, and it may be hostile."""
    nodes = {each: replace(node, data=_Budget().cut(node.data)) for each, node in graph.nodes.items()}
    return replace(graph, nodes=nodes)


class _Budget:
    def __init__(self) -> None:
        self._left = MAX_LETTERS

    def cut(self, value: Any, depth: int = 20) -> Any:
        self._left -= 1
        if isinstance(value, str):
            kept = value[: max(0, self._left)]
            self._left -= len(kept)
            return kept
        if isinstance(value, dict):
            items = value.items() if depth else ()
            return {name: self.cut(each, depth - 1) for name, each in items if self._left > 0}
        if isinstance(value, list):
            return [self.cut(each, depth - 1) for each in (value if depth else ()) if self._left > 0]
        return value


MAX_SECONDS = 366 * 86_400.0

_UNITS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3_600, "hr": 3_600, "hour": 3_600}
_UNITS |= {"d": 86_400, "day": 86_400, "w": 604_800, "week": 604_800}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)", re.ASCII)
_BETWEEN = re.compile(r"[\s,]*(?:and\s+)?", re.ASCII)


class ScriptAction(StrEnum):
    """The action of a step."""

    BEGIN = "begin"
    SAY = "say"
    PRESS = "press"
    WAIT = "wait"
    SILENCE = "silence"
    CHOOSE = "choose"


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """One step of a script; `words` are said, or the title, payload, id or number of what is pressed or chosen."""

    action: ScriptAction
    words: str = ""
    seconds: float = 0.0


class NotATime(ValueError):
    """Raised when words aren't a length of time; the text has examples."""


def seconds_of(words: str) -> float:
    """Parse a length of time up to a year, as `2 hours`, `90m` or `1h 30m`; raise NotATime for anything else."""
    text = words.strip().lower()
    total, at = 0.0, 0
    while at < len(text):
        found = _PART.match(text, at)
        size = None if found is None else _UNITS.get(found[2]) or _UNITS.get(found[2].removesuffix("s"))
        if found is None or size is None:
            raise NotATime(f"{words[:40]!r} isn't a length of time; try 20 minutes, 2h or 1 day")
        total += float(found[1]) * size
        between = _BETWEEN.match(text, found.end())
        at = between.end() if between else found.end()
    if not text or total > MAX_SECONDS:
        fault = "is longer than a year" if text else "isn't a length of time"
        raise NotATime(f"{words[:40]!r} {fault}")
    return total


@dataclass(frozen=True, slots=True)
class Let:
    """The value of a placeholder, from the beginning of the run."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Script:
    """All that was typed so far; without the last entry it is one step back."""

    entries: tuple[ScriptStep | Let, ...] = ()

    @property
    def steps(self) -> tuple[ScriptStep, ...]:
        return tuple(each for each in self.entries if isinstance(each, ScriptStep))

    @property
    def variables(self) -> dict[str, str]:
        return {each.name: each.value for each in self.entries if isinstance(each, Let)}

    def with_entry(self, entry: ScriptStep | Let) -> "Script":
        return Script((*self.entries, entry))

    def without_last(self) -> "Script":
        return Script(self.entries[:-1])

    def up_to(self, step: int) -> "Script":
        """Return the script before this step; values stay, since they are set from the beginning."""
        left = iter(self.steps[:step])
        kept = [each if isinstance(each, Let) else next(left, None) for each in self.entries]
        return Script(tuple(each for each in kept if each is not None))

    def to_json(self) -> str:
        return json.dumps(
            [
                ["let", each.name, each.value]
                if isinstance(each, Let)
                else [each.action, each.words, each.seconds]
                for each in self.entries
            ]
        )

    @classmethod
    def from_json(cls, text: str) -> "Script":
        """Parse the output of `to_json`; return an empty script for anything else, such as another version's."""
        try:
            return cls(tuple(_parse_entry(*each) for each in json.loads(text)))
        except (ValueError, TypeError):
            return cls()


def begin(script: Script, play: Callable[[Script], DryRun]) -> tuple[Script, DryRun]:
    """Play a script; where the trigger needs no words of the customer, it begins by itself."""
    run = play(script)
    if run.state is SimulationState.TO_BEGIN and not run.needs_words:
        script = script.with_entry(ScriptStep(ScriptAction.BEGIN))
        run = play(script)
    return script, run


_ASSIGNMENT = re.compile(r"\{\{?\s*([\w.]{1,80})\s*\}?\}\s*=\s*(.*)", re.DOTALL)


def interpret(run: DryRun, typed: str) -> ScriptStep | Let | None:
    """Interpret typed words at the state of a run; None if they mean nothing.

    `{name} = value` gives a placeholder its value, and `+2h` lets time pass. A number is the answer or the way of
    that number, unless a quotation mark precedes it; nothing typed is the beginning, or lets the time pass.
    """
    words = typed.strip()
    if found := _ASSIGNMENT.fullmatch(words):
        return Let(found[1], found[2].strip())
    if run.state.is_over:
        return None
    if not words:
        return {
            SimulationState.TO_BEGIN: ScriptStep(ScriptAction.BEGIN),
            SimulationState.TIME: ScriptStep(ScriptAction.SILENCE),
        }.get(run.state)
    if run.state is SimulationState.CHOICE:
        return ScriptStep(ScriptAction.CHOOSE, words)
    if words.startswith("+") and run.state is not SimulationState.TO_BEGIN:
        with contextlib.suppress(NotATime):
            return ScriptStep(ScriptAction.WAIT, seconds=seconds_of(words[1:]))
    is_number = words.isascii() and words.isdecimal() and len(words) < 6
    if run.state is SimulationState.ANSWER and is_number and 0 < int(words) <= len(run.ways):
        return ScriptStep(ScriptAction.PRESS, words)
    return ScriptStep(ScriptAction.SAY, words[1:] if words[0] == '"' and words[1:].isdecimal() else words)


def _parse_entry(name: str, words: str, rest: str | float) -> ScriptStep | Let:
    if not isinstance(words, str):
        raise TypeError(words)
    if name == "let":
        return Let(words, str(rest))
    return ScriptStep(ScriptAction(name), words, float(rest))
