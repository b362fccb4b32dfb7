"""Types of the check: rules, problems, findings, and facts that only the store knows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from frontdesk_lines.display_text import SafeText, show_line

if TYPE_CHECKING:
    from frontdesk_flows.document import Document
    from frontdesk_flows.graph import Graph

ID_SHOWN = 40

_ID_KEPT = 200


class Severity(StrEnum):
    """An error doesn't run or doesn't open; a warning runs otherwise than was probably meant."""

    ERROR = "error"
    WARNING = "warning"


class Problem(NamedTuple):
    """A problem in a document.

    Attributes:
        path: as `$.parsedData[2].subNodes[0]`; it may hold strangers' text.
        node_id: empty if it is about the workflow.
        words: one sentence that begins with a small letter.
    """

    path: str
    node_id: str
    words: SafeText


@dataclass(frozen=True, slots=True)
class References:
    """Facts that a document alone doesn't have; rules don't check what is None.

    Attributes:
        workflow_ids: the workflows that a pointer may name.
        channels: of lines, by id, as `platformType` names it.
        scheduled: names of scheduled campaigns by the id of their workflow.
        graph_of: the graphs of other workflows, as far as they are known.
        active_on: the active workflows of a line, as far as they are known, with their triggers at least.
        is_pointed_to: whether another workflow points to one, and may set values for it.
    """

    workflow_ids: frozenset[str] | None = None
    channels: Mapping[str, str] | None = None
    scheduled: Mapping[str, tuple[str, ...]] | None = None
    graph_of: "Callable[[str], Graph | None] | None" = None
    active_on: "Callable[[str], Iterable[Graph]] | None" = None
    is_pointed_to: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalogue.

    Attributes:
        id: stable, for scripts.
        what_to_do: advice for editors, one or two sentences.
        needs: the field of `References` that the rule can't do without, or empty.
    """

    id: str
    title: str
    what_to_do: str
    find: "Callable[[Document, References], Iterable[Problem]]"
    needs: str = ""
    severity: Severity = Severity.ERROR

    def applies(self, known: References) -> bool:
        return not self.needs or getattr(known, self.needs) is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with the rule that found it; one of `MORE` has the severities of those that aren't listed."""

    rule_id: str
    severity: Severity
    path: str
    node_id: str
    words: SafeText
    what_to_do: str
    omitted_severities: tuple[Severity, ...] = ()


def problem(path: str, node_id: str, sentence: str, *outside: object) -> Problem:
    """Return a problem, with outside values quoted in place of `{}`."""
    if not outside:
        return Problem(path, _shorten_id(node_id), SafeText(sentence))
    shown = [show_line(each, ID_SHOWN) for each in outside]
    quoted = sentence.format(*(f'"{each.text}"' for each in shown))
    return Problem(path, _shorten_id(node_id), SafeText(quoted, any(each.was_sanitized for each in shown)))


def _shorten_id(node_id: str) -> str:
    return node_id if len(node_id) <= _ID_KEPT else node_id[:_ID_KEPT] + "…"
