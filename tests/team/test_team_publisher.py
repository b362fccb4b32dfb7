"""What a leader publishes: of several values the last, each as long as the relay has another."""

import asyncio
from collections.abc import Sequence
from typing import cast

from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Observation
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.team.publisher import Publisher


class Relay:
    """Has what was published last."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], str] = {}

    async def lacking(self, items: Sequence[Observation]) -> list[Observation]:
        return [each for each in items if self.rows.get((each.kind, each.id)) != each.digest]

    async def observe(self, token: int, items: Sequence[Observation]) -> int:
        assert token == 1
        for each in items:
            opposite = {"task": "gone", "gone": "task"}[each.kind]
            self.rows.pop((opposite, each.id), None)
            self.rows[each.kind, each.id] = each.digest
        return len(self.rows)


def task(title: str, kind: ObservedKind = ObservedKind.TASK) -> Observed:
    return Observed(kind, "t-1", "l1", 1.0, {"title": title})


def publish(publisher: Publisher, relay: Relay) -> None:
    while publisher.is_waiting:
        asyncio.run(publisher.publish(cast(RelayClient, relay), 1))


def digests(*observed: Observed) -> list[str]:
    """Return what the relay has after each of these was published alone."""
    found = []
    for each in observed:
        relay, publisher = Relay(), Publisher(lambda: None)
        publisher.begin({"*"})
        publisher.observe([each], 0.0)
        publish(publisher, relay)
        found += relay.rows.values()
    return found


def test_of_several_values_of_one_thing_the_last_is_published() -> None:
    relay, publisher = Relay(), Publisher(lambda: None)
    publisher.begin({"*"})
    publisher.observe([task("old")], 0.0)
    publisher.observe([task("new")], 0.0)
    publish(publisher, relay)
    assert [*relay.rows.values()] == digests(task("new"))


def test_a_task_that_comes_back_as_it_was_is_published_again() -> None:
    relay, publisher = Relay(), Publisher(lambda: None)
    publisher.begin({"*"})
    for each in (task("same"), task("", ObservedKind.GONE), task("same"), task("", ObservedKind.GONE)):
        publisher.observe([each], 0.0)
        publish(publisher, relay)
        assert [*relay.rows] == [(each.kind, "t-1")]


def test_only_who_leads_publishes_and_only_of_its_lines() -> None:
    relay, publisher = Relay(), Publisher(lambda: None)
    publisher.observe([task("before it led")], 0.0)
    assert not publisher.is_waiting
    publisher.begin({"l2"})
    publisher.observe([task("of another line")], 0.0)
    assert not publisher.is_waiting
    publish(publisher, relay)
    assert relay.rows == {}
