"""A config.toml of a test's own."""

from pathlib import Path

import pytest

from frontdesk.config.settings import config_path


class ConfigFile:
    """The config that the program finds."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, text: str) -> None:
        self._path.write_text(text)

    def read(self) -> str:
        return self._path.read_text()


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConfigFile:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    config_path().parent.mkdir(parents=True)
    return ConfigFile(config_path())
