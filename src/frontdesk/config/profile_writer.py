"""Writes profiles into config.toml, keeping everything else in it, including comments."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from frontdesk.config.settings import (
    BUILT_IN_STATUSES,
    HOST_KEYS,
    PROFILE_KEYS,
    Profile,
    check_name,
    config_path,
    load_config,
)
from frontdesk.config.team import POLL_CHOICES
from frontdesk.config.toml_edits import update_file

HAND_WRITTEN = frozenset({"web_url", "replies"})
"""Keys that only a person changes: their values stay, even unusable parts."""


def save_profile(profile: Profile, make_default: bool = False, path: Path | None = None) -> Path:
    """Write a profile into the config, as the default one if there is none; return the path.

    Raises:
        ConfigError: the config can't be used; it stays as it is.
        OSError: the config can't be written.
    """
    check_name(profile.name)
    path = path or config_path()
    load_config(path)

    def change(content: dict[str, Any]) -> None:
        if make_default or "default_profile" not in content:
            content["default_profile"] = profile.name
        profiles = content.setdefault("profiles", {})
        kept = {
            key: value
            for key, value in profiles.get(profile.name, {}).items()
            if key not in PROFILE_KEYS or key in HAND_WRITTEN
        }
        profiles[profile.name] = _profile_table(profile) | kept

    update_file(path, change)
    return path


def remove_profile(name: str) -> bool:
    """Remove a profile's table from the config, and the backup of an edit; return whether there was a table.

    Raises:
        ConfigError: the config can't be used; it stays as it is.
        OSError: the config can't be written.
    """
    path = config_path()
    copy = path.with_name(f"{path.name}.bak")
    copy.unlink(missing_ok=True)
    if name not in load_config(path).profiles:
        return False

    def change(content: dict[str, Any]) -> None:
        del content["profiles"][name]
        if not content["profiles"]:
            del content["profiles"]
        if content.get("default_profile") == name:
            del content["default_profile"]

    update_file(path, change)
    return True


def _profile_table(profile: Profile) -> dict[str, Any]:
    base = profile.hosts.base_url
    table: dict[str, Any] = {"base_url": base}
    table |= {key: url for key in HOST_KEYS[1:] if (url := getattr(profile.hosts, key)) != base}
    if profile.agent_id:
        table["agent_id"] = profile.agent_id
    if profile.credentials_command:
        table["credentials_command"] = list(profile.credentials_command)
    if profile.keyring:
        table["keyring"] = True
    if profile.watched_campaigns:
        table["watched_campaigns"] = list(profile.watched_campaigns)
    table["lines"] = [{"id": line, "label": label} for line, label in profile.lines.items()]
    table["agents"] = [{"id": agent, "name": name} for agent, name in profile.agents.items()]
    if profile.statuses != BUILT_IN_STATUSES:
        table["statuses"] = [{"id": status.id, "name": status.name} for status in profile.statuses]
    table["tags"] = [
        {"id": tag.id, "title": tag.title, "color": tag.color}
        | ({"associated_to": tag.associated_to} if tag.associated_to is not None else {})
        for tag in profile.tags
    ]
    if profile.team is not None:
        team = {"url": profile.team.url, "account": profile.team.account, "poll": profile.team.poll}
        table["team"] = {key: value for key, value in team.items() if value != POLL_CHOICES[0]}
    if profile.web_url.templates:
        table["web_url"] = dict(profile.web_url.templates)
    table["replies"] = [{key: value for key, value in asdict(each).items() if value} for each in profile.replies]
    return {key: value for key, value in table.items() if value != []}
