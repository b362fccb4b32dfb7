"""The command that messages give for an extra: for the Python that runs, whatever manages its packages."""

import importlib.util
import sys

import pytest

from frontdesk.config.extras import install_command


def test_the_command_is_for_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/front desk/bin/python")
    assert install_command("team") == "'/opt/front desk/bin/python' -m pip install 'frontdesk[team]'"


def test_without_pip_it_is_uvs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/bin/python")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert install_command("team") == "uv pip install --python /opt/bin/python 'frontdesk[team]'"
