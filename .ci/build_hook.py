"""Hatchling's build hook (`tool.hatch` in pyproject.toml): puts the SBOM into the wheel."""

import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SbomHook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes the SBOM for a wheel; an editable one has none, since pyproject.toml may change under it."""

    PLUGIN_NAME = "custom"
    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        make = runpy.run_path(str(Path(self.root, ".ci", "sbom.py")))["sbom"]
        self._folder = Path(tempfile.mkdtemp())
        path = self._folder / "frontdesk.cdx.json"
        path.write_text(make(self.metadata.version, Path(self.root)), encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, *_: Any) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder)
