"""What `.ci/python_versions.py` takes for an interpreter of a version."""

import os
import runpy
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci" / "python_versions.py"
FIND = runpy.run_path(str(CI))["_find"]
THIS_ONE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def executable(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def test_a_shim_without_its_version_is_passed_over_for_one_of_pyenv(folder: Path) -> None:
    executable(folder / f"python{THIS_ONE}", "#!/bin/sh\necho 'command not found' >&2; exit 127\n")
    executable(folder / f"pyenv/versions/{THIS_ONE}.1/bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert FIND(THIS_ONE) == str(folder / f"pyenv/versions/{THIS_ONE}.1/bin/python")


def test_an_interpreter_of_another_version_than_its_name_is_none(folder: Path) -> None:
    executable(folder / "python3.99", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert FIND("3.99") is None
