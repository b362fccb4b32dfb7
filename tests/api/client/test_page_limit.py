"""Lists with large items are requested in smaller pages, and no limit is kept for good."""

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk_api.client.errors import ReplyTooLarge, TooManyItems
from frontdesk_api.client.replies import GROW_AFTER, PageLimit
from frontdesk_api.contract.decode import Item, Page
from frontdesk_api.contract.tasks import Task, TaskQuery

T = TypeVar("T")

FULL = 100
CAP = 400
PAGE_FACTOR = 2


class Host:
    """Tasks of given sizes, in pages of at most `CAP` in total; `honours` tells whether it knows `limit`."""

    def __init__(self, sizes: Sequence[int], *, honours: bool = True):
        self.sizes, self.honours = sizes, honours
        self.asked: list[int] = []

    async def list_tasks(self, query: TaskQuery) -> Page[Task]:
        assert query.limit is not None
        at = (query.lastEvaluatedKey or {}).get("at", 0)
        assert isinstance(at, int)
        self.asked.append(query.limit)
        end = min(len(self.sizes), at + (query.limit if self.honours else FULL))
        if sum(self.sizes[at:end]) > CAP:
            raise ReplyTooLarge("list tasks: the response from host is larger than 4 MiB", "check the host")
        if end - at > PAGE_FACTOR * query.limit:
            raise TooManyItems("too many")
        raws: list[dict[str, Any]] = [{"taskId": f"t{number}"} for number in range(at, end)]
        items = tuple(Item(Task.model_validate(raw), raw) for raw in raws)
        has_more = end < len(self.sizes)
        return Page(items, (), has_more, {"at": end} if has_more else None)


def finish(asking: Coroutine[object, object, T]) -> T:
    """Return what a coroutine that waits for nothing returns: a loop for each request would take longer."""
    try:
        asking.send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise AssertionError("it waits")


def fetch(limit: PageLimit, host: Host, cursor: dict[str, Any] | None = None) -> Page[Task]:
    query = TaskQuery(limit=FULL) if cursor is None else TaskQuery(limit=FULL, lastEvaluatedKey=cursor)
    return finish(limit.fetch(query, host.list_tasks))


def walk(limit: PageLimit, host: Host) -> list[str]:
    """Fetch every page; return the ids as they came."""
    found: list[str] = []
    cursor = None
    while True:
        page = fetch(limit, host, cursor)
        found += [item.value.taskId for item in page.items]
        if not page.has_more:
            return found
        cursor = page.cursor


def ids(count: int) -> list[str]:
    return [f"t{number}" for number in range(count)]


def test_a_list_that_fits_is_asked_for_in_full_pages() -> None:
    limit, host = PageLimit(FULL), Host([1] * 250)
    assert walk(limit, host) == ids(250)
    assert host.asked == [FULL] * 3


def test_pages_are_halved_until_they_fit_and_later_doubled() -> None:
    limit, host = PageLimit(FULL), Host([14] * 1_000)
    cursor = fetch(limit, host).cursor
    assert host.asked == [100, 50, 25]
    for _ in range(GROW_AFTER - 1):
        cursor = fetch(limit, host, cursor).cursor
    assert limit.value == 50
    fetch(limit, host, cursor)
    assert host.asked[-2:] == [50, 25]
    host.sizes = [1] * 1_000
    for _ in range(2 * GROW_AFTER):
        fetch(limit, host)
    assert limit.value == FULL


def test_one_item_that_is_too_large_is_named_with_host_and_size_and_costs_one_request_a_call() -> None:
    limit, host = PageLimit(FULL), Host([CAP + 1, 1, 1])
    words = "the response from host is larger than 4 MiB, although only 1 item was requested; check the host"
    with pytest.raises(ReplyTooLarge, match=words):
        fetch(limit, host)
    assert host.asked == [100, 50, 25, 12, 6, 3, 1]
    for _ in range(3):
        with pytest.raises(ReplyTooLarge):
            fetch(limit, host)
    assert host.asked[7:] == [1, 1, 1]
    host.sizes = [1] * 300
    assert walk(limit, host) == ids(300)
    assert limit.value > 1


def test_a_host_that_ignores_the_limit_never_leaves_it_small() -> None:
    """Its whole page was taken for one of more items than were asked for, for ever."""
    limit, host = PageLimit(FULL), Host([CAP] * FULL, honours=False)
    with pytest.raises(ReplyTooLarge):
        fetch(limit, host)
    assert limit.value == 1
    host.sizes = [1] * FULL
    host.asked.clear()
    assert len(fetch(limit, host).items) == FULL
    assert host.asked == [1, FULL]
    assert limit.value == FULL


def test_a_page_with_a_few_more_than_asked_for_means_that_the_limit_is_ignored() -> None:
    limit, host = PageLimit(FULL), Host([7] * 60, honours=False)
    with pytest.raises(ReplyTooLarge):
        fetch(limit, host)
    host.sizes = [7] * 2
    assert len(fetch(limit, host).items) == 2
    assert limit.value == FULL
    assert host.asked[-1] == 1, "the page is taken as it came"


def test_a_page_that_is_too_large_after_too_many_items_ends_the_call() -> None:
    limit = PageLimit(FULL)
    limit.value = 1
    answers = [TooManyItems("too many"), ReplyTooLarge("too large")]

    async def changing(_query: TaskQuery) -> Page[Task]:
        raise answers.pop(0)

    with pytest.raises(ReplyTooLarge):
        finish(limit.fetch(TaskQuery(limit=FULL), changing))
    assert limit.value == FULL


def test_too_many_items_for_a_full_page_are_an_error() -> None:
    limit = PageLimit(FULL)

    async def flood(_query: TaskQuery) -> Page[Task]:
        raise TooManyItems("too many")

    with pytest.raises(TooManyItems):
        finish(limit.fetch(TaskQuery(limit=FULL), flood))


SIZES = st.lists(st.sampled_from([0, 1, 4, 40, 200, CAP]), max_size=120)


@settings(max_examples=60)
@given(lists=st.lists(SIZES, min_size=1, max_size=4))
def test_whatever_fits_singly_is_walked_once_and_in_order_though_the_limit_changes(lists: list[list[int]]) -> None:
    limit = PageLimit(FULL)
    for sizes in lists:
        host = Host(sizes)
        assert walk(limit, host) == ids(len(sizes))
        assert all(1 <= asked <= FULL for asked in host.asked)


@few
@given(
    steps=st.lists(st.tuples(SIZES, st.booleans()), max_size=12),
    full=st.integers(1, FULL),
)
def test_no_call_makes_many_requests_and_after_small_pages_the_limit_is_full_again(
    steps: list[tuple[list[int], bool]], full: int
) -> None:
    limit = PageLimit(full)
    for sizes, honours in steps:
        host = Host(sizes, honours=honours)
        with suppress(ReplyTooLarge, TooManyItems):
            finish(limit.fetch(TaskQuery(limit=full), host.list_tasks))
        assert len(host.asked) <= full.bit_length() + 2
        assert 1 <= limit.value <= full
    for _ in range(GROW_AFTER * full.bit_length()):
        finish(limit.fetch(TaskQuery(limit=full), Host([1]).list_tasks))
    assert limit.value == full
