"""Writing profiles into config.toml, keeping everything else in it, comments included."""

import re
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from frontdesk.config.paths import replace_file
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

HAND_WRITTEN = frozenset({"web_url", "replies"})
"""Keys that only a person changes: what is there stays, a part that can't be used included."""


def save_profile(profile: Profile, make_default: bool = False, path: Path | None = None) -> Path:
    """Write a profile into the config, as the default one where there is none; returns the path."""
    import tomli_w  # needed by a login alone

    check_name(profile.name)
    path = path or config_path()
    load_config(path)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    content = tomllib.loads(text)
    kept = content.get("profiles", {}).get(profile.name, {})
    table = _profile_table(profile) | {
        key: value for key, value in kept.items() if key not in PROFILE_KEYS or key in HAND_WRITTEN
    }
    content.setdefault("profiles", {})[profile.name] = table
    if make_default or "default_profile" not in content:
        content["default_profile"] = profile.name
    edited = _edit_text(text, profile.name, content, tomli_w.dumps({"profiles": {profile.name: table}}))
    replace_file(path, edited if edited is not None else tomli_w.dumps(content))
    return path


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


def _edit_text(text: str, name: str, content: dict[str, Any], section: str) -> str | None:
    """Return the file with only this profile's tables exchanged; None when that can't be done safely."""
    quoted = re.escape(name)
    header = re.compile(rf"""^\s*\[\[?\s*profiles\s*\.\s*(?:{quoted}|"{quoted}"|'{quoted}')\s*[.\]]""")
    kept: list[str] = []
    inside = False
    for row in text.splitlines():
        if row.lstrip().startswith("["):
            inside = header.match(row) is not None
        if not inside:
            kept.append(row)
    first_table = next((at for at, row in enumerate(kept) if row.lstrip().startswith("[")), len(kept))
    top = [row for row in kept[:first_table] if not re.match(r"\s*default_profile\s*=", row)]
    default = [f'default_profile = "{content["default_profile"]}"']
    edited = "\n".join([*default, *top, *kept[first_table:]]).rstrip() + "\n\n" + section
    try:
        return edited if tomllib.loads(edited) == content else None
    except tomllib.TOMLDecodeError:
        return None
