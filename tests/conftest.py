"""A store in a temporary folder, and the desk over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.config import Hosts, Profile, TagLabel
from frontdesk.contract.ids import AgentId, TagId
from frontdesk.desk.desk import Desk
from frontdesk.store.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with Store(folder) as opened:
        yield opened


@pytest.fixture
def desk(store: Store) -> Desk:
    url = "http://127.0.0.1:9"
    profile = Profile(
        "test",
        Hosts(url, url, url, url, url),
        agent_id=AgentId("me"),
        agents={AgentId("me"): "Me", AgentId("noa"): "Noa"},
        tags=(TagLabel(TagId("vip"), "VIP", "gold"),),
    )
    return Desk(store, profile)
