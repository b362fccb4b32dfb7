"""A config.toml that is changed while the screens run: what applies at once, and what a broken file does."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from config_file import ConfigFile, config_file
from frontdesk.accounts.config_edits import follow_config
from frontdesk.campaigns.alert_rules import rules
from frontdesk.config.settings import AlertSetting, ConfigWatch, Settings, config_path
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine import main as engine_main
from frontdesk.engine.main import _changed_rules
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tui.keymap import KeymapError
from frontdesk.tui.overlays import Welcome
from frontdesk_api.contract.ids import StatusId
from kit import At, running
from tui.hosts import until

__all__ = ["config_file"]

CONFIG = '[settings]\ntheme = "nord"\nbell = true\n\n[settings.keymap]\n"task.status" = "B"\n'


@asynccontextmanager
async def following(store: Store) -> AsyncIterator[At]:
    async with running(store, settings=Settings(), keymap=KEYMAP.with_overrides({}), size=(140, 36)) as at:
        yield at


@pytest.mark.anyio
async def test_theme_keys_bell_and_hints_apply_at_once(store: Store, config_file: ConfigFile) -> None:
    async with following(store) as at:
        config_file.write(CONFIG)
        await until(lambda: "Applied from config.toml: theme, bell, keymap." in shown(at))
        assert at.app.theme == "nord"
        assert at.app.app_context.store.settings.bell
        await at.press("B")
        await at.sees("Status")
        await at.press("escape")
        config_file.write('[settings]\ntheme = "nord"\n')
        follow_config(at.app, at.app.app_context, lambda: at.app.base_screens, at.app.refresh_times)
        await until(lambda: not at.app.app_context.store.settings.bell)
        await at.press("s")
        await at.sees("Status")
        await at.press("escape")
        await at.app.screen.mount(Welcome(()))
        config_file.write("[settings]\nhints = false\n")
        follow_config(at.app, at.app.app_context, lambda: at.app.base_screens, at.app.refresh_times)
        await until(lambda: not at.app.screen.query(Welcome))


MACRO = '[[macros]]\nname = "Finish"\nkey = "{}"\ndo = ["status {}"]\n'


@pytest.mark.anyio
async def test_macros_that_are_written_changed_and_removed_have_their_keys_at_once(
    store: Store, config_file: ConfigFile
) -> None:
    async with following(store) as at:

        def are_open() -> int:
            return task_store.counts_by_status(store.reading).get(StatusId("open"), 0)

        config_file.write(MACRO.format("B", "completed"))
        await until(lambda: "macro.1" in at.app.app_context.keymap.actions_of("B"))
        await at.press("B")
        await until(lambda: are_open() == 1)
        await at.press("u")
        await until(lambda: are_open() == 2)
        config_file.write(MACRO.format("f5", "completed") + MACRO.format("f6", "banana").replace("Finish", "Peel"))
        await at.says("no status named banana")
        await at.press("B")
        await at.press("f5")
        await until(lambda: are_open() == 1)
        config_file.write("[settings\n")
        await at.says("fix it.")
        assert at.app.app_context.keymap.actions_of("f5")
        config_file.write("")
        await until(lambda: not at.app.app_context.keymap.actions_of("f5"))


UNUSABLE = [
    ('[settings]\ntheme = "pink"\n', "config.toml, line 2: settings.theme: expected one of"),
    ("[settings\n", "config.toml: not valid TOML"),
    (
        '[settings]\nbell = true\n\n[settings.keymap]\n"task.status" = "j"\n',
        "settings.keymap.task.status: j is assigned",
    ),
    ('[settings]\nbell = true\n\n[[settings.alerts]]\nwhen = "soon"\n', "settings.alerts[0].when"),
]


@pytest.mark.anyio
async def test_a_file_that_cant_be_used_changes_nothing_and_says_why(
    store: Store, config_file: ConfigFile
) -> None:
    async with following(store) as at:
        for text, why in UNUSABLE:
            config_file.write(text)
            follow_config(at.app, at.app.app_context, lambda: at.app.base_screens, at.app.refresh_times)
            await until(lambda why=why: why[:30] in shown(at))
            assert "fix it." in shown(at), why
            assert at.app.app_context.store.settings == Settings(), why
            assert at.app.app_context.key("task.status") == "s", why
            at.app.clear_notifications()


def test_the_declared_keys_return_when_theirs_are_removed() -> None:
    keymap = KEYMAP.with_overrides({})
    keymap.override({"task.status": "B"})
    assert keymap["task.status"].keys == ("B",)
    with pytest.raises(KeymapError):
        keymap.override({"task.status": "j"})
    assert keymap.actions_of("B") == {"task.status"}
    keymap.override({})
    assert keymap["task.status"].keys == KEYMAP["task.status"].keys
    assert keymap.textual_keymap() == {}


def test_a_file_is_seen_when_it_is_made_or_changed_and_not_when_it_goes(config_file: ConfigFile) -> None:
    watch = ConfigWatch()
    assert not watch.has_changed()
    config_file.write("")
    assert watch.has_changed()
    assert not watch.has_changed()
    config_file.write(CONFIG)
    assert watch.has_changed()
    os.chmod(config_path(), 0o640)  # it may be what was wrong
    assert watch.has_changed()
    os.remove(config_path())
    assert not watch.has_changed()


def test_an_engine_uses_the_alerts_of_a_changed_config_that_can_be_used(config_file: ConfigFile) -> None:
    changed_rules = partial(_changed_rules, ConfigWatch())
    assert changed_rules() is None
    config_file.write('[[settings.alerts]]\nwhen = "failed > 7%"\n')
    assert changed_rules() == rules([AlertSetting("failed > 7%")])
    assert changed_rules() is None
    config_file.write('[[settings.alerts]]\nwhen = "soon"\n')
    assert changed_rules() is None


@pytest.mark.anyio
async def test_an_engine_that_signs_in_again_keeps_the_alerts_that_were_changed(
    store: Store, config_file: ConfigFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Begun(Exception):
        """Raised with the rules that an engine begins with."""

    def begin(_store: object, found: object, *_: object, **__: object) -> None:
        raise Begun(found)

    monkeypatch.setattr(engine_main, "AlertMonitor", begin)
    started_with = Settings(alerts=(AlertSetting("failed > 5%"),))
    for text, wanted in (
        ('[[settings.alerts]]\nwhen = "failed > 7%"\n', AlertSetting("failed > 7%")),
        ("[settings\n", *started_with.alerts),
    ):
        config_file.write(text)
        with pytest.raises(Begun) as begun:
            await engine_main.lead(demo_profile("http://127.0.0.1:9"), started_with, store, asyncio.Event())
        assert begun.value.args == (rules([wanted]),)


def shown(at: At) -> str:
    """The words on the screen, also those that are broken into lines."""
    return " ".join(at.text.replace("▌", " ").replace("│", " ").split())


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
