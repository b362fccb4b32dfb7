"""The command palette: the keymap's own words, only what is live, and running one."""

from typing import ClassVar

import pytest
from textual.app import App
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit

from frontdesk.tui.keymap import DEFAULT, bindings_for
from frontdesk.tui.widgets.palette import KeymapCommands
from tui.widgets.hosts import until

pytestmark = pytest.mark.anyio


class Desk(App[None]):
    COMMANDS: ClassVar = {KeymapCommands}
    BINDINGS: ClassVar = [*bindings_for("app"), *bindings_for("campaigns")]

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def action_watch(self) -> None:
        self.done.append("watch")


async def hits(app: App[None], query: str) -> list[Hit | DiscoveryHit]:
    provider = KeymapCommands(app.screen)
    found = provider.search(query) if query else provider.discover()
    return [hit async for hit in found]


async def test_it_lists_what_is_live_in_the_words_of_the_table() -> None:
    app = Desk()
    async with app.run_test():
        words = {hit.text for hit in await hits(app, "")}
        assert DEFAULT["campaign.watch"].help in words
        assert DEFAULT["task.assign"].help not in words
        best = max(await hits(app, "watch"))
        assert best.text == DEFAULT["campaign.watch"].help


async def test_choosing_one_runs_its_action() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("colon")
        await until(lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"watch a camp")
        await until(lambda: app.screen.query_one(CommandList).option_count == 1)
        await pilot.press("enter")
        await until(lambda: app.done == ["watch"])
