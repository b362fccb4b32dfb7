"""Lists the docstrings and comments of the source, for checks of their words."""

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Prose:
    """A docstring or a comment; the text is without code in back ticks."""

    path: Path
    line: int
    text: str
    is_docstring: bool = True
    of_class: str = ""


class Module(NamedTuple):
    """The prose of a module, and the bases of its classes by name."""

    prose: Sequence[Prose]
    bases: dict[str, Sequence[str]]


def parse_module(path: Path, source: str) -> Module:
    """Parse a module; neighbouring lines of comments are one text."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {
        each.name: [ast.unparse(base).split("[")[0].split(".")[-1] for base in each.bases] for each in classes
    }
    return Module([*_docstrings(path, tree), *_comments(path, source)], bases)


def exceptions_of(modules: Iterable[Module]) -> set[str]:
    """Return the names of classes that derive from an exception, directly or by one of these modules."""
    bases = {name: each for module in modules for name, each in module.bases.items()}

    def is_exception(name: str) -> bool:
        if name in bases:
            return any(map(is_exception, bases[name]))
        known = getattr(builtins, name, None)
        return name.endswith("Error") or (isinstance(known, type) and issubclass(known, BaseException))

    return {name for name in bases if is_exception(name)}


def _docstrings(path: Path, node: ast.AST) -> Iterator[Prose]:
    body = getattr(node, "body", [])
    for place, child in enumerate(body if isinstance(body, list) else ()):
        if (
            isinstance(child, ast.Expr)
            and isinstance(child.value, ast.Constant)
            and isinstance(child.value.value, str)
        ):
            name = node.name if isinstance(node, ast.ClassDef) and place == 0 else ""
            yield Prose(path, child.lineno, _without_code(child.value.value), of_class=name)
        else:
            yield from _docstrings(path, child)


def _comments(path: Path, source: str) -> Iterator[Prose]:
    found: list[Prose] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline) if "#" in source else ():
        if token.type != tokenize.COMMENT:
            continue
        text, line, is_alone = token.string.lstrip("# "), token.start[0], token.line.lstrip().startswith("#")
        if found and is_alone and found[-1].line + found[-1].text.count("\n") + 1 == line:
            before = found.pop()
            found.append(Prose(path, before.line, f"{before.text}\n{text}", is_docstring=False))
        else:
            found.append(Prose(path, line, text, is_docstring=False))
    return (Prose(each.path, each.line, _without_code(each.text), is_docstring=False) for each in found)


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", "`…`", text)
