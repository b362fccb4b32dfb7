"""The page of all keys of config.toml, and the JSON schema with which editors complete them."""

import json
from typing import Any

from frontdesk.config.settings import Config
from frontdesk.config.tables import Key, keys_of
from frontdesk.registry.keymap import KEYMAP
from page_sources.config_tables import TableEntry, shown_default, tables
from page_sources.markdown import link, page, table, wrap

_TYPES = {str: "text", bool: "true or false", int: "whole number", float: "number"}
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def settings_page() -> str:
    """Return the page with every table and key."""
    return page(
        "Settings and profile fields",
        "config/settings.py and the tables that it names",
        wrap(
            "Every key of `config.toml` with its type, default and values. "
            f"{link('configuration.md')} explains them, with examples; "
            f"{link('configuration.md#completion-in-your-editor', 'your editor')} can complete them."
        ),
        *(block for each in tables() for block in _section(each)),
    )


def _section(entry: TableEntry) -> list[str]:
    name = entry.heading.strip("[]").rpartition(".")[2]
    title = "At the top" if not name else "Profiles" if name == "NAME" else name.capitalize().replace("_", " ")
    return [
        f"## {title}",
        f"In `{entry.heading}`:" if entry.heading else "Before any table:",
        table(("key", "type", "default", "means"), (_row(each) for each in entry.keys)),
    ]


def _row(key: Key) -> list[str]:
    named = "Keys" if key.shape is dict else "Values"
    values = f" {named}: {_codes(key.choices)}." if key.choices else ""
    limit = f" At most {key.maximum:,.0f}." if key.maximum is not None else ""
    see = f" See {link(key.see)}." if key.see else ""
    return [f"`{key.name}`", _type(key), _default(key), f"{key.text}{values}{limit}{see}"]


def _codes(choices: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in choices)


def _type(key: Key) -> str:
    if key.is_table:
        return "list of tables" if key.shape is list else "table"
    return f"{key.shape.__name__} of texts".replace("dict", "table") if key.shape else _TYPES[key.item]


def _default(key: Key) -> str:
    if key.is_needed:
        return "required"
    if key.without:
        is_key = key.without.isidentifier() and "_" in key.without
        return f"`{key.without}`" if is_key or key.without.startswith('"') else key.without
    if (default := shown_default(key)) is None:
        return ""
    written = json.dumps(default, ensure_ascii=False)
    return f"`{written.removesuffix('.0')}`"


def schema_text() -> str:
    """Return the JSON schema of the file, as JSON."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",  # which taplo reads
        "title": "frontdesk's config.toml",
        **_table_schema(Config),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _table_schema(of: Any) -> dict[str, Any]:
    keys = keys_of(of).values()
    needed = [each.name for each in keys if each.is_needed]
    return {
        "type": "object",
        "properties": {each.name: _key_schema(each) for each in keys},
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
    }


def _key_schema(key: Key) -> dict[str, Any]:
    about: dict[str, Any] = {"description": key.text}
    if (default := shown_default(key)) is not None:
        about["default"] = default
    if key.is_table:
        inner = _table_schema(key.item)
        if key.shape is list:
            return {**about, "type": "array", "items": inner}
        if key.shape is dict:
            names = {"pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
            return {**about, "type": "object", "additionalProperties": inner, "propertyNames": names}
        return {**about, **inner}
    if key.shape is dict:
        return {**about, **_texts_by_name(key)}
    if key.shape is list:
        return {**about, "type": "array", "items": {"type": "string", **_text_rules(key)}}
    limits = {} if key.maximum is None else {"exclusiveMinimum": 0, "maximum": key.maximum}
    return {**about, "type": _JSON_TYPES[key.item], **_text_rules(key), **limits}


def _text_rules(key: Key) -> dict[str, Any]:
    rules: dict[str, Any] = {"enum": list(key.choices)} if key.choices else {}
    return {**rules, "pattern": key.pattern} if key.pattern else rules


def _texts_by_name(key: Key) -> dict[str, Any]:
    described = {each.id: each.help for each in KEYMAP} if key.name == "keymap" else dict.fromkeys(key.choices)
    properties = {
        name: {"type": "string", **({"description": does} if does else {})} for name, does in described.items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}
