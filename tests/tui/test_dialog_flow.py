"""What a dialog flow finds of a draft that was left before."""

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frontdesk.config.settings import Profile
from frontdesk.storage.database import Store
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.keymap import NAVIGATION, Keymap
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs
from services import Services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with Store(tmp_path) as store:
        yield Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)))


def flow(services: Services) -> DialogFlow:
    app_context = AppContext(services.store, services.outbox, glyphs(False), UTC, lambda: 0.0, Keymap(NAVIGATION))
    screen: Any = SimpleNamespace(app_context=app_context, unfinished_actions={})
    return DialogFlow(screen, "create", "w1")


def test_a_draft_is_found_for_its_target(services: Services) -> None:
    services.outbox.save_view_state("action: create", {"about": "w1", "name": "Welcome"})
    services.store.flush().result()
    assert flow(services).draft == {"name": "Welcome"}


def test_a_draft_for_another_target_is_left_alone(services: Services) -> None:
    services.outbox.save_view_state("action: create", {"about": "w2", "name": "Welcome"})
    services.store.flush().result()
    assert flow(services).draft == {}
