"""`frontdesk` without a command: opens the inbox of a profile and starts its engine.

For a fast start nothing here may import typer, httpx or pydantic.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.accounts.profile_switcher import (
    CannotOpen,
    OpenProfile,
    ProfileSwitcher,
    StartTarget,
    keep_with_credentials,
    load_handlers,
)
from frontdesk.config import credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.extensions import NO_EXTENSIONS
from frontdesk.config.program_files import install_command
from frontdesk.config.settings import FOLLOWED
from frontdesk.config.time_zone import local_zone
from frontdesk.engine.supervisor import EngineProcess, EngineSupervisor
from frontdesk.inbox.filter_words import views
from frontdesk.outbox import queue
from frontdesk.outbox.changes import rebuild_overlay
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.registry.service_policies import load_policies, policy_warnings
from frontdesk.storage import recovery
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.database_files import OUTBOX_FILE, StoreUnusable
from frontdesk.storage.records import Health
from frontdesk_lines.display_text import SafeText, clean_stray_logs, set_terminal, show_line, trusted
from frontdesk_lines.terminal_abilities import NO_LETTERS, has_own_driver, terminal_abilities

if TYPE_CHECKING:
    from frontdesk.app.tui_app import FrontdeskApp
    from frontdesk.linear.app import LinearApp
    from frontdesk.tui.keymap import Keymap

REPORTED_DAMAGE = "told of"
"""The kind under which reported damaged files are kept, by name."""

MAX_OPENED = 5
"""How often a store may be opened again after damage."""

ENGINE_END_SECONDS = 8.0


MakeInterface = Callable[
    [OpenProfile, ProfileSwitcher, ProfileStore, OutboxCommands, Sequence[SafeText]],
    "FrontdeskApp | LinearApp",
]
"""Makes the screens or the linear mode over one store; the last argument holds the warnings to show first."""


def run_inbox(
    name: str | None = None,
    make_interface: MakeInterface | None = None,
    start_target: StartTarget | None = None,
) -> int:
    """Open the inbox of the named or default profile and return its exit status.

    Args:
        make_interface: replaces the screens.
        start_target: the record that they open at.

    Raises:
        NoProfileYet: there is none to open.
        NoProfile, ConfigError, SecretError: the profile can't be used.
    """
    loaded = config_settings.load_config()
    local_zone()
    try:
        profile = config_settings.resolve_profile(loaded, os.environ, name)
    except config_settings.NoProfile as error:
        if name is None and not loaded.profiles:
            raise config_settings.NoProfileYet(str(error)) from error
        raise
    environ = add_outside_credentials(profile, os.environ)
    credentials.load_credentials(profile, environ)
    named = None if profile.hosts_from_environment and name is None else profile.name
    folder = config_settings.data_dir(profile)
    engine = EngineProcess(folder, environ, named)
    return open_inbox(
        profile, loaded.settings, folder, engine, make_interface=make_interface, start_target=start_target
    )


def open_inbox(
    profile: config_settings.Profile,
    settings: config_settings.Settings,
    folder: Path,
    engine: EngineProcess,
    ended: Callable[[], None] | None = None,
    keep: Callable[[], None] | None = None,
    make_interface: MakeInterface | None = None,
    start_target: StartTarget | None = None,
) -> int:
    """Run the screens over a store and return the exit status, 1 after a crash.

    Args:
        ended: called after the screens are closed and the engine was asked to finish.
        keep: called from time to time instead of `engine.start`.
        make_interface: replaces the screens and needs no terminal.
        start_target: the record that the screens open at.
    """
    if make_interface is None:
        if status := _check_terminal():
            return status
        has_signs = terminal_abilities(os.environ).has_signs
        settings = replace(settings, ascii=settings.ascii or not has_signs)
        # End with the terminal, even when started with nohup.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    keep_all = keep_with_credentials(keep or engine.start, profile, engine.environment)
    switcher = ProfileSwitcher(OpenProfile(profile, folder, engine, keep_all), os.environ, start_target)
    try:
        return run_until_quit(switcher, settings, make_interface)
    finally:
        engine.stop()
        if ended is not None:
            ended()


def _check_terminal() -> int:
    if has_own_driver(os.environ):
        return 0
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        print(
            "frontdesk: the inbox needs a terminal; for commands that don't, run `frontdesk --help`",
            file=sys.stderr,
        )
        return 2
    if not sys.stderr.isatty():
        # Said on standard output, the only stream left that a person sees.
        print("frontdesk: the inbox draws on standard error (2>), which isn't a terminal; don't redirect it")
        return 2
    if os.environ.get("TERM", "") in ("", "dumb"):
        print("frontdesk: TERM is dumb or not set; the inbox needs a terminal with a cursor", file=sys.stderr)
        return 2
    return 0


def run_until_quit(
    switcher: ProfileSwitcher, settings: config_settings.Settings, make_interface: MakeInterface | None = None
) -> int:
    """Open one profile after the other as the person switches, and return the exit status.

    When one can't be opened, the one before is opened again and shows why.
    """
    clean_stray_logs()
    unsaved = recovery.UnsavedWork()
    current, previous = switcher.first, None
    warnings = emoji_warnings(settings)
    opened = 0
    try:
        make = make_interface or _screens_interface(settings)
        views(settings.views, current.profile)
        if settings.alerts:
            from frontdesk.campaigns.alert_rules import rules

            rules(settings.alerts)
        while opened < MAX_OPENED:
            try:
                store = Store(current.folder, _print_notice)
            except StoreUnusable as error:
                if previous is None:
                    raise
                warnings = [_not_opened_warning(current.profile.name, str(error))]
                current, previous = previous, None
                continue
            if previous is not None:
                previous.engine.stop()
                previous = None
            warnings += [damage_warning(each) for each in _unreported_damage(store)]
            with store:
                if unsaved != recovery.UnsavedWork():
                    rebuild = partial(rebuild_overlay, handlers=load_handlers())
                    count = store.write(partial(recovery.restore, left=unsaved, rebuild_overlay=rebuild)).result()
                    warnings.append(trusted(f"The store was removed or replaced. Changes carried over: {count}."))
                policies = load_policies(settings, current.profile)
                warnings += policy_warnings(policies)
                # A view or an order by clocks that nothing keeps would look as if none were due.
                usable = settings if policies.all else replace(settings, sla=())
                opened_store = ProfileStore(store, current.profile, usable)
                opened_store.engine_process = current.engine.process_id
                opened_store.is_engine_replaced = current.engine.is_being_replaced
                outbox = OutboxCommands(opened_store, load_handlers)
                app = make(current, switcher, opened_store, outbox, warnings)
                app.run()
                followed = {key: getattr(opened_store.settings, key) for key in FOLLOWED}
                settings = replace(settings, **followed)
                make = make_interface or _screens_interface(settings)
                unsaved = (
                    # Another profile must not send this account's changes.
                    recovery.unsaved_work(store)
                    if app.must_reopen and app.next_profile is None
                    else recovery.UnsavedWork()
                )
            warnings = []
            if app.next_profile is not None:
                try:
                    chosen = switcher.find(app.next_profile)
                except CannotOpen as error:
                    warnings = [_not_opened_warning(app.next_profile, str(error))]
                else:
                    current, previous, opened = chosen, current, 0
            elif app.must_reopen:
                opened += 1
                current.engine.stop(ENGINE_END_SECONDS)
            else:
                return app.return_code or 0
    except (StoreUnusable, _UnusableSettings, config_settings.ConfigError) as error:
        print(f"frontdesk: {error}", file=sys.stderr)
        return 2
    finally:
        resume_garbage_collection()
        current.engine.stop()
        if previous is not None:
            previous.engine.stop()
    words = f"the store in {current.folder} keeps getting damaged; check the disk"
    print(f"frontdesk: {words}", file=sys.stderr)
    return 1


def _print_notice(words: str) -> None:
    print(f"frontdesk: {words}", file=sys.stderr, flush=True)


class _UnusableSettings(Exception):
    """The settings can't be used; the text says why."""


def _screens_interface(settings: config_settings.Settings) -> MakeInterface:
    from frontdesk.registry.keymap import KEYMAP
    from frontdesk.tui.keymap import KeymapError

    try:
        keymap = KEYMAP.with_overrides(settings.keymap)
    except KeymapError as error:
        raise _UnusableSettings(str(error)) from error
    return partial(make_screens, keymap)


def make_screens(
    keymap: "Keymap",
    current: OpenProfile,
    switcher: ProfileSwitcher,
    store: ProfileStore,
    outbox: OutboxCommands,
    warnings: Sequence[SafeText],
) -> "FrontdeskApp":
    """Make the Textual app over a store."""
    from frontdesk.app.tui_app import FrontdeskApp
    from frontdesk.tui.context import AppContext
    from frontdesk_lines.glyphs import glyphs

    settings = store.settings
    outbox.restore_privacy()
    set_terminal(lays_out=settings.bidi == "frontdesk", emoji_as_text=settings.names_emoji)

    def has_bearer() -> bool:
        return credentials.load_credentials(current.profile, current.engine.environment).bearer is not None

    app_context = AppContext(
        store, outbox, glyphs(settings.ascii), local_zone(), time.time, keymap, os.environ, has_bearer
    )

    def supervise(
        report: Callable[[SafeText], None], health: Callable[[], Health], can_write: Callable[[], bool]
    ) -> EngineSupervisor:  # called once, after the first paint
        resume_garbage_collection()
        return current.supervise(report, health, can_write)

    from frontdesk.automation.command_keys import add_commands, with_macros  # the linear mode has no keys

    if settings.extensions != NO_EXTENSIONS:
        from frontdesk.automation.custom_commands import config_problems

        keymap, problems = add_commands(keymap, settings.extensions)
        app_context = app_context._replace(keymap=keymap)
        warnings = [*warnings, *config_problems(settings.extensions, problems)]
    keymap, macros, faults = with_macros(keymap, store.profile)
    app_context = app_context._replace(keymap=keymap)
    warnings = [*warnings, *(show_line(f"{each}.", 400) for each in faults)]
    if not terminal_abilities(os.environ).has_letters:
        warnings = [*warnings, trusted(f"Only ASCII is shown: {NO_LETTERS}.")]
    start_target, switcher.start_target = switcher.start_target, None
    return FrontdeskApp(
        app_context,
        supervise,
        warnings,
        switcher.hosts,
        settings.hints,
        start_target,
        macros,
        current.engine.environment,
    )


def _not_opened_warning(name: str, why: str) -> SafeText:
    return trusted(f"Couldn't open {show_line(name, 40).text}: {show_line(why).text}")


def _unreported_damage(store: Store) -> list[Path]:
    """Return damaged files not reported yet: set aside now, or an outbox by a run without a screen."""
    reported = queue.all_kept(store.reading, REPORTED_DAMAGE)
    found = [
        path
        for path in recovery.damaged_files(store.folder)
        if path.name.startswith(OUTBOX_FILE) and path.name not in reported
    ]
    now = time.time()
    for path in found:
        store.write(partial(queue.keep, kind=REPORTED_DAMAGE, each=path.name, value=True, now=now))
    return [*found, *(path for path in store.just_set_aside if path not in found)]


def damage_warning(path: Path) -> SafeText:
    """Word the warning about a damaged file that was set aside."""
    name = path.name.split(".")[0]
    lost = (
        "unsent changes may be missing; Activity shows the ones that were saved"
        if name == "outbox"
        else "its data is loaded again, but earlier counters of campaigns are lost"
    )
    return trusted(f"{name}.db was damaged and set aside as {show_line(path.name).text}: {lost}.")


def emoji_warnings(settings: config_settings.Settings) -> list[SafeText]:
    """Say what to install if emoji can't be written by name, as the settings ask."""
    if settings.emoji != "text" or find_spec("emoji") is not None:
        return []
    remedy = f"install it with `{install_command('emoji')}`"
    return [trusted(f"Emoji are shown as signs: the package emoji isn't installed; {remedy}.")]


def resume_garbage_collection() -> None:
    """Collect garbage again, except objects that start-up made, which live to the end."""
    if not gc.isenabled():
        gc.collect(0)
        gc.freeze()
        gc.enable()
