"""How much code one change of a status walks through, from the key to the platform's confirmation.

The count is what somebody may have to read who looks for a fault on that way, with what the engine does meanwhile;
`pytest -s` prints it.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from app.test_tui_stories import status_of, with_a_task
from app.tui_story import At, story
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage.records import ChangeState
from source_tree import SOURCE
from sync.running_engine import Start

pytestmark = pytest.mark.slow

MOST_FUNCTIONS, MOST_FILES = 906, 147
"""Set to a little more than what is walked through; lower them whenever it gets less."""


class Walk:
    """The functions of the program that ran while it was counting: their files, names and first lines.

    A lambda or a comprehension is a part of the function that it stands in.
    """

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.is_counting = False

    @property
    def files(self) -> set[str]:
        return {path for path, _, _ in self.functions}

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        is_ours = code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<")
        if event == "call" and self.is_counting and is_ours:
            self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))


@contextmanager
def walk() -> Iterator[Walk]:
    """Note the functions that run in this thread and those that start from now on."""
    found = Walk()
    before = sys.getprofile()
    threading.setprofile(found.note)
    sys.setprofile(found.note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]


def test_a_change_of_a_status_walks_through_few_functions(works: Start) -> None:
    with walk() as walked:

        async def tell(at: At) -> None:
            with_a_task(at)
            await at.until(lambda: at.inbox.facts.task_targets)
            task_id = at.inbox.facts.task_targets[0]
            walked.is_counting = True
            await at.press("s", "5")
            await at.until(
                lambda: [each.state for each in outbox_queue.recent(at.store.reading)] == [ChangeState.CONFIRMED]
            )
            walked.is_counting = False
            assert status_of(at, task_id) == "completed"

        story(works, tell)
    sys.stdout.write(f"{len(walked.functions)} functions in {len(walked.files)} files\n")
    assert any("sender" in path for path in walked.files), "the engine's half is walked through, too"
    assert len(walked.functions) <= MOST_FUNCTIONS
    assert len(walked.files) <= MOST_FILES
