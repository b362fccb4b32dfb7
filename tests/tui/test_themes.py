"""What a terminal can show: contrast of the themes, ASCII alone, no colour at all, and the look that is kept."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from unittest.mock import Mock

import pytest
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.theme import BUILTIN_THEMES, Theme

from config_file import ConfigFile, config_file
from frontdesk.app.screens import SCREENS
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import TEXTUAL_THEMES, THEME_NAMES, Profile, Settings, load_config
from frontdesk.inbox.store import threads
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tui.context import AppContext
from frontdesk.tui.theme_dialog import ThemeDialog
from frontdesk.tui.themes import (
    DARK,
    LIGHT,
    READABLE,
    SEEN,
    TERMINAL,
    THEMES,
    apply_theme,
    find_theme,
    first_theme,
)
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.content import ROLE_STYLES
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Role
from frontdesk_lines.privacy import is_private
from frontdesk_lines.textual_compat.line_filters import plain
from sample_json import raw_message, raw_task
from services import Services
from tui.hosts import quiet, text_of, until, wire
from tui.screen_text import use_truecolor

__all__ = ["config_file", "wire"]

NOW = 1_700_000_000.0
CONFIG = '# mine\n[settings]\ntheme = "dark"  # calm\n\n[settings.keymap]\n"task.status" = "B"\n'
DIALOGS = ("s", "d", "t", "a", "e", "i", "question_mark", "colon")


@asynccontextmanager
async def opened(store: Store, settings: Settings) -> AsyncIterator[tuple[FrontdeskApp, Pilot[None]]]:
    """The app over two conversations, a task of each is late."""
    raws = [
        raw_task(
            number, dueDate=NOW - 90_000, customer={"customerName": f"Dana {number}", "lastActiveAt": NOW * 1000}
        )
        for number in (1, 2)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    messages = [
        raw_message(number, createdAt=(NOW - number) * 1000, messageDirection=way, status=status)
        for number, (way, status) in enumerate([("incoming", ""), ("outgoing", "failed"), ("outgoing", "read")])
    ]
    page = {"start": None, "has_more": True, "now": NOW}
    store.write(lambda db: threads.put_page(db, "L1#C1", messages, **page)).result()
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("me"))
    services = Services(store, profile, settings, clock=lambda: NOW)
    app = FrontdeskApp(
        AppContext(
            services.store,
            services.outbox,
            glyphs(settings.ascii),
            UTC,
            lambda: NOW,
            keymap=KEYMAP.with_overrides({}),
        )
    )
    use_truecolor(app)
    async with app.run_test(size=(140, 36), notifications=True) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.is_mounted)
        await quiet(app)
        yield app, pilot


@pytest.mark.anyio
async def test_a_start_parses_styles_once_and_another_theme_styles_all_screens(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    reparsed = Mock(side_effect=Stylesheet.reparse)
    monkeypatch.setattr(Stylesheet, "reparse", lambda sheet: reparsed(sheet))
    async with opened(store, Settings()) as (app, pilot):
        assert not reparsed.called
        await pilot.press("2")
        await quiet(app)
        apply_theme(app, LIGHT.name)
        for key in ("3", "2", "1"):
            await pilot.press(key)
            await quiet(app)
            assert app.screen.styles.background == Color.parse(str(LIGHT.background))


async def everything(app: FrontdeskApp, pilot: Pilot[None]) -> list[tuple[str, str]]:
    """All screens and dialogs, as text."""
    seen: list[tuple[str, str]] = []
    for key in ("j", "c", "space", *DIALOGS):
        await pilot.press(key)
        await quiet(app)
        seen.append((f"after {key}", "\n".join(text_of(app))))
        if key in DIALOGS:
            await pilot.press("escape")
            await quiet(app)
    for number in range(1, len(SCREENS) + 1):
        await pilot.press(str(number))
        await quiet(app)
        seen.append((f"screen {number}", "\n".join(text_of(app))))
    return seen


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("role", Role)
def test_every_role_can_be_read_on_every_background(theme: Theme, role: Role) -> None:
    named = re.findall(r"\$([\w-]+)", ROLE_STYLES[role])
    inks = [theme.variables[name] for name in named] or [
        str(theme.foreground),
        theme.variables["block-cursor-foreground"],
    ]
    papers = [
        str(theme.background),
        str(theme.panel),
        theme.variables["block-cursor-background"],
        theme.variables["block-cursor-blurred-background"],
    ]
    for ink in inks:
        for paper in papers:
            assert contrast(ink, paper) >= READABLE, f"{ink} on {paper}"


def test_contrast_is_counted_as_it_is_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def contrast(ink: str, paper: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(ink), _luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in Color.parse(colour).rgb]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_sign_of_ours_has_a_plain_one_as_wide() -> None:
    for text in ("│ ─ ╭╮╰╯ ┏━┓┃ ▐▌", "… · → ← ↑ ↓ – − “quoted”", "● ○ ◐ ✓ ✗ ▲ ◷ ⇅ ↳ ▤", "🔎 ☃", "▁▂▃▄▅▆▇█░"):
        assert plain(text).isascii()
        assert len(plain(text)) == len(text) + text.count("🔎")


@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_sign_of_a_mark_is_no_other_sign_of_a_row(ascii_only: bool) -> None:
    signs = glyphs(ascii_only)
    others = [signs.unread, signs.waiting, signs.pending, signs.sent, signs.failed, signs.attachment, signs.tag]
    assert signs.mark not in {*others, *signs.statuses, signs.on, signs.off, signs.current, signs.warning}
    assert plain(glyphs(False).mark) == glyphs(True).mark


def test_letters_of_all_scripts_stay() -> None:
    assert plain("שלום · café → 日本") == "שלום - café > 日本"
    assert plain("¿Dónde? ¡Hola! 20 € ½") == "?Dónde? !Hola! 20 € ½"
    assert plain("ג׳ורג׳, صباح الخير، متى؟ 【日】，好。") == "ג'ורג', صباح الخير, متى? ( 日) , 好. "


@pytest.mark.anyio
@pytest.mark.slow
async def test_with_ascii_every_screen_and_dialog_is_ascii(store: Store) -> None:
    async with opened(store, Settings(ascii=True)) as (app, pilot):
        for name, text in await everything(app, pilot):
            assert not {char for char in text if not char.isascii()}, name


@pytest.mark.slow
@pytest.mark.anyio
async def test_with_no_color_no_colour_is_sent_and_states_are_told_apart(
    store: Store, wire: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(store, Settings()) as (app, pilot):
        await pilot.press("space", "k")  # a mark steps on; the thread that failed is the first one's
        await until(lambda: "✗" in "\n".join(text_of(app)))  # the thread comes after the list
        await quiet(app)
        listed = "\n".join(text_of(app))
        await pilot.press("escape", "c")  # about marks a plan would ask
        await until(lambda: "⇅" in "\n".join(text_of(app)))
        for key in ("d", "escape", "2", "6"):
            await pilot.press(key)
            await quiet(app)
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", "".join(wire)) for code in found.split(";")}
    assert codes <= {"", "0", "1", "2", "3", "4", "7", "9", "22", "23", "24", "27", "29", "39", "49"}
    assert {"1", "2"} <= codes, "bold and dim are left"
    assert "▌" in listed, "where the cursor is"
    assert re.search(r"\x1b\[[0-9;]*7m *Conversations", "".join(wire)), "where the focus is"
    assert "✓" in listed, "what is marked"
    assert "!" in listed, "what is late"
    assert "✗" in listed, "what failed"


@pytest.mark.anyio
async def test_a_theme_is_shown_while_it_is_looked_for_and_saved_with_enter(
    store: Store, config_file: ConfigFile
) -> None:
    config_file.write(CONFIG)
    async with opened(store, Settings()) as (app, pilot):
        shown = []
        app.theme_changed_signal.subscribe(app, lambda theme: shown.append(theme.name))
        await pilot.press("T")
        await quiet(app)
        assert (app.theme, shown) == (DARK.name, []), "it opens at the present one"
        await pilot.press("down")
        await until(lambda: app.theme == LIGHT.name)
        await pilot.press("escape")
        await until(lambda: app.theme == DARK.name)
        assert config_file.read() == CONFIG
        await pilot.press("T")
        await until(lambda: isinstance(app.screen, ThemeDialog))
        await pilot.press(*"nord")
        await until(lambda: app.theme == "nord")
        await pilot.press("enter")
        await until(lambda: app.app_context.store.settings.theme == "nord")
    assert config_file.read() == CONFIG.replace('"dark"', '"nord"')
    assert load_config().settings.theme == "nord"


@pytest.mark.anyio
async def test_a_theme_that_cant_be_saved_stays_until_the_end(store: Store, config_file: ConfigFile) -> None:
    config_file.write("no = [toml")
    async with opened(store, Settings()) as (app, pilot):
        await pilot.press("T", "down", "enter")
        await until(lambda: "couldn't be saved" in " ".join(text_of(app)))
        assert app.theme == LIGHT.name
    assert config_file.read() == "no = [toml"


@pytest.mark.parametrize(
    ("colours", "theme"), [("standard", TERMINAL), ("256", DARK), ("truecolor", DARK), (None, DARK)]
)
def test_a_terminal_of_16_colours_starts_with_its_own(colours: str | None, theme: Theme) -> None:
    """The nearest of the 16 to ours leave the cursor's row without a background."""
    assert first_theme("dark", colours) == theme.name


def test_the_names_are_those_of_textual() -> None:
    assert set(TEXTUAL_THEMES) == {name for name, theme in BUILTIN_THEMES.items() if not theme.ansi}
    assert {*TEXTUAL_THEMES, *(theme.name for theme in THEMES)} == set(THEME_NAMES)


@pytest.mark.parametrize("name", TEXTUAL_THEMES)
def test_the_cursors_row_is_seen_in_textuals_themes(name: str) -> None:
    theme = find_theme(name)
    assert contrast(theme.variables["block-cursor-background"], str(theme.background)) >= SEEN
    assert contrast(str(theme.foreground), theme.variables["input-selection-background"]) >= READABLE


@pytest.mark.anyio
async def test_a_picture_of_the_screen_is_saved_unless_names_are_hidden(store: Store) -> None:
    async with opened(store, Settings()) as (app, pilot):
        await pilot.press("ctrl+y")
        await until(lambda: "Saved " in " ".join(text_of(app)))
        (picture,) = (store.folder / "exports").iterdir()
        assert picture.suffix == ".svg"
        assert "Dana" in picture.read_text()
        assert picture.stat().st_mode & 0o777 == 0o600
        await pilot.press("H")
        await until(is_private)
        await pilot.press("ctrl+y")
        await until(lambda: "No picture was saved" in " ".join(text_of(app)))
    assert [*(store.folder / "exports").iterdir()] == [picture]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
