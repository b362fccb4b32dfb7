"""How many tokens AI agents had used when: what moved is kept, and grows fewer."""

from typing import Any

from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.store import DAY, HOUR
from frontdesk.storage.database import Store


def put(store: Store, now: float, *tokens: object) -> None:
    raws: list[dict[str, Any]] = [{"id": f"a{number}", "tokensUsed": each} for number, each in enumerate(tokens)]
    store.write(lambda db: agent_store.put(db, raws, now, lacks="")).result()


def test_old_samples_of_tokens_grow_fewer_and_the_first_and_the_last_stay(store: Store) -> None:
    for step in range(200):
        put(store, 1000.0 + step * HOUR / 4, step)
    kept = [each.at for each in agent_store.samples(store.reading, "a0")]
    now = 1000.0 + 199 * HOUR / 4
    assert (kept[0], kept[-1]) == (1000.0, now)
    assert len([at for at in kept if at >= now - DAY]) == 4 * 24 + 1
    old = [at for at in kept[1:] if at < now - DAY]
    assert len({at // HOUR for at in old}) == len(old)


def test_what_is_no_number_of_tokens_is_no_sample(store: Store) -> None:
    put(store, 1.0, None, "many", True, 1e400, 5)
    put(store, 2.0, 3, {}, [], False, 5)
    assert [len(agent_store.samples(store.reading, f"a{number}")) for number in range(5)] == [1, 0, 0, 0, 1]
