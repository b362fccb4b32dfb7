"""A host that refuses every read is told from one that refuses single ids."""

import pytest

from frontdesk.sync.poll_results import MIN_REFUSED, Refusals
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk_api.client.errors import CredentialsRefused, NotFound, Refused

LISTS = [
    PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS, PollKind.AI_AGENTS,
]  # fmt: skip


def thread(number: int) -> Job:
    return Job(PollKind.THREAD, f"L1#C{number}")


def refused(kind: type[Refused] = CredentialsRefused, status: int = 401) -> Refused:
    return kind("it said no", status=status)


@pytest.mark.parametrize("kind", LISTS)
def test_a_refused_list_is_every_read_unless_another_list_was_answered(kind: PollKind) -> None:
    assert Refusals().refuse_all(Job(kind), refused())
    other = next(each for each in LISTS if each is not kind)
    refusals = Refusals()
    refusals.answered(Job(other))
    assert not refusals.refuse_all(Job(kind), refused())
    assert refusals.refuse_all(Job(other), refused()), "now none is answered any more"


def test_single_ids_count_together_until_anything_is_answered() -> None:
    refusals = Refusals()
    for _ in range(MIN_REFUSED):
        assert not refusals.refuse_all(thread(1), refused()), "one id, however often, is one"
    assert [refusals.refuse_all(thread(each), refused()) for each in range(2, MIN_REFUSED + 1)] == [False, True]
    refusals.answered(thread(9))
    assert not refusals.refuse_all(thread(1), refused())


def test_ids_that_are_unknown_and_hosts_that_answer_a_list_refuse_no_other_read() -> None:
    refusals = Refusals()
    assert not any(refusals.refuse_all(thread(each), refused(NotFound, 404)) for each in range(9))
    refusals.answered(Job(PollKind.TASKS_HEAD))
    assert not any(refusals.refuse_all(thread(each), refused()) for each in range(9))
