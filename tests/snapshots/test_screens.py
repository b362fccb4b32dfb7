"""The screens, some dialogs and states as pictures, which `pytest --snapshot-update` makes anew."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from textual.pilot import Pilot

from frontdesk.config.settings import Settings
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tui.themes import LIGHT, TERMINAL
from snapshots.desk import NOW, profile_store
from snapshots.settled_app import WAIT, SettledApp, make_app, press_keys

Compare = Callable[..., bool]

SMALL, LARGE = (80, 24), (140, 40)
SCREENS: dict[str, Sequence[str]] = {
    "inbox": "jjj",
    "board": "2",
    "campaigns": "3g",
    "workflows": ["4", "G", "enter", *"jjjj"],
    "ai-agents": "5",
    "activity": [*["space"] * 3, "s", "2", "y", WAIT, "6", "enter"],
    "overview": "7l",
    "numbers": ["7", "tab", "tab", *"jj"],
}
DIALOGS: dict[str, Sequence[str]] = {
    "help": ["question_mark"],
    "status": "s",
    "due": "dfri",
    "assign": ["a", "down", "tab"],
    "bulk-plan": [*["space"] * 5, "s", "2"],
    "campaign-whole-run": ["3", "g", "enter"],
    "campaign-results": "3GE",
    "campaigns-compared": ["3", "g", "equals_sign", *(["h"] * 9)],
    "campaign-wizard": "3c",
}


def after(keys: Sequence[str]) -> Callable[[Pilot[None]], Awaitable[None]]:
    """What comes before the picture: these keys, and all that follows from them."""

    async def press(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, SettledApp)
        await press_keys(pilot.app, pilot, keys)

    return press


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x40"])
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(screen: str, size: tuple[int, int], desk_store: Store, snap_compare: Compare) -> None:
    app = make_app(profile_store(desk_store))
    assert snap_compare(app, terminal_size=size, run_before=after(SCREENS[screen]))


@pytest.mark.parametrize("dialog", DIALOGS)
def test_dialog(dialog: str, desk_store: Store, snap_compare: Compare) -> None:
    assert snap_compare(make_app(profile_store(desk_store)), run_before=after(DIALOGS[dialog]))


def test_light(desk_store: Store, snap_compare: Compare) -> None:
    app = make_app(profile_store(desk_store, Settings(theme=LIGHT.name)))
    assert snap_compare(app, terminal_size=LARGE, run_before=after("j"))


def test_theme_of_the_terminal(desk_store: Store, snap_compare: Compare) -> None:
    app = make_app(profile_store(desk_store, Settings(theme=TERMINAL.name)))
    assert snap_compare(app, run_before=after("j"))


def test_no_color(desk_store: Store, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(make_app(profile_store(desk_store)), run_before=after("j"))


def test_ascii(desk_store: Store, snap_compare: Compare) -> None:
    app = make_app(profile_store(desk_store, Settings(ascii=True, emoji="text")))
    assert snap_compare(app, terminal_size=LARGE, run_before=after("j"))


def test_empty_desk(empty_store: Store, snap_compare: Compare) -> None:
    report_health(empty_store, Health(Connection.STARTING, "", fresh_at=None, heard_at=NOW))
    assert snap_compare(make_app(profile_store(empty_store)), run_before=after(""))


def test_credentials_are_refused(empty_store: Store, snap_compare: Compare) -> None:
    reason = "The platform answered 401."
    report_health(empty_store, Health(Connection.REFUSED, reason, fresh_at=None, heard_at=NOW))
    assert snap_compare(make_app(profile_store(empty_store)), run_before=after(""))


def test_offline(desk_store: Store, snap_compare: Compare) -> None:
    reason = "Connection refused."
    report_health(desk_store, Health(Connection.OFFLINE, reason, fresh_at=NOW - 1500, heard_at=NOW))
    assert snap_compare(make_app(profile_store(desk_store)), run_before=after(""))


def report_health(store: Store, health: Health) -> None:
    store.write(lambda db: clients.write_health(db, health)).result()
