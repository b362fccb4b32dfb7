"""What is wrong with config.toml, with lines: for `frontdesk config check`, `doctor` and the running screens."""

import os
import shutil
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from frontdesk.app.check_result import CheckResult, fail, ok, warn
from frontdesk.cli.errors import INPUT_WRONG
from frontdesk.config import settings as config_settings
from frontdesk.config.toml_places import problem_at_line, unknown_key, with_line, with_lines
from frontdesk.text.display_text import counted

if TYPE_CHECKING:
    from frontdesk.tui.keymap import KeymapError


def check_config() -> Iterator[CheckResult]:
    """Check the whole file, with the names of the profile in use, or of the first one."""
    try:
        loaded = config_settings.load_config()
    except config_settings.ConfigError as error:
        yield fail("config", problem_at_line(str(error), config_settings.config_path()))
        return
    yield from check_settings(loaded)
    try:
        profile = config_settings.resolve_profile(loaded, os.environ)
    except (config_settings.NoProfile, config_settings.ConfigError):
        if (profile := next(iter(loaded.profiles.values()), None)) is None:  # type: ignore[assignment]
            return
    yield from check_views(loaded.settings, profile)
    yield from check_macros(loaded.settings, profile)


def keymap_problem(error: "KeymapError", overrides: Mapping[str, str]) -> str:
    """Return what is wrong with the keymap, after the path of the key that is named."""
    name = next((f".{each}" for each in overrides if repr(each) in str(error)), "")
    return f"settings.keymap{name}: {error}"


def check_settings(loaded: config_settings.Config) -> Iterator[CheckResult]:
    """Check the parts of the config that only their features understand."""
    from frontdesk.app.command_keys import add_commands
    from frontdesk.app.custom_commands import missing_programs
    from frontdesk.app.screens import KEYMAP
    from frontdesk.campaigns.alert_rules import rules
    from frontdesk.tui.keymap import KeymapError

    path = config_settings.config_path()
    for problem in with_lines(map(unknown_key, loaded.unknown), path):
        yield warn("config", problem)
    keymap, extensions = KEYMAP, loaded.settings.extensions
    try:
        keymap = KEYMAP.with_overrides(loaded.settings.keymap)
    except KeymapError as error:
        problem = keymap_problem(error, loaded.settings.keymap)
        yield fail("config", problem_at_line(problem, path), INPUT_WRONG)
    for problem in with_lines((*extensions.problems, *add_commands(keymap, extensions)[1]), path):
        yield fail("config", problem, INPUT_WRONG)
    for problem in with_lines(missing_programs(extensions), path):
        yield warn("config", problem)
    try:
        found = rules(loaded.settings.alerts)
    except config_settings.ConfigError as error:
        yield fail("config", problem_at_line(str(error), path), INPUT_WRONG)
        return
    for program in dict.fromkeys(rule.run[0] for rule in found if rule.run):
        if shutil.which(os.path.expanduser(program)) is None:
            yield warn("config", f"settings.alerts: can't run {program}; check its name or path")


def check_views(settings: config_settings.Settings, profile: config_settings.Profile) -> Iterator[CheckResult]:
    """Check saved views and service clocks with the names of a profile."""
    from frontdesk.app.service_policies import load_policies
    from frontdesk.inbox.saved_views import views

    path = config_settings.config_path()
    try:
        views(settings.views, profile)
    except config_settings.ConfigError as error:
        yield fail("config", problem_at_line(str(error), path), INPUT_WRONG)
    policies = load_policies(settings, profile)
    for problem in with_lines(map(unknown_key, policies.unknown), path):
        yield warn("config", problem)
    if policies.fault:
        yield fail("config", with_line(policies.fault, path), INPUT_WRONG)


def check_macros(settings: config_settings.Settings, profile: config_settings.Profile) -> Iterator[CheckResult]:
    """Check macros and name those that work."""
    from frontdesk.app.command_keys import add_commands
    from frontdesk.app.macro_keys import with_macros
    from frontdesk.app.screens import KEYMAP
    from frontdesk.tui.keymap import KeymapError

    try:
        keymap = KEYMAP.with_overrides(settings.keymap)
    except KeymapError:
        keymap = KEYMAP  # which `check_settings` has said
    _, found, faults = with_macros(add_commands(keymap, settings.extensions)[0], profile)
    for each in faults:
        yield fail("config", each, INPUT_WRONG)
    if found:
        yield ok("macros", f"{counted(len(found), 'macro')}: {', '.join(each.name for each in found)}")
