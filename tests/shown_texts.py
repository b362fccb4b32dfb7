"""Lists the texts of the program that people read, by file and line, from its source.

    .venv/bin/python tests/shown_texts.py [FOLDER ...]      file:line <tab> text, a line each

Texts are the string literals of a module that read as words, and the docstrings of commands, which `--help`
prints: no SQL, no CSS, no names, patterns or formats. What an f-string inserts is shown as {…}.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from source_tree import SOURCE

INSERTED = "{…}"

_SQL = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE \w+ SET|UPDATE \w|DELETE FROM|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT"
    r"|WITH \w+( \(.*\))? AS|REPLACE INTO"
    r"|ATTACH|WHERE|ORDER BY|AND \w+ (=|IN|IS)|FROM \w+ |JOIN|LEFT JOIN|VALUES|UNION|LIMIT \?)"
)
_CSS = re.compile(r"[\w-]+\s*:\s*[^;{}]+;|\{\s*\n")
_WORDS = re.compile(r"[A-Za-z][a-z']+(?:[ ,:;]+\S+)+|^[A-Z][a-z]+( |$)|[a-z] [a-z]")


@dataclass(frozen=True, slots=True)
class ShownText:
    """A string literal of a module; `{…}` stands for what an f-string inserts."""

    path: Path
    line: int
    text: str


def shown_texts(folder: Path = SOURCE) -> Iterator[ShownText]:
    """Yield the texts of each module below the folder, or of one file."""
    for path in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
        yield from _texts_of(path)


def _texts_of(path: Path) -> Iterator[ShownText]:
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    skipped = {id(each) for each in _docstrings(nodes)} | {id(each) for each in _parts(nodes)}
    for node in nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(
                each.value if isinstance(each, ast.Constant) else INSERTED
                for each in node.values  # type: ignore[misc]
            )
        else:
            continue
        if reads_as_words(text):
            yield ShownText(path, node.lineno, text)


def reads_as_words(text: str) -> bool:
    """Whether people read it: words, and no SQL, CSS, path, name or pattern."""
    plain = text.replace(INSERTED, "x").strip()
    if _SQL.match(plain) or _CSS.search(plain) or "\\" in plain or "(?" in plain:
        return False
    return (bool(_WORDS.search(plain)) and " " in plain) or bool(re.fullmatch(r"[A-Z][a-z]{2,}…?", plain))


def _docstrings(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield bare strings: docstrings of modules, classes, functions and attributes, but not those of commands."""
    commands = {id(node.body[0]) for node in nodes if isinstance(node, ast.FunctionDef) and _is_command(node)}
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and id(node) not in commands:
            yield node.value


def _is_command(function: ast.FunctionDef) -> bool:
    return any(re.search(r"\.(command|callback)\(", ast.unparse(each)) for each in function.decorator_list)


def _parts(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the literal parts of f-strings, and strings that are annotations."""
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield from (each for each in ast.walk(node) if isinstance(each, ast.Constant))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns is not None:
                yield from _types(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield from _types(node.annotation)


def _types(annotation: ast.AST) -> Iterator[ast.AST]:
    """Yield an annotation's nodes, but no calls in it: their strings are the help of options."""
    if isinstance(annotation, ast.Call):
        return
    yield annotation
    for each in ast.iter_child_nodes(annotation):
        yield from _types(each)


def main(folders: list[str]) -> None:
    for folder in folders or [str(SOURCE)]:
        for each in shown_texts(Path(folder)):
            print(f"{each.path.relative_to(Path.cwd())}:{each.line}\t{each.text!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
