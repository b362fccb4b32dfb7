"""Data files of the sandbox: the seeded business (TOML), its storage's migrations (SQL), added schemas (JSON)."""

import tomllib
from importlib.resources import files
from typing import Any


def read_text(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def read_table(name: str) -> dict[str, Any]:
    """Parse the file `<name>.toml` of this package."""
    return tomllib.loads(read_text(f"{name}.toml"))
