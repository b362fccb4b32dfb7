"""What is wrong with config.toml, with lines: for `frontdesk config check`, `doctor` and the running screens."""

import os
import shutil
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import typer

from frontdesk.cli.check_result import CheckResult, fail, ok, warn
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
from frontdesk.cli.options import AsLines
from frontdesk.cli.output import print_json, print_line
from frontdesk.config import settings as config_settings
from frontdesk.config.editor_command import NoEditor, find_editor, run_editor
from frontdesk.config.paths import make_private
from frontdesk.config.settings import config_path
from frontdesk.config.toml_edits import line_of, unknown_key, with_line, with_lines
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    from frontdesk.tui.keymap import Keymap, KeymapError


def check_config(profile: config_settings.Profile | None = None) -> Iterator[CheckResult]:
    """Check the whole file, with the names of a profile: the given one, else the one in use, else the first."""
    try:
        loaded = config_settings.load_config()
    except config_settings.ConfigError as error:
        yield fail("config", with_line(str(error), config_settings.config_path()))
        return
    yield from check_settings(loaded)
    try:
        profile = profile or config_settings.resolve_profile(loaded, os.environ)
    except (config_settings.NoProfile, config_settings.ConfigError):
        profile = next(iter(loaded.profiles.values()), None)
    if profile is not None:
        yield from check_views(loaded.settings, profile)
        yield from check_macros(loaded.settings, profile)


def keymap_problem(error: "KeymapError", overrides: Mapping[str, str]) -> str:
    """Return what is wrong with the keymap, after the path of the key that is named."""
    name = next((f".{each}" for each in overrides if repr(each) in str(error)), "")
    return f"settings.keymap{name}: {error}"


def first_problem_line(profile: config_settings.Profile | None = None) -> int | None:
    """Return the line of the file's first problem; None where it has none."""
    path = config_settings.config_path()
    lines = (line_of(each.words, path) for each in check_config(profile) if each.status)
    return next((each for each in lines if each is not None), None)


def _own_keys(settings: config_settings.Settings) -> "tuple[Keymap, list[str]]":
    """Return the keymap with the config's keys and commands, and a sentence for each that can't be used."""
    from frontdesk.automation.command_keys import add_commands
    from frontdesk.registry.keymap import KEYMAP
    from frontdesk.tui.keymap import KeymapError

    keymap, problems = KEYMAP, [*settings.extensions.problems]
    try:
        keymap = KEYMAP.with_overrides(settings.keymap)
    except KeymapError as error:
        problems.insert(0, keymap_problem(error, settings.keymap))
    keymap, clashing = add_commands(keymap, settings.extensions)
    return keymap, [*problems, *clashing]


def check_settings(loaded: config_settings.Config) -> Iterator[CheckResult]:
    """Check the parts of the config that only their features understand."""
    from frontdesk.automation.custom_commands import missing_programs
    from frontdesk.campaigns.alert_rules import rules

    path, settings = config_settings.config_path(), loaded.settings
    for problem in with_lines(map(unknown_key, loaded.unknown), path):
        yield warn("config", problem)
    for problem in with_lines(_own_keys(settings)[1], path):
        yield fail("config", problem, INPUT_WRONG)
    for problem in with_lines(missing_programs(settings.extensions), path):
        yield warn("config", problem)
    try:
        found = rules(settings.alerts)
    except config_settings.ConfigError as error:
        yield fail("config", with_line(str(error), path), INPUT_WRONG)
        return
    for program in dict.fromkeys(rule.setting.run[0] for rule in found if rule.setting.run):
        if shutil.which(os.path.expanduser(program)) is None:
            yield warn("config", f"settings.alerts: can't run {program}; check its name or path")


def check_views(settings: config_settings.Settings, profile: config_settings.Profile) -> Iterator[CheckResult]:
    """Check saved views and service clocks with the names of a profile."""
    from frontdesk.inbox.filter_words import views
    from frontdesk.registry.service_policies import load_policies

    path = config_settings.config_path()
    try:
        views(settings.views, profile)
    except config_settings.ConfigError as error:
        yield fail("config", with_line(str(error), path), INPUT_WRONG)
    policies = load_policies(settings, profile)
    for problem in with_lines(map(unknown_key, policies.unknown), path):
        yield warn("config", problem)
    for problem in with_lines(policies.faults, path):
        yield fail("config", problem, INPUT_WRONG)


def check_macros(settings: config_settings.Settings, profile: config_settings.Profile) -> Iterator[CheckResult]:
    from frontdesk.automation.command_keys import with_macros

    _, found, faults = with_macros(_own_keys(settings)[0], profile)
    for each in faults:
        yield fail("config", each, INPUT_WRONG)
    if found:
        yield ok("macros", f"{counted(len(found), 'macro')}: {', '.join(each.name for each in found)}")


app = typer.Typer(help="Show, edit or check the configuration.", no_args_is_help=True)


@app.command("path")
def print_path() -> None:
    """Print the path of config.toml."""
    print(config_path())


@app.command("edit")
def edit() -> int:
    """Edit config.toml in your editor, then check it.

    Opens VISUAL or EDITOR at the first problem. Exit status 1 if the file has problems afterwards.
    """
    path = config_path()
    try:
        command = find_editor(os.environ)
    except NoEditor as error:
        raise CommandFailed(INPUT_WRONG, str(error).rstrip(".")) from None
    make_private(path.parent)
    if not path.exists():
        path.touch(mode=0o600)
    try:
        status = run_editor(command, path, first_problem_line())
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"couldn't start the editor {command[0]}: {error.strerror}") from None
    if status:
        raise CommandFailed(REFUSED, f"the editor {command[0]} ended with status {status}")
    return check()


@app.command("check")
def check(as_json: AsLines = False) -> int:
    """List the problems of config.toml, by line.

    Exit status 1 if frontdesk can't use a part of it; warnings alone leave it at 0.
    """
    found = [each for each in check_config() if each.verdict != "ok"]
    for each in found:
        if as_json:
            print_json({"verdict": each.verdict.lower(), "words": each.words})
        else:
            print_line(each.words if each.status else f"{each.words} (warning)")
    if not found and not as_json:
        path = config_path()
        print_line(f"{path} has no problems." if path.exists() else f"There is no {path} yet; defaults apply.")
    return REFUSED if any(each.status for each in found) else 0
