"""An upgrade under a running program is noticed; what Python itself writes beside the modules is none."""

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.config.program_files import ProgramFiles, install_command, is_own_import


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An installed program."""
    inner = tmp_path / "program" / "part"
    inner.mkdir(parents=True)
    for path in (inner.parent / "__init__.py", inner / "one.py", inner / "two.py"):
        path.write_text("x = 1\n")
    return inner.parent


def replace_by_same_text(root: Path) -> None:
    new = root.parent / "new.py"
    new.write_text("x = 1\n")
    new.rename(root / "part" / "two.py")


@pytest.mark.parametrize(
    "change",
    [
        lambda root: root.rename(root.parent / "gone"),
        lambda root: (root / "part" / "two.py").unlink(),
        lambda root: (root / "part" / "three.py").write_text("x = 1\n"),
        replace_by_same_text,
    ],
)
def test_a_module_that_is_replaced_added_or_gone_is_an_update_that_stays_one(
    root: Path, change: Callable[[Path], object]
) -> None:
    files = ProgramFiles(root)
    assert not files.check()
    change(root)
    assert files.check()
    assert files.is_updated
    assert files.check()


def test_what_python_writes_beside_modules_is_no_update(root: Path) -> None:
    files = ProgramFiles(root)
    (root / "part" / "__pycache__").mkdir()
    (root / "part" / "__pycache__" / "two.pyc").write_bytes(b"")
    os.utime(root / "part", ns=(1, 1))
    assert not files.check()
    replace_by_same_text(root)
    assert files.check(), "also after that"


def test_an_import_of_ours_that_fails_is_told_from_others() -> None:
    assert is_own_import(ModuleNotFoundError("gone", name="frontdesk.tasks.tui.dialogs"))
    assert is_own_import(ImportError("cannot import name", name="frontdesk"))
    assert not is_own_import(ModuleNotFoundError("gone", name="frontdesks"))
    assert not is_own_import(ImportError("odd"))
    assert not is_own_import(OSError("gone"))


def test_the_command_is_for_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/front desk/bin/python")
    assert install_command("team") == "'/opt/front desk/bin/python' -m pip install 'frontdesk[team]'"


def test_without_pip_it_is_uvs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/bin/python")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert install_command("team") == "uv pip install --python /opt/bin/python 'frontdesk[team]'"
