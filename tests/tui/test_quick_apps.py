"""What tests wait for after a key, and what the apps of tests don't draw."""

import pytest
from textual.events import Key
from textual.widgets import Static

import quick_apps
from tui.hosts import Host
from tui.screen_text import top_lines

pytestmark = pytest.mark.anyio


class Chain(Static, can_focus=True):
    """Counts down from a key on: a message later, after it was drawn, and on another widget."""

    left = 0

    def on_key(self, event: Key) -> None:
        self.left = 9
        self.count_down()

    def count_down(self) -> None:
        self.left -= 1
        self.update(f"{self.left} left")
        if self.left:
            (self.call_later, self.call_after_refresh, self.app.call_later)[self.left % 3](self.count_down)


async def test_a_key_is_waited_for_until_all_that_it_began_is_drawn() -> None:
    app = Host(Chain())
    async with app.run_test() as pilot:
        await pilot.press("x")
        assert top_lines(app)[0].rstrip() == "0 left"


async def test_an_app_that_never_rests_fails_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Host(Static()).run_test() as pilot:
        monkeypatch.setattr(quick_apps, "has_work", lambda _: True)
        with pytest.raises(AssertionError, match="the app doesn't rest"):
            await quick_apps.rest(pilot.app, 0.05)


class Broken(Static, can_focus=True):
    def on_key(self) -> None:
        raise ValueError("broken")


async def test_an_app_that_broke_is_not_waited_for() -> None:
    with pytest.raises(ValueError, match="broken"):
        async with Host(Broken()).run_test() as pilot:
            await pilot.press("x")
