"""config.toml: profiles, settings, and how they are loaded.

Nothing heavy is imported, since it runs before the first paint.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from frontdesk.config.config_tables import (
    BUILT_IN_STATUSES,
    PLACEHOLDERS,
    AgentRow,
    LineRow,
    MacroTable,
    ReplySetting,
    ServiceClockTable,
    StatusLabel,
    TagLabel,
    check_template,
    is_of_profile,
    with_built_in,
)
from frontdesk.config.demo import DEMO, demo_folder, profile_path
from frontdesk.config.extensions import (
    ATTENTION,
    NO_EXTENSIONS,
    AlertSetting,
    CommandSetting,
    Extensions,
    HookSetting,
    check_command,
    declare_command,
)
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.hosts import (
    HOST_KEYS,
    HostKeys,
    check_url,
    environment_name,
    environment_store_name,
    parse_hosts,
)
from frontdesk.config.paths import config_dir, data_root, state_dir
from frontdesk.config.tables import ConfigError, TableReader, declare, keys_of
from frontdesk.config.team import TeamSettings, apply_environment
from frontdesk.config.toml_edits import NoUsableToml, parse_toml
from frontdesk_api.contract.ids import AgentId, CampaignId, LineId
from frontdesk_api.hosts import Hosts

OPTION = "--read-only"
VARIABLE = "FRONTDESK_READ_ONLY"

IS_READ_ONLY = f"frontdesk is read-only ({OPTION}, {VARIABLE} or the setting read_only)"
"""The text shown when a change is refused."""

_VALUES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def is_read_only(setting: bool, environ: Mapping[str, str]) -> bool:
    """Return whether this run is read-only; the environment overrides the setting.

    Raises:
        ConfigError: the variable is neither yes nor no; a misspelt one mustn't let a change through.
    """
    given = environ.get("FRONTDESK_READ_ONLY", "").strip().lower()
    if not given:
        return setting
    if given not in _VALUES:
        raise ConfigError(f"{VARIABLE}: expected 1 or 0")
    return _VALUES[given]


__all__ = [
    "BUILT_IN_STATUSES",
    "HOST_KEYS",
    "AlertSetting",
    "ConfigError",
    "StatusLabel",
    "TagLabel",
    "TeamSettings",
    "parse_hosts",
    "state_dir",
]

_RESERVED = frozenset({"me", "myself", "mine", "none", "nobody", "unassigned", "null", "''", '""'})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NoProfile(Exception):
    """Raised when there is no profile to work with; the text says how to get one."""


class NoProfileYet(NoProfile):
    """Raised when the config has no profile: `login` or `demo` come first."""


def check_agent_id(typed: str, where: str = "", remedy: str = "") -> AgentId | None:
    """Return an agent id, or `None` for an empty one.

    Args:
        where: the key or variable that has the id.
        remedy: the remedy for a wrong id.

    Raises:
        ConfigError: the id is a word for oneself or nobody, to whom tasks would then be assigned.
    """
    typed = typed.strip()
    if typed.casefold() in _RESERVED:
        raise ConfigError(f"{where}{': ' if where else ''}{typed!r} isn't an agent id. {remedy}".rstrip())
    return AgentId(typed) if typed else None


def _agent_id(written: str, path: str) -> AgentId | None:
    name = path.removeprefix("profiles.").removesuffix(".agent_id")
    remedy = f"Remove this line, then run `frontdesk login {name}`: it says where to find your agent id."
    return check_agent_id(written, path, remedy)


@dataclass(frozen=True, slots=True)
class Profile:
    """Hosts and catalogues of one account, the table `[profiles.NAME]`.

    Attributes:
        agent_id: None switches "mine" off.
        statuses: in configured order, the built-in ones always among them.
        hosts_from_environment: whether the environment replaces the stored profile's hosts.
        store_name: the folder of its store; differs from the name when the hosts do.
        folder: the demo's store; None for one among the profiles' stores.
    """

    name: str
    hosts: Hosts = declare("", is_inline=True, read=parse_hosts, item=HostKeys)
    agent_id: AgentId | None = declare(
        'Your agent id on the platform. Without it, "mine" and "assign to me" are off. If you don\'t know it, '
        "look at a task assigned to you: `assignedAgentIds` in `frontdesk tasks list --json`.",
        None,
        check=_agent_id,
    )
    credentials_command: tuple[str, ...] = declare_command(
        "A program that prints your credentials, and its arguments.",
        (),
        see="configuration.md#credentials-from-a-program",
        check=check_command,
    )
    keyring: bool = declare(
        "`true`: your credentials are in the system's keyring. Can't be combined with `credentials_command`.",
        False,
        see="configuration.md#credentials-in-the-systems-keyring",
    )
    lines: dict[LineId, str] = declare("Names of lines.", dict, rows=LineRow)
    agents: dict[AgentId, str] = declare("Names of people.", dict, rows=AgentRow)
    statuses: tuple[StatusLabel, ...] = declare(
        "Your own task statuses, in the board's order. Open, in progress and completed always exist; name "
        "them here, by their ids, to rename or reorder them.",
        BUILT_IN_STATUSES,
        check=with_built_in,
    )
    tags: tuple[TagLabel, ...] = declare("Tags that you can add.", ())
    watched_campaigns: tuple[CampaignId, ...] = declare("Ids of campaigns to watch.", ())
    web_url: dict[str, str] = declare(
        "Addresses of the platform's own pages, which `Z` opens.",
        dict,
        choices=tuple(PLACEHOLDERS),
        see="configuration.md#the-platforms-own-pages",
        check=check_template,
        skips="address",
    )
    replies: tuple[ReplySetting, ...] = declare(
        "Answers that `E` offers in a conversation.", (), see="configuration.md#replies", skips="reply"
    )
    team: TeamSettings | None = declare(
        "The team that this machine belongs to.",
        None,
        without="you work alone",
        see="configuration.md#a-team",
    )
    hosts_from_environment: bool = False
    store_name: str = ""
    folder: Path | None = None

    def fault(self) -> str:
        """Return the fault in the whole table, after its path."""
        has_both = self.keyring and self.credentials_command
        return ".keyring: not together with credentials_command" if has_both else ""


def _check_profile(profile: Profile, _path: str) -> Profile:
    check_name(profile.name)
    return profile


@dataclass(frozen=True, slots=True)
class SavedView:
    """A named filter over conversations; `inbox.saved_views` checks its words."""

    name: str = declare(
        "Its name. A view with the name of a built-in one replaces it.",
        label="Name",
        expected="a name",
        is_filled=True,
        unique=str,
    )
    match: str = declare("Filter words.", label="Filter", see="configuration.md#filter-words")


TEXTUAL_THEMES = (
    "textual-dark",
    "textual-light",
    "nord",
    "gruvbox",
    "catppuccin-mocha",
    "catppuccin-latte",
    "catppuccin-frappe",
    "catppuccin-macchiato",
    "dracula",
    "tokyo-night",
    "monokai",
    "flexoki",
    "solarized-light",
    "solarized-dark",
    "rose-pine",
    "rose-pine-moon",
    "rose-pine-dawn",
    "atom-one-dark",
    "atom-one-light",
)
"""Textual's own themes by name, but for those of 16 colours, which `terminal` is."""
THEME_NAMES = ("dark", "light", "terminal", *TEXTUAL_THEMES)
ANNOUNCE = ("now", "prompt", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """The `[settings]` table; `tui` checks the keymap.

    Attributes:
        requests_per_second, requests_per_minute: 0 if they aren't set; use `request_pace.request_limits`.
        extensions: of the lists `[[commands]]` and `[[hooks]]` beside it.
        sla: `[[sla]]` as written beside that table; `service_clocks.policies` parses it.
        profile_names: of all profiles in the file.
    """

    requests_per_second: float = declare(
        "The most requests frontdesk makes in a second.",
        0.0,
        maximum=6_000,
        without="5; 50 for a platform on this machine",
    )
    requests_per_minute: int = declare(
        "The most requests in a minute. frontdesk starts at 120 and adjusts to what the platform accepts.",
        0,
        maximum=6_000,
        without="300; 3,000 for a platform on this machine",
        see="configuration.md#the-pace-of-requests",
    )
    store_megabytes: int = declare(
        "Above this size, the oldest messages are removed from the store; they can be loaded again.",
        2000,
        maximum=1_000_000,
    )
    history_days: int = declare(
        "How many days the history of tasks is kept.", 400, see="agents.md#a-tasks-history", maximum=36_500
    )
    theme: str = declare(
        "`terminal` is your terminal's own 16 colors; the others after it are Textual's. `T` shows them and "
        "saves your choice here. A terminal with only 16 colors always starts with `terminal`.",
        "dark",
        choices=THEME_NAMES,
        is_live=True,
    )
    ascii: bool = declare(
        "`true`: signs, lines and quotes in plain ASCII, and emoji by name.",
        False,
        see="configuration.md#terminal",
    )
    bidi: str = declare(
        "Who puts Hebrew and Arabic in reading order: frontdesk or the terminal.",
        "frontdesk",
        choices=("frontdesk", "terminal", "off"),
        see="configuration.md#hebrew-and-arabic",
    )
    emoji: str = declare(
        "`text` writes emoji by name, such as `:red heart:`. Needs the extra `emoji`.",
        "signs",
        choices=("signs", "text"),
    )
    title: bool = declare(
        "Show the number of unread conversations in the terminal's title: `(3) frontdesk · acme`.", True
    )
    bell: bool = declare("Ring the terminal's bell for news.", False, is_live=True)
    notify: str = declare(
        "Desktop notifications: `osc9` (iTerm2, kitty, WezTerm) or `osc777` (foot, urxvt).",
        "off",
        choices=("off", "osc9", "osc777"),
        see="configuration.md#notifications",
    )
    attention: str = declare(
        "Which news to notify about: `mine` for yours and unassigned ones, `all` for everybody's.",
        "mine",
        choices=ATTENTION,
    )
    clipboard: str = declare(
        "`osc52` copies through the terminal; `show` shows the text so you can select it.",
        "osc52",
        choices=("osc52", "show"),
        see="configuration.md#terminal",
    )
    mouse: bool = declare(
        "`false` leaves the mouse to the terminal: its own selection works, and frontdesk gets no clicks.",
        True,
        see="configuration.md#terminal",
    )
    cursor: str = declare(
        "`shown` makes the terminal's own cursor visible on the focused row, for screen readers that don't"
        " follow a hidden one.",
        "hidden",
        choices=("hidden", "shown"),
        see="other-screens.md#screen-readers-and-braille",
    )
    hints: bool = declare("Show a few keys the first time you open a profile.", True, is_live=True)
    announce: str = declare(
        "When the linear mode reports news: `now`, `prompt` (before the next prompt) or `off`.",
        "prompt",
        choices=ANNOUNCE,
        see="other-screens.md#linear-mode",
    )
    read_only: bool = declare(
        "`true`: nothing is changed on the platform.", False, see="command-line.md#what-all-commands-share"
    )
    ca_file: str | None = declare(
        "A PEM file with certificates to trust besides the system's, for a company's own certificate authority.",
        None,
        without="none",
        is_filled=True,
    )
    proxy: str | None = declare(
        "An HTTP proxy for requests to `https` addresses: `http://host:port`. Plain `http` addresses are on "
        "this machine and never use it. SOCKS isn't supported.",
        None,
        without="none",
        is_filled=True,
    )
    keymap: dict[str, str] = declare(
        "Your own keys, by the id of the action.", dict, see="configuration.md#keys", is_live=True
    )
    views: tuple[SavedView, ...] = declare("Your own views.", (), see="configuration.md#saved-views")
    alerts: tuple[AlertSetting, ...] = declare(
        "Your own alerts on campaigns.",
        (),
        without="`failed > 3%`, `stalled > 60s`, `finished`",
        see="configuration.md#alerts-on-campaigns",
        is_live=True,
    )
    extensions: Extensions = NO_EXTENSIONS
    sla: object = field(default_factory=list)
    profile_names: tuple[str, ...] = ()

    def of_profile(self, name: str) -> "Settings":
        """Return the settings without `sla` if none of it is for a profile."""
        has_any = not isinstance(self.sla, list) or any(is_of_profile(row, name) for row in self.sla)
        return self if has_any else replace(self, sla=[])

    @property
    def names_emoji(self) -> bool:
        return self.ascii or self.emoji == "text"


FOLLOWED = tuple(name for name, key in keys_of(Settings).items() if key.is_live)
"""The settings that apply as soon as the file is changed; the others apply at the next start."""


@dataclass(frozen=True, slots=True)
class Config:
    """All of config.toml.

    Attributes:
        macros: parsed by `config.macros`, and `sla` by `service_clocks.policies`; both are empty here.
        unknown: unknown keys, for `doctor`.
    """

    default_profile: str | None = declare(
        "The profile that opens without a name; not needed if there is only one.", None, without="the only one"
    )
    profiles: dict[str, Profile] = declare(
        "A table for each account, by the name you give it.",
        dict,
        see="configuration.md#profiles",
        check=_check_profile,
    )
    settings: Settings = declare("Everything that isn't part of a profile.", Settings)
    commands: tuple[CommandSetting, ...] = declare(
        "Your own programs, each started by a key.", (), see="own-commands.md", skips="command"
    )
    hooks: tuple[HookSetting, ...] = declare(
        "Your own programs, run when something happens.", (), see="own-commands.md#hooks", skips="hook"
    )
    macros: tuple[MacroTable, ...] = declare("Several actions on one key.", (), see="configuration.md#macros")
    sla: tuple[ServiceClockTable, ...] = declare(
        "When customers must have an answer, and tasks must be completed; the first that matches applies.",
        (),
        see="configuration.md#sla",
    )
    unknown: tuple[str, ...] = ()


def config_path() -> Path:
    return config_dir() / "config.toml"


def data_dir(profile: Profile) -> Path:
    return profile.folder or data_root() / "profiles" / (profile.store_name or profile.name)


def load_config(path: Path | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """Load the config, or the defaults if there is no file yet.

    Raises:
        ConfigError: a value can't be used, and the text names its key's path; or another user can change the file.
    """
    path = path or config_path()
    try:
        text = read_own_file(path)
    except FileNotFoundError:
        text = ""
    except OpenToOthers as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        words = f"not valid TOML: byte {error.start + 1:,} isn't UTF-8; save the file as UTF-8"
        raise ConfigError(f"{path}: {words}") from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    return parse_config(text, str(path), environ)


def parse_config(text: str, path: str, environ: Mapping[str, str] = os.environ) -> Config:
    """Parse the text of a config; the path is for the words about text that isn't TOML.

    Raises:
        ConfigError: a value can't be used, and the text names its key's path.
    """
    try:
        raw = parse_toml(text)
    except NoUsableToml as error:
        raise ConfigError(f"{path}: can't be used: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    reader = TableReader()
    # Their features read these two.
    loaded = reader.table(Config, {key: value for key, value in raw.items() if key not in ("macros", "sla")}, "")
    unknown = tuple(reader.unknown)
    settings = replace(
        loaded.settings,
        read_only=is_read_only(loaded.settings.read_only, environ),
        extensions=Extensions(loaded.commands, loaded.hooks, tuple(reader.problems), unknown),
        sla=raw.get("sla", []),
        profile_names=tuple(loaded.profiles),
    )
    return replace(loaded, settings=settings, unknown=unknown)


def resolve_profile(config: Config, environ: Mapping[str, str], name: str | None = None) -> Profile:
    """Choose the profile: the environment overrides the file (docs/configuration.md).

    With FRONTDESK_BASE_URL set, hosts that the environment doesn't name are that URL too, and
    never the stored profile's: a command aimed at one service doesn't reach another.

    Raises:
        NoProfile: no profile is named, or the named one doesn't exist.
        ConfigError: a value of the environment can't be used.
    """
    name = name or environ.get("FRONTDESK_PROFILE") or None
    given = {key: url for key in HOST_KEYS if (url := environ.get(environment_name(key)))}
    hosts = parse_hosts(given, "environment") if "base_url" in given else None
    stored = _stored_profile(config, name)
    if hosts is not None and (stored is None or (name is None and stored.hosts != hosts)):
        profile = Profile(environment_store_name(hosts, environ), hosts, hosts_from_environment=True)
    elif stored is None and config.profiles:
        names = ", ".join(sorted(config.profiles))
        raise NoProfile(f"several profiles ({names}) and no default; set default_profile or FRONTDESK_PROFILE")
    elif stored is None:
        raise NoProfile("no profile yet; run `frontdesk login`, or try `frontdesk demo`")
    else:
        named = {key: check_url(url, environment_name(key)) for key, url in given.items()}
        profile = _with_hosts(stored, hosts or replace(stored.hosts, **named), environ)
    remedy = "Unset the variable, then run `frontdesk login`: it says where to find your agent id."
    agent = check_agent_id(environ.get("FRONTDESK_AGENT_ID", ""), "FRONTDESK_AGENT_ID", remedy)
    team = apply_environment(profile.team, environ)
    return replace(profile, agent_id=agent or profile.agent_id, team=team)


def check_name(name: str) -> str:
    """Return the profile name if a folder can have it.

    Raises:
        ConfigError: the name has anything but letters, digits, `.`, `_` and `-`.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"profiles.{name!r}: use only letters, digits, dots, dashes and underscores, at most 64, "
            "with a letter or digit first"
        )
    return name


def _with_hosts(stored: Profile, hosts: Hosts, environ: Mapping[str, str]) -> Profile:
    """Return the stored profile; other hosts give it a separate store and no team, which has its own hosts."""
    if hosts == stored.hosts:
        return stored
    store_name = f"{stored.name}@{environment_store_name(hosts, environ)}"
    return replace(stored, hosts=hosts, hosts_from_environment=True, store_name=store_name, team=None, folder=None)


def _stored_profile(config: Config, name: str | None) -> Profile | None:
    if name is not None:
        if name == DEMO and name not in config.profiles:
            if (demo := load_config(profile_path()).profiles.get(DEMO)) is not None:
                return replace(demo, folder=demo_folder() / "store")
            raise NoProfile("there is no demo yet; run `frontdesk demo`")
        if name not in config.profiles:
            known = f"existing: {', '.join(sorted(config.profiles))}" if config.profiles else "there are none yet"
            raise NoProfile(f"no profile named {name!r} ({known}); to create it, run `frontdesk login {name}`")
        return config.profiles[name]
    if config.default_profile is not None:
        if config.default_profile not in config.profiles:
            raise NoProfile(
                f"default_profile is {config.default_profile!r}, which doesn't exist; correct it, or "
                f"run `frontdesk login {config.default_profile}`"
            )
        return config.profiles[config.default_profile]
    return next(iter(config.profiles.values())) if len(config.profiles) == 1 else None


class ConfigWatch:
    """Compares the file with the last look at it, which costs one call of the system."""

    def __init__(self) -> None:
        self._path = config_path()
        self._seen = _signature(self._path)

    def has_changed(self) -> bool:
        """Return whether the file was changed since the last call; False while there is no file."""
        found = _signature(self._path)
        if found is None or found == self._seen:
            return False
        self._seen = found
        return True


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # A corrected owner or mode changes only the last: a file that others can write is refused until then.
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
