"""The AI agents screen over a store without an engine: filtered, sorted, read in full, kept in place."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

import kit
from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.tui import AiAgentsScreen
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_sandbox.seeding.seed import make_ai_agents
from tui.hosts import until

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
SEEDED = make_ai_agents(int(NOW * 1000))


class At(kit.At):
    """A running app with the AI agents screen on top."""

    @property
    def screen(self) -> AiAgentsScreen:
        screen = self.app.current_screen
        assert isinstance(screen, AiAgentsScreen)
        return screen

    @property
    def listed(self) -> list[str]:
        return list(self.screen.list.rows.keys)


def put(store: Store, raws: list[dict[str, Any]], now: float = NOW - 60, lacks: str = "") -> None:
    store.write(lambda db: agent_store.put(db, raws, now, lacks=lacks)).result()


def opened(store: Store, size: tuple[int, int] = (140, 40)) -> AbstractAsyncContextManager[At]:
    return kit.running(store, fills=False, screen="5", size=size, wraps=At)


async def test_all_are_listed_with_what_they_used_and_one_is_told_in_full(store: Store) -> None:
    put(store, SEEDED[:3])
    async with opened(store) as at:
        await at.sees("AI agents · 3", "by name", "Returns assistant (English)", "56,129 tokens")
        await at.press("G")
        assert at.screen.list.rows.cursor_key == "ai-02"
        await at.sees("An AI agent is not a person", "tokens used", "open_return")
        await at.press("enter", "G")
        await at.sees("manual-1.pdf")


@pytest.mark.slow
async def test_filtered_by_a_tool_and_sorted_by_tokens_across_a_restart(store: Store) -> None:
    put(store, SEEDED)
    async with opened(store) as at:
        await at.press("/")
        await at.types("return english")
        await at.press("enter")
        await until(lambda: at.listed == ["ai-02"])
        await at.press("escape")
        await until(lambda: len(at.listed) == len(SEEDED))
        await at.press("S")
        assert at.listed[0] == SEEDED[-1]["id"]
        await at.press("g", "j")
        await until(lambda: at.screen.list.rows.cursor_key == SEEDED[-2]["id"])
        at.screen.save_view_state()
        at.screen.app_context.store.flush().result()
    async with opened(store) as at:
        assert at.listed[0] == SEEDED[-1]["id"]
        assert at.screen.list.rows.cursor_key == SEEDED[-2]["id"]


async def test_a_narrow_screen_shows_the_list_and_enter_the_detail(store: Store) -> None:
    put(store, SEEDED[:3])
    async with opened(store, (80, 24)) as at:
        await at.sees("Assembly guide (English)")
        assert "An AI agent is not a person" not in at.text
        await at.press("enter")
        await at.sees("An AI agent is not a person")
        dialog = await at.opens(RecordDialog, "enter")
        here = at.screen.list.rows.cursor_key
        put(store, [each for each in SEEDED[:3] if each["id"] != here])
        await until(lambda: len(agent_store.listing(at.screen.app_context.store.reading).records) == 2)
        at.screen.list.read_again()
        assert at.screen.list.rows.cursor_key != here
        assert dialog._draw is not None
        told = [kit.plain(line).rstrip() for line in dialog._draw(60)]
        assert here in told
        await at.press("escape", "escape")
        await until(lambda: at.screen.has_class("-at-agents"))


async def test_what_comes_while_one_reads_keeps_the_cursor_and_missing_files_say_why(store: Store) -> None:
    bare = [raw | {"vectorStore": {"id": "v"}} for raw in SEEDED[:5]]
    put(store, [])
    async with opened(store, (120, 30)) as at:
        await at.sees("The account has no AI agents.")
        await at.press("tab", "enter")  # there is none to read in full
        assert at.app.screen is at.screen
        await at.press("tab")
        put(store, bare, NOW - 30, lacks="the platform refused")
        await until(lambda: len(at.listed) == 5)
        await at.press("G")
        here = at.screen.list.rows.cursor_key
        await at.sees("not loaded: the platform refused")
        put(store, [SEEDED[6], *bare], NOW - 10)
        await until(lambda: len(at.listed) == 6)
        assert at.screen.list.rows.cursor_key == here
        assert at.screen.list.selected is not None
        assert at.screen.record_actions.raw() == ("AI agent", at.screen.list.selected.raw)
        assert at.screen.record_actions.copied_id() == here
