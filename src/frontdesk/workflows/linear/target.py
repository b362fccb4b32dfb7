"""The workflow that a command of the linear mode works on, and reads of its whole document."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from frontdesk.config.facts import Fact
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.line_parser import NotUnderstood, find_record, split_numbers
from frontdesk.linear.sentences import speak
from frontdesk.linear.session import ListKind, Session
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.sql import ReadConnection
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.update_plan import NotReadYet
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Line, read_out

T = TypeVar("T")

WIDTH = 10_000
"""Cells of lines that aren't wrapped."""

LOADING_SECONDS = 20.0
"""How long to wait for a workflow that was never loaded."""

_WORDS_FOR_KEYS = {"workflow.snapshots": "the command snapshots", "workflow.switch": "the command switch"}


def split_workflow(session: Session, words: str) -> tuple[WorkflowRecord, str]:
    """Return the workflow that the first word names (a row, an id or a name), and the rest.

    Raises:
        NotUnderstood: none is meant.
    """
    records = {each.workflow_id: each for each in workflow_store.listing(session.db).records}
    session.report_focus_soon("workflows")
    if words and split_numbers(words)[0] is None:
        first, _, rest = words.partition(" ")
        return records[find_record(first, {key: each.label for key, each in records.items()}, "workflow")], rest
    (key,), rest = session.keys_at(words, ListKind.WORKFLOW)
    if (found := records.get(WorkflowId(key))) is None:
        raise NotUnderstood("That workflow is no longer listed. To list workflows, type workflows.")
    return found, rest.strip()


def read_stored(session: Session, record: WorkflowRecord, job: Callable[[ReadConnection], T]) -> T:
    """Read from the store on its reading thread, once the whole workflow is stored.

    Raises:
        NotUnderstood: it isn't possible; the text says why.
    """

    def is_stored() -> bool:
        return workflow_store.text(session.db, record.workflow_id) is not None

    if not is_stored():
        session.wait_for(SyncRequests(session.store).request_refresh(record.workflow_id))
        session.news.wait(is_stored, LOADING_SECONDS)
    try:
        return session.wait_for(session.store.read_in_background(job))
    except NotUnderstood as error:
        if isinstance(error.__cause__, NotReadYet):
            SyncRequests(session.store).request_refresh(record.workflow_id)
        raise


def print_facts(session: Session, tell: Callable[[RenderContext], Iterable[Fact]]) -> None:
    """Print facts, with commands in place of keys."""
    view = replace(session.view(), keys=_WORDS_FOR_KEYS)
    session.print(*speak(tell(view), view))


def print_screen_lines(session: Session, lines: Iterable[Line]) -> None:
    """Print lines of a screen without what is drawn."""
    texts = (read_out("".join(part.text.text for part in line)) for line in lines)
    session.print(*(trusted(each) for each in texts if each))
