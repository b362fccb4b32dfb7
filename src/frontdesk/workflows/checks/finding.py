"""The types of the check: rules, problems, findings, and facts that only the store knows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.text.display_text import SafeText, show_line

if TYPE_CHECKING:
    from frontdesk.workflows.document import Document

ID_SHOWN = 40
"""Letters of an id or a title that are shown within a sentence."""

_ID_KEPT = 200


class Severity(StrEnum):
    """An error doesn't run or doesn't open; a warning runs otherwise than was probably meant."""

    ERROR = "error"
    WARNING = "warning"


class Problem(NamedTuple):
    """A problem in a document.

    Attributes:
        path: where in the document, as `$.parsedData[2].subNodes[0]`; it may hold strangers' text.
        node_id: the node it is about, empty where it is about the workflow.
        words: what is wrong there, as one sentence that begins small.
    """

    path: str
    node_id: str
    words: SafeText


@dataclass(frozen=True, slots=True)
class References:
    """Facts that a document alone doesn't tell; what is None isn't known, and isn't checked.

    Attributes:
        workflow_ids: the workflows that a pointer may name.
        channels: of lines, by id, the channel they are on, as `platformType` names it.
        scheduled: by workflow id, the names of the campaigns that wait for their time to start it.
    """

    workflow_ids: frozenset[str] | None = None
    channels: Mapping[str, str] | None = None
    scheduled: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalogue.

    Attributes:
        id: stable, for scripts.
        title: what is looked for, in a few words.
        what_to_do: one or two sentences for whoever edits the workflow.
        find: looks through a document.
        needs: the field of `References` without which it is not applied, or empty.
    """

    id: str
    severity: Severity
    title: str
    what_to_do: str
    find: "Callable[[Document, References], Iterable[Problem]]"
    needs: str = ""

    def applies(self, known: References) -> bool:
        """Whether enough is known to apply it."""
        return not self.needs or getattr(known, self.needs) is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with the rule that found it.

    Attributes:
        left_out: of the one that counts what isn't told, the severity of each of those.
    """

    rule_id: str
    severity: Severity
    path: str
    node_id: str
    words: SafeText
    what_to_do: str
    left_out: tuple[Severity, ...] = ()


def problem(path: str, node_id: str, sentence: str, *outside: object) -> Problem:
    """A problem in words of ours, with values from outside quoted where the sentence has `{}`."""
    if not outside:
        return Problem(path, _kept(node_id), SafeText(sentence))
    shown = [show_line(each, ID_SHOWN) for each in outside]
    quoted = sentence.format(*(f'"{each.text}"' for each in shown))
    return Problem(path, _kept(node_id), SafeText(quoted, any(each.was_sanitized for each in shown)))


def _kept(node_id: str) -> str:
    return node_id if len(node_id) <= _ID_KEPT else node_id[:_ID_KEPT] + "…"
