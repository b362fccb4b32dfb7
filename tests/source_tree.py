"""The source of the program and of the packages beside it."""

from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "frontdesk"
PACKAGES = tuple(sorted(path.parent.name for path in SOURCE.glob("*/__init__.py")))


def source_files() -> list[Path]:
    """Return each module."""
    return sorted(SOURCE.rglob("*.py"))


def place_of(path: Path) -> str:
    """Return the path of a module: `engine/features.py` of the program, `frontdesk_api/library.py` beside it."""
    return path.relative_to(PACKAGE if PACKAGE in path.parents else SOURCE).as_posix()


def module_of(path: Path) -> str:
    """Return the name that imports a module."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
