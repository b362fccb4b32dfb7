"""Lists and pages of threads as the linear mode printed them.

A number is a position in the list as it was printed, so a poll that sorts anew never changes its meaning.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from frontdesk.storage.coverage import Precision
from frontdesk.storage.records import MessagePosition
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.display_text import SafeText

ROWS = 10
"""Rows printed at a time."""


class ListKind(StrEnum):
    """The kind of a list's records, as the word for one of them."""

    CONVERSATION = "conversation"
    TASK = "task"
    CHANGE = "change"
    CAMPAIGN = "campaign"
    WORKFLOW = "workflow"
    AI_AGENT = "AI agent"
    HIT = "search result"


Target = tuple[ListKind, str]
"""A record's kind and id."""


@dataclass
class PrintedList:
    """A list as it was read: ids in their order, of which the first `printed` have a number.

    Attributes:
        row: the sentence for an id, or None where it is gone.
        precision: whether these are all there are.
        targets: the records that search results stand for.
        messages: the messages of those that are one.
        tasks: by conversation the task that its row was printed with, where words about tasks chose it.
    """

    kind: ListKind
    ids: Sequence[str]
    row: Callable[[str], SafeText | None]
    printed: int = 0
    precision: Precision = Precision.EXACT
    targets: Mapping[str, Target] = field(default_factory=dict)
    messages: Mapping[str, MessagePosition] = field(default_factory=dict)
    tasks: dict[str, TaskId] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of a thread as it was printed: where it ends, and its first and last message."""

    before: MessagePosition | None
    first: MessagePosition | None
    last: MessagePosition | None
