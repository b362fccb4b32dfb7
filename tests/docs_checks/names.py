"""Find the modules, folders, files and names that a page of docs mentions and that don't exist.

Called by test_names.py. A page is strict where every name in back ticks has to be one of the source's.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from source_tree import PACKAGE, SOURCE, source_files

ROOT = Path(__file__).parents[2]

OUTSIDE = frozenset(["ignore_imports", "lab", "pty", "slow", "snapshot_report.html", "utils", "esc"])
"""Words in back ticks that are no names of the source: of pyproject.toml, keys, what a plugin writes."""

_FENCE = re.compile(r"^```[\s\S]*?^```$|(?:^    .*\n)+", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_PATH = re.compile(r"(?<![\w./~<-])(?:[a-z_][\w-]*/)*(?:[a-z_][\w-]*/|[\w-]+\.(?:py|md))(?![\w/-])")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_WORD = re.compile(r"[A-Za-z_]\w+")
_COMMIT = re.compile(r"[0-9a-f]{8}")


def missing_names(page: str, *, folder: Path, is_strict: bool = False) -> list[str]:
    """Names of the page that don't exist, in its order.

    Args:
        page: Markdown.
        folder: where the page lies; its links begin there, and its paths may.
        is_strict: every name in back ticks is checked, not only paths and what begins with a folder of the source.
    """
    blocks = "\n".join(_FENCE.findall(page))
    prose = _FENCE.sub("\n", page)
    spans = _CODE.findall(prose)
    paths = [path for text in (*spans, blocks) for path in _PATH.findall(text)] if is_strict else []
    paths += [span for span in spans if _PATH.fullmatch(span)]
    missing = [path for path in paths if not (_path_exists(path) or (folder / path).exists())]
    missing += [link for link in _LINK.findall(prose) if "://" not in link and not (folder / link).exists()]
    for span in spans:
        if span in OUTSIDE or _COMMIT.fullmatch(span):
            continue
        if _DOTTED.fullmatch(span) and not _is_file_name(span):
            begins = span.removeprefix("frontdesk.").split(".")[0]
            is_ours = span.startswith("frontdesk.") or (is_strict and not span.startswith("."))
            if (is_ours or (_module([begins]) and not _is_key(span))) and not _name_exists(span):
                missing.append(span)
        elif is_strict and _WORD.fullmatch(span) and not (_module([span]) or span in names_in_source()):
            missing.append(span)
    return list(dict.fromkeys(missing))


def _is_file_name(span: str) -> bool:
    return _PATH.fullmatch(span) is not None or span.endswith((".toml", ".json", ".db", ".lock", ".log"))


def _is_key(span: str) -> bool:
    """Whether it is the id of a key or a setting, such as `campaign.watch`."""
    return span in strings_in_source()


def _path_exists(path: str) -> bool:
    return any((base / path).exists() for base in (ROOT, SOURCE, PACKAGE, ROOT / "docs", PACKAGE / "tui"))


def _module(parts: list[str]) -> Path | None:
    """Return the file of a module of the program or of a package beside it; None if there is none."""
    paths = (base.joinpath(*parts) for base in (PACKAGE, SOURCE))
    files = (file for path in paths for file in (path / "__init__.py", path.with_suffix(".py")))
    return next((file for file in files if file.exists()), None)


def _name_exists(span: str) -> bool:
    """Whether the first part names a module (by its last name too), a class or a table, and holds the rest."""
    parts = span.removeprefix("frontdesk.").split(".")
    for length in range(len(parts), 0, -1):
        if (file := _module(parts[:length])) is not None:
            return set(parts[length:]) <= _read(file).names
    if any(set(parts) <= set(_WORD.findall(sql)) for sql in _statements()):
        return True
    files = [file for file in _sources() if file.stem == parts[0] or parts[0] in _read(file).classes]
    return any(set(parts[1:]) <= _read(file).names for file in files)


@cache
def _sources() -> tuple[Path, ...]:
    return tuple(source_files())


@dataclass(frozen=True)
class SourceFile:
    """What pages may name of a file: its classes, all names that it defines or uses, and its strings."""

    classes: frozenset[str]
    names: frozenset[str]
    strings: frozenset[str]


@cache
def _read(file: Path) -> SourceFile:
    classes, names, strings = set[str](), set[str](), set[str]()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.ClassDef():
                classes.add(node.name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.alias():
                names.add(node.name)
            case ast.Name():
                names.add(node.id)
            case ast.Attribute():
                names.add(node.attr)
            case ast.arg():
                names.add(node.arg)
            case ast.Constant(value=str(text)):
                strings.add(text)
            case _:
                pass
    return SourceFile(frozenset(classes), frozenset(names | classes), frozenset(strings))


@cache
def strings_in_source() -> frozenset[str]:
    """Every string of the source: ids of keys and settings, SQL."""
    return frozenset(text for file in _sources() for text in _read(file).strings)


@cache
def names_in_source() -> frozenset[str]:
    """Every name that the source defines or uses, folders and modules, and the words of its SQL."""
    found = {name for file in _sources() for name in _read(file).names}
    found |= {file.stem for file in _sources()} | {file.parent.name for file in _sources()}
    return frozenset(found | {word for sql in _statements() for word in _WORD.findall(sql)})


@cache
def _statements() -> tuple[str, ...]:
    return tuple(text for text in strings_in_source() if re.search(r"\b(?:SELECT|CREATE|INSERT)\b", text))
