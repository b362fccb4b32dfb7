"""The JSON schema of config.toml agrees with the program: what it knows, what it takes and what it refuses."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import tomlkit
from page_sources.config_pages import schema_text
from page_sources.config_tables import shown_default, tables

from frontdesk.config.config_tables import BUILT_IN_STATUSES, load_macros
from frontdesk.config.settings import Config, ConfigError, load_config
from frontdesk.config.tables import Key, keys_of
from frontdesk.inbox.filter_words import parse
from frontdesk.registry.keymap import KEYMAP
from frontdesk.service_clocks.policies import read_policies
from frontdesk.tui.keymap import KeymapError

from .pages import DOCS, code_blocks

SCHEMA = jsonschema_rs.Draft7Validator(json.loads(schema_text()))
MINIMAL: dict[str, Any] = {"profiles": {"acme": {"base_url": "https://api.example.com"}}}
TABLES = {entry.heading: entry for entry in tables()}

SAMPLES: dict[str, dict[str, Any]] = {
    "[[profiles.NAME.lines]]": {"id": "l", "label": "Service"},
    "[[profiles.NAME.agents]]": {"id": "a", "name": "Noa"},
    "[[profiles.NAME.statuses]]": {"id": "s", "name": "Waiting"},
    "[[profiles.NAME.tags]]": {"id": "t", "title": "VIP"},
    "[[profiles.NAME.replies]]": {"name": "Hours", "text": "We are open."},
    "[profiles.NAME.team]": {"url": "postgresql://noa@db.example.com/frontdesk", "account": "acme"},
    "[[settings.views]]": {"name": "Late", "match": "is:overdue"},
    "[[settings.alerts]]": {"when": "failed > 3%"},
    "[[commands]]": {"name": "Look up", "key": "f5", "run": ["true"]},
    "[[hooks]]": {"on": "message", "run": ["true"]},
    "[[macros]]": {"name": "Wait", "key": "B", "do": ["status open"]},
    "[[sla]]": {
        "name": "Service",
        "zone": "Europe/Rome",
        "hours": ["mon-fri 09:00-17:00"],
        "first_response": "1h",
    },
}
"""The least that each table needs."""


def with_table(heading: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return a config that has this table, at the place that its heading names."""
    config: dict[str, Any] = json.loads(json.dumps(MINIMAL))
    at: Any = config
    *path, last = heading.strip("[]").replace("NAME", "acme").split(".") if heading else [""]
    for name in path:
        at = at.setdefault(name, {})
    if not last:
        return config | table
    if heading.startswith("[["):
        at[last] = [SAMPLES.get(heading, {}) | table]
    else:
        at[last] = at.get(last, {}) | SAMPLES.get(heading, {}) | table
    return config


def problems(config: dict[str, Any], tmp_path: Path) -> list[str]:
    """What frontdesk says of the file, as it starts."""
    path = tmp_path / "config.toml"
    path.write_text(tomlkit.dumps(config), encoding="utf-8")
    path.chmod(0o600)
    try:
        loaded = load_config(path, {})
        KEYMAP.with_overrides(loaded.settings.keymap)
    except (ConfigError, KeymapError) as error:
        return [str(error)]
    policies = read_policies(loaded.settings.sla, BUILT_IN_STATUSES, lambda match: "".join(parse(match).faults))
    found = [*loaded.unknown, *loaded.settings.extensions.problems, *load_macros(path).faults, *policies.unknown]
    return [*found, *policies.faults]


WRONG: dict[Any, Any] = {str: 7, bool: "yes", int: "many", float: "many", list: [7], dict: {"Q": 7}}


def _wrong_values() -> Iterator[tuple[str, Key, Any]]:
    for heading, entry in TABLES.items():
        for key in entry.keys:
            if not key.is_table:
                yield heading, key, WRONG[key.shape or key.item]
            if key.choices and key.shape is None:
                yield heading, key, "nothing like it"
            if key.maximum is not None:
                yield heading, key, int(key.maximum) + 1
                yield heading, key, 0


def test_a_wrong_value_is_refused_by_the_schema_and_by_frontdesk(tmp_path: Path) -> None:
    cases = {
        f"{heading}.{key.name}={value}": with_table(heading, {key.name: value})
        for heading, key, value in _wrong_values()
    }
    assert len(cases) > 90
    assert [name for name, config in cases.items() if SCHEMA.is_valid(config)] == []
    assert [name for name, config in cases.items() if not problems(config, tmp_path)] == []


def test_an_unknown_key_is_refused_by_the_schema_and_named_by_frontdesk(tmp_path: Path) -> None:
    cases = {heading: with_table(heading, {"no_such_key": 1}) for heading in TABLES}
    assert [heading for heading, config in cases.items() if SCHEMA.is_valid(config)] == []
    said = {heading: problems(config, tmp_path) for heading, config in cases.items()}
    assert {heading: each for heading, each in said.items() if "no_such_key" not in "".join(each)} == {}


@pytest.mark.parametrize("heading", SAMPLES)
def test_what_a_table_needs_is_needed_by_the_schema_and_by_frontdesk(heading: str, tmp_path: Path) -> None:
    whole = with_table(heading, {})
    assert (SCHEMA.is_valid(whole), problems(whole, tmp_path)) == (True, [])
    for key in TABLES[heading].keys:
        if key.is_needed:
            config = with_table(heading, {})
            at: Any = config
            for name in heading.strip("[]").replace("NAME", "acme").split("."):
                at = at[name]
            del (at[0] if heading.startswith("[[") else at)[key.name]
            assert not SCHEMA.is_valid(config), key.name
            assert problems(config, tmp_path) != [], key.name


def test_an_address_that_shows_credentials_is_refused_by_both(tmp_path: Path) -> None:
    for url in ("http://api.example.com", "ftp://x", "api.example.com"):
        config = with_table("[profiles.NAME]", {"base_url": url})
        assert not SCHEMA.is_valid(config), url
        assert problems(config, tmp_path) != [], url


def test_an_address_of_this_machine_is_taken_by_both(tmp_path: Path) -> None:
    for url in ("HTTPS://api.example.com", "http://localhost:8787", "http://[::1]:1", "http://127.0.0.1:1"):
        config = with_table("[profiles.NAME]", {"base_url": url})
        assert (SCHEMA.is_valid(config), problems(config, tmp_path)) == (True, []), url


def test_an_action_that_does_not_exist_is_refused_by_both(tmp_path: Path) -> None:
    config = with_table("[settings]", {"keymap": {"task.nothing": "B"}})
    assert not SCHEMA.is_valid(config)
    assert problems(config, tmp_path) != []


def test_every_default_is_one_that_the_schema_takes() -> None:
    for heading, entry in TABLES.items():
        for key in entry.keys:
            if (default := shown_default(key)) is not None:
                assert SCHEMA.is_valid(with_table(heading, {key.name: default})), key.name


def examples() -> Iterator[tuple[str, str]]:
    """Yield the blocks of the pages that are parts of a config, each with its page."""
    for page in sorted(DOCS.glob("*.md")):
        for text in code_blocks(page.read_text(encoding="utf-8")):
            try:
                parsed = tomllib.loads(text)
            except tomllib.TOMLDecodeError:
                continue
            if parsed and set(parsed) <= set(keys_of(Config)):
                yield page.name, text


@pytest.mark.parametrize(("page", "text"), list(examples()))
def test_an_example_of_the_docs_is_taken_by_the_schema(page: str, text: str) -> None:
    config = tomllib.loads(text)
    for profile in config.get("profiles", {}).values():
        profile.setdefault("base_url", "https://api.example.com")
    errors = [f"{error.instance_path}: {error.message}" for error in SCHEMA.iter_errors(config)]
    assert errors == []


def test_there_are_examples_of_most_tables() -> None:
    assert len(list(examples())) >= 12
