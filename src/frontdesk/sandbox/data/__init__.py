"""Tables of the seeded business as TOML files: phrases, workflows, campaigns and what else fills the platform."""

import tomllib
from importlib.resources import files
from typing import Any


def read_table(name: str) -> dict[str, Any]:
    """Parse the file `<name>.toml` of this package."""
    return tomllib.loads((files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))
