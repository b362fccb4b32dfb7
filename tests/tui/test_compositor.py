"""A key costs what it changes: who is asked for lines, and what of the store is read."""

import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.accounts.account_dialog import AccountDialog
from frontdesk.accounts.account_form import OTHER_ADDRESSES, AccountForm
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk_lines.display_text import trusted
from frontdesk_lines.textual_compat import narrow_screen
from frontdesk_lines.textual_compat.narrow_screen import NarrowCompositor, PacedDialog
from frontdesk_lines.widgets.line_view import LineView
from kit import running
from sample_json import raw_task
from tui.hosts import quiet, text_of, until
from tui.screen_text import is_painted

pytestmark = pytest.mark.anyio

ROW_HEIGHT = 2


async def test_a_move_of_the_cursor_asks_its_list_for_two_rows_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Widget, int]] = []
    others: list[str] = []
    render = StylesCache.render_widget

    def counting(cache: StylesCache, widget: Widget, crop: Region) -> list[Strip]:
        asked.append((widget, crop.height))
        return render(cache, widget, crop)

    async with running(store, *map(raw_task, range(20))) as at:
        rows = at.inbox.list.rows
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)
        await quiet(at.app)
        compositor = at.inbox._compositor
        compositor._dirty_regions.clear()
        rows._exchange_repaint_regions()
        monkeypatch.setattr(FrontdeskApp, "is_headless", False)  # the frame is looked at
        monkeypatch.setattr(StylesCache, "render_widget", counting)
        monkeypatch.setattr(rows._drawn, "_draw", lambda *_: others.append("a row") or ())
        # In one go, so that nothing else on the screen can be painted between.
        rows.action_cursor_down()
        compositor.update_widgets({rows})
        compositor.render_update()
        assert rows.cursor_index == 1
        assert asked == [(rows, 2 * ROW_HEIGHT)]
        assert others == []


@pytest.mark.parametrize("comes_fast", [False, True])
async def test_a_move_is_sent_before_what_follows_it_but_keys_that_come_fast_share_a_frame(
    store: Store, monkeypatch: pytest.MonkeyPatch, comes_fast: bool
) -> None:
    """It waited for the queues of three widgets, and for the next tick after the frame before."""
    waiting: list[bool] = []
    display = FrontdeskApp._display

    async with running(store, *map(raw_task, range(20))) as at:
        rows = at.inbox.list.rows
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)
        await quiet(at.app)

        def displayed(app: FrontdeskApp, screen: Screen[object], renderable: object) -> None:
            if renderable is not None:
                waiting.append(rows.message_queue_size > 0)
            display(app, screen, renderable)

        monkeypatch.setattr(FrontdeskApp, "_display", displayed)
        monkeypatch.setattr(narrow_screen, "UPDATE_PERIOD", 60.0 if comes_fast else 0.0)
        at.inbox._painted_at = time.monotonic()
        await at.press("j")
        await until(lambda: waiting)
        assert rows.cursor_index == 1
        assert waiting[0] is not comes_fast


async def test_a_key_is_looked_up_in_what_textual_would_look_in(store: Store) -> None:
    async with running(store, *map(raw_task, range(3))) as at:
        for screen in ("1", "2", "3"):
            await at.press(screen)
            await quiet(at.app)
            shown = at.app.screen
            textual = Screen._binding_chain.fget(shown)  # type: ignore[attr-defined]
            ours = shown._binding_chain
            assert isinstance(shown.focused, LineView)
            assert [(node, each.key_to_bindings) for node, each in ours] == [
                (node, each.key_to_bindings) for node, each in textual
            ]


async def test_what_is_composed_narrowly_is_what_textual_composes(store: Store) -> None:
    async with running(store, *map(raw_task, range(20))) as at:
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)
        await quiet(at.app)
        compositor = at.inbox._compositor
        assert isinstance(compositor, NarrowCompositor)
        narrow, chance, (width, height) = compositor._get_renders, random.Random(7), at.app.size
        for _ in range(60):
            x, y = chance.randrange(width), chance.randrange(height)
            region = Region(x, y, chance.randint(1, width - x), chance.randint(1, min(6, height - y)))
            found = cells(compositor, region, narrow)
            assert len(found) == region.area
            assert found == cells(compositor, region, lambda crop: Compositor._get_renders(compositor, crop))


async def test_a_dialog_that_opens_is_composed_in_ticks_and_once_in_each(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = [0]
    composed_in: list[int] = []
    tick, compose = PacedDialog._on_timer_update, Compositor.render_update

    def ticking(screen: PacedDialog[object]) -> None:
        ticks.append(ticks[-1] + 1)
        tick(screen)

    def composing(compositor: Compositor, *args: Any, **options: Any) -> object:
        composed_in.append(ticks[-1])
        return compose(compositor, *args, **options)

    async with running(store, raw_task(1)) as at:
        await quiet(at.app)
        monkeypatch.setattr(PacedDialog, "_on_timer_update", ticking)
        monkeypatch.setattr(Compositor, "render_update", composing)
        dialog = ConfirmDialog(trusted("Discard"), trusted("Really?"), yes=trusted("Discard"))
        at.app.push_screen(dialog)
        await until(lambda: "Really?" in "\n".join(text_of(at.app)))
        await quiet(at.app)
        assert composed_in
        assert 0 not in composed_in, "a frame before the first layout of what is in it"
        assert len(composed_in) == len(set(composed_in)), "layout and repaint were composed each"


async def test_a_dialog_rests_once_what_has_changed_is_out_of_sight(store: Store) -> None:
    async with running(store, raw_task(1)) as at:
        await quiet(at.app)
        dialog = AccountDialog(AccountForm(), lambda *_: None, is_default=True)
        at.app.push_screen(dialog)
        await until(lambda: "Save and open" in "\n".join(text_of(at.app)))
        await quiet(at.app)
        hidden = dialog.query_one(f"#row-{OTHER_ADDRESSES[0]} Input")
        hidden.refresh()
        await quiet(at.app)
        assert is_painted(at.app)


Renders = Callable[[Region | None], Iterable[tuple[Region, Region, list[Strip]]]]


def cells(compositor: Compositor, region: Region, renders: Renders) -> dict[tuple[int, int], tuple[str, object]]:
    """What an update of this region puts into each of its cells."""
    compositor._get_renders = renders  # type: ignore[method-assign]
    chops = compositor._render_chops(region, lambda y: region.y <= y < region.bottom)
    found: dict[tuple[int, int], tuple[str, object]] = {}
    for y in region.line_range:
        for start, strip in chops[y].items():
            if strip is not None:
                letters = [(letter, style) for text, style, _ in strip for letter in text]
                found |= {(start + at, y): cell for at, cell in enumerate(letters)}
    return {place: cell for place, cell in found.items() if region.contains(*place)}
