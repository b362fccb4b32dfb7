"""Profiles, catalogues and settings: the only parser of config.toml.

Nothing heavy is imported, since it runs before the first paint.
"""

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from frontdesk.api.contract.ids import AgentId, CampaignId, LineId, StatusId, TagId
from frontdesk.config.agent_id import check_agent_id
from frontdesk.config.alerts import AlertSetting, expect, read_alerts, read_command
from frontdesk.config.config_tables import AgentRow, LineRow, ProfileTable, StatusRow, TagRow
from frontdesk.config.demo import DEMO, demo_folder, profile_path
from frontdesk.config.extensions import Extensions, read_extensions
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.hosts import (
    HOST_KEYS,
    ConfigError,
    Hosts,
    check_url,
    environment_name,
    environment_store_name,
    parse_hosts,
)
from frontdesk.config.key_meaning import Meaning, keys_of, meaning_of, needed_keys
from frontdesk.config.labels import BUILT_IN_STATUSES, StatusLabel, TagLabel
from frontdesk.config.paths import config_dir, data_root, state_dir
from frontdesk.config.read_only import is_read_only
from frontdesk.config.replies import ReplySetting, read_replies
from frontdesk.config.settings_table import ANNOUNCE, THEME_NAMES, ConfigTable, SavedView, Settings
from frontdesk.config.team import TeamSettings, apply_environment, read_team
from frontdesk.config.toml_edits import NoUsableToml, parse_toml
from frontdesk.config.web_pages import WebPages, read_web_pages
from frontdesk.text.display_text import is_blank

__all__ = [
    "ANNOUNCE",
    "BUILT_IN_STATUSES",
    "HOST_KEYS",
    "THEME_NAMES",
    "AlertSetting",
    "Config",
    "ConfigError",
    "Hosts",
    "NoProfile",
    "NoProfileYet",
    "Profile",
    "SavedView",
    "Settings",
    "StatusLabel",
    "TagLabel",
    "TeamSettings",
    "check_name",
    "config_dir",
    "config_path",
    "data_dir",
    "load_config",
    "parse_hosts",
    "resolve_profile",
    "state_dir",
]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NoProfile(Exception):
    """Raised when there is no profile to work with; the text says how to get one."""


class NoProfileYet(NoProfile):
    """Raised when the config has no profile: `login` or `demo` come first."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Hosts and catalogues of one account.

    Attributes:
        agent_id: None switches "mine" off.
        statuses: in configured order, the built-in ones always among them.
        keyring: whether the system's keyring has its credentials.
        team: shares one poller by a relay; None works alone.
        web_url: the platform's own pages.
        replies: workflows and texts that are offered as answers.
        hosts_from_environment: whether the environment replaces the stored profile's hosts.
        store_name: the folder of its store; differs from the name when the hosts do.
        folder: the demo's store; None for one among the profiles' stores.
    """

    name: str
    hosts: Hosts
    agent_id: AgentId | None = None
    lines: dict[LineId, str] = field(default_factory=dict)
    agents: dict[AgentId, str] = field(default_factory=dict)
    statuses: tuple[StatusLabel, ...] = BUILT_IN_STATUSES
    tags: tuple[TagLabel, ...] = ()
    watched_campaigns: tuple[CampaignId, ...] = ()
    credentials_command: tuple[str, ...] = ()
    keyring: bool = False
    team: TeamSettings | None = None
    web_url: WebPages = field(default_factory=WebPages)
    replies: tuple[ReplySetting, ...] = ()
    hosts_from_environment: bool = False
    store_name: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """All of config.toml; `unknown` lists unknown keys, for `doctor`."""

    default_profile: str | None = None
    profiles: dict[str, Profile] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    unknown: tuple[str, ...] = ()


def config_path() -> Path:
    """Return the path of config.toml."""
    return config_dir() / "config.toml"


def data_dir(profile: Profile) -> Path:
    """Return the folder of the profile's store."""
    return profile.folder or data_root() / "profiles" / (profile.store_name or profile.name)


def load_config(path: Path | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """Load the config, or the defaults if there is no file yet.

    Raises:
        ConfigError: a value can't be used, and the text names its key's path; or another user can change the file.
    """
    path = path or config_path()
    try:
        raw = parse_toml(read_own_file(path))
    except FileNotFoundError:
        raw = {}
    except OpenToOthers as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        words = f"not valid TOML: byte {error.start + 1:,} isn't UTF-8; save the file as UTF-8"
        raise ConfigError(f"{path}: {words}") from None
    except NoUsableToml as error:
        raise ConfigError(f"{path}: can't be used: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    loaded = _Reader().config(raw)
    read_only = is_read_only(loaded.settings.read_only, environ)
    return replace(loaded, settings=replace(loaded.settings, read_only=read_only))


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


PROFILE_KEYS = frozenset(keys_of(ProfileTable))


class _Reader:
    """Walks the parsed file, names the path of each error, and collects unknown keys."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.problems: list[str] = []

    def config(self, raw: dict[str, Any]) -> Config:
        self._note_unknown(raw, keys_of(ConfigTable), "")
        profiles = {
            check_name(name): self._profile(name, self._table(table, f"profiles.{name}"))
            for name, table in self._table(raw.get("profiles", {}), "profiles").items()
        }
        return Config(
            default_profile=self._text(raw, "default_profile", "") if "default_profile" in raw else None,
            profiles=profiles,
            settings=replace(
                self._settings(self._table(raw.get("settings", {}), "settings")),
                extensions=self._extensions(raw),
                sla=raw.get("sla", ()),
            ),
            unknown=tuple(self.unknown),
        )

    def _extensions(self, raw: dict[str, Any]) -> Extensions:
        """Parse commands and hooks, with other skipped entries and unknown keys added."""
        found = read_extensions(raw)
        return found._replace(problems=(*self.problems, *found.problems), unknown=tuple(self.unknown))

    def _profile(self, name: str, raw: dict[str, Any]) -> Profile:
        where = f"profiles.{name}."
        self._note_unknown(raw, PROFILE_KEYS, where)
        listed = tuple(
            StatusLabel(StatusId(row["id"]), row["name"]) for row in self._rows(raw, "statuses", where, StatusRow)
        )
        missing = [one for one in BUILT_IN_STATUSES if one.id not in {status.id for status in listed}]
        watched = raw.get("watched_campaigns", [])
        if not isinstance(watched, list) or not all(isinstance(one, str) for one in watched):
            raise ConfigError(f"{where}watched_campaigns: expected a list of strings")
        has_command = "credentials_command" in raw
        expect(not (has_command and raw.get("keyring")), f"{where}keyring: not together with credentials_command")
        return Profile(
            name=name,
            hosts=parse_hosts(raw, where),
            agent_id=check_agent_id(
                self._text(raw, "agent_id", where) if raw.get("agent_id") else "",
                f"{where}agent_id",
                f"Remove this line, then run `frontdesk login {name}`: it says where to find your agent id.",
            ),
            lines={LineId(row["id"]): row["label"] for row in self._rows(raw, "lines", where, LineRow)},
            agents={AgentId(row["id"]): row["name"] for row in self._rows(raw, "agents", where, AgentRow)},
            statuses=(
                *(one for one in missing if one.id != "completed"),
                *listed,
                *(one for one in missing if one.id == "completed"),
            ),
            tags=tuple(
                TagLabel(TagId(row["id"]), row["title"], row.get("color", ""), row.get("associated_to"))
                for row in self._rows(raw, "tags", where, TagRow)
            ),
            watched_campaigns=tuple(CampaignId(one) for one in watched),
            credentials_command=read_command(raw.get("credentials_command", []), f"{where}credentials_command"),
            keyring=self._flag(raw, "keyring", where),
            team=read_team(raw.get("team"), f"{where}team", self.unknown.append),
            web_url=read_web_pages(raw.get("web_url"), f"{where}web_url", self.problems),
            replies=read_replies(raw.get("replies", []), f"{where}replies", self.unknown.append, self.problems),
        )

    def _settings(self, raw: dict[str, Any]) -> Settings:
        where = "settings."
        known = {name: getattr(Settings(), name) for name in keys_of(Settings)}
        self._note_unknown(raw, known.keys(), where)
        values: dict[str, Any] = {}
        for key, default in known.items():
            if key not in raw:
                continue
            value = raw[key]
            if isinstance(default, bool):
                value = self._flag(raw, key, where)
            elif isinstance(default, int | float):
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                maximum = _setting_meaning(key).maximum or 0
                problem = f"{where}{key}: expected a number above 0, at most {maximum:,.0f}"
                # Compare before the conversion: NaN, an infinity and 4,000 digits can't be converted.
                expect(is_number and 0 < value <= maximum and type(default)(value) > 0, problem)
                value = type(default)(value)
            elif key == "keymap":
                for name, keys in self._table(value, "settings.keymap").items():
                    expect(isinstance(keys, str), f"settings.keymap.{name}: expected text")
            elif key == "views":
                value = self._views(raw)
            elif key == "alerts":
                value = read_alerts(value, "settings.alerts", self.unknown.append)
            else:
                expect(isinstance(value, str) and value != "", f"{where}{key}: expected text")
            values[key] = value
            if choices := _setting_meaning(key).choices:
                expect(value in choices, f"{where}{key}: expected one of {', '.join(choices)}")
        return Settings(**values)

    def _views(self, raw: dict[str, Any]) -> tuple[SavedView, ...]:
        rows = self._rows(raw, "views", "settings.", SavedView, key_of="name")
        return tuple(SavedView(row["name"], row["match"]) for row in rows)

    def _rows(
        self, raw: dict[str, Any], key: str, where: str, table: Any, key_of: str = "id"
    ) -> list[dict[str, str]]:
        known, needed = keys_of(table), needed_keys(table)
        rows = raw.get(key, [])
        expect(isinstance(rows, list), f"{where}{key}: expected a list of tables")
        seen: set[str] = set()
        for at, row in enumerate(rows):
            here = f"{where}{key}[{at}]"
            self._note_unknown(self._table(row, here), known, f"{here}.")
            for part in (name for name in known if name in needed or name in row):
                self._text(row, part, f"{here}.")
            expect(row[key_of] != "" and row[key_of] not in seen, f"{here}.{key_of}: empty or a duplicate")
            seen.add(row[key_of])
        return [{**row, **_missing_names(row, row[key_of])} for row in rows]

    def _table(self, value: object, where: str) -> dict[str, Any]:
        expect(isinstance(value, dict), f"{where}: expected a table")
        return value  # type: ignore[return-value]

    def _text(self, raw: dict[str, Any], key: str, where: str) -> str:
        expect(isinstance(raw.get(key), str), f"{where}{key}: expected text")
        return str(raw[key])

    def _flag(self, raw: dict[str, Any], key: str, where: str) -> bool:
        expect(isinstance(raw.get(key, False), bool), f"{where}{key}: expected true or false")
        return bool(raw.get(key, False))

    def _note_unknown(self, raw: dict[str, Any], known: Collection[str], where: str) -> None:
        self.unknown += [where + key for key in raw if key not in known]


def _missing_names(row: dict[str, str], identity: str) -> dict[str, str]:
    """Return the id as the name for a row whose name looks empty."""
    return {part: identity for part in ("label", "name", "title") if part in row and is_blank(row[part])}


def _setting_meaning(key: str) -> Meaning:
    return meaning_of(Settings.__annotations__[key]) or Meaning("")
