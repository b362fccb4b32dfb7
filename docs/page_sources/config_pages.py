"""The page of all keys of config.toml, and the JSON schema with which editors complete them."""

import json
from dataclasses import MISSING
from typing import Any

from frontdesk.app.screens import KEYMAP
from frontdesk.config.settings_table import ConfigTable
from page_sources.config_tables import Key, TableEntry, keys_in, tables
from page_sources.markdown import link, page, table, wrap

_TYPES = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "number",
    list: "list of texts",
    dict: "table of texts",
}
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def settings_page() -> str:
    """Return the page with every table and key."""
    return page(
        "Settings and profile fields",
        "config/settings_table.py and the tables that it names",
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
    meaning = key.meaning
    named = "Keys" if key.kind is dict else "Values"
    values = f" {named}: {_codes(meaning.choices)}." if meaning.choices else ""
    limit = f" At most {meaning.maximum:,.0f}." if meaning.maximum is not None else ""
    see = f" See {link(meaning.see)}." if meaning.see else ""
    return [f"`{key.name}`", _type(key), _default(key), f"{meaning.text}{values}{limit}{see}"]


def _codes(choices: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in choices)


def _type(key: Key) -> str:
    if key.is_table:
        return "list of tables" if key.is_list else "table"
    return _TYPES[key.kind]


def _default(key: Key) -> str:
    if key.is_needed:
        return "required"
    if key.meaning.default:
        is_key = key.meaning.default.isidentifier() and "_" in key.meaning.default
        return (
            f"`{key.meaning.default}`"
            if is_key or key.meaning.default in ("false", '"15m"')
            else key.meaning.default
        )
    if key.default is MISSING:
        return ""
    written = json.dumps(key.default, ensure_ascii=False)
    return f"`{written.removesuffix('.0')}`"


def schema_text() -> str:
    """Return the JSON schema of the file, as JSON."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",  # which taplo reads
        "title": "frontdesk's config.toml",
        **_table_schema(ConfigTable),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _table_schema(of: Any) -> dict[str, Any]:
    keys = keys_in(of)
    needed = [each.name for each in keys if each.is_needed]
    return {
        "type": "object",
        "properties": {each.name: _key_schema(each) for each in keys},
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
    }


def _key_schema(key: Key) -> dict[str, Any]:
    meaning = key.meaning
    about: dict[str, Any] = {"description": meaning.text}
    if key.default is not MISSING:
        about["default"] = key.default
    if key.is_table:
        inner = _table_schema(key.kind)
        if key.is_list:
            return {**about, "type": "array", "items": inner}
        if key.has_names:
            names = {"pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
            return {**about, "type": "object", "additionalProperties": inner, "propertyNames": names}
        return {**about, **inner}
    if key.kind is dict:
        return {**about, **_texts_by_name(key)}
    if key.kind is list:
        return {**about, "type": "array", "items": {"type": "string", **_text_rules(key)}}
    limits: dict[str, Any] = {}
    if meaning.above is not None:
        limits["exclusiveMinimum"] = meaning.above
    if meaning.maximum is not None:
        limits["maximum"] = meaning.maximum
    return {**about, "type": _JSON_TYPES[key.kind], **_text_rules(key), **limits}


def _text_rules(key: Key) -> dict[str, Any]:
    rules: dict[str, Any] = {"enum": list(key.meaning.choices)} if key.meaning.choices else {}
    return {**rules, "pattern": key.meaning.pattern} if key.meaning.pattern else rules


def _texts_by_name(key: Key) -> dict[str, Any]:
    described = (
        {each.id: each.help for each in KEYMAP} if key.name == "keymap" else dict.fromkeys(key.meaning.choices)
    )
    properties = {
        name: {"type": "string", **({"description": does} if does else {})} for name, does in described.items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}
