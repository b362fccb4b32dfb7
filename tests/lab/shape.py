"""Prints how large the program is and how much of it only hands things on.

    PYTHONPATH=tests .venv/bin/python -m lab.shape [SOURCE ...]     a column for each folder; default: ours

A parameter is only passed on if each use of it is an argument of a call, as it is.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from shown_texts import SOURCE, shown_texts

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    """Print the table."""
    sources = [Path(each) for each in sys.argv[1:]] or [SOURCE]
    columns = [dict(figures(each)) for each in sources]
    for name in columns[0]:
        sys.stdout.write(f"{name:<32}" + "".join(f"{each[name]:>12}" for each in columns) + "\n")
    return 0


def figures(source: Path) -> Iterator[tuple[str, str]]:
    """Yield each figure of the program in this folder with its name."""
    paths = sorted(source.rglob("*.py"))
    trees = [ast.parse(each.read_text("utf-8")) for each in paths]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, Function)]
    passed_on = [is_only_passed_on(each, name) for each in functions for name in parameters(each)]
    yield "lines", f"{sum(map(lines, paths)):,}"
    yield "lines in app/", f"{sum(lines(each) for each in paths if 'app' in each.parts):,}"
    yield "files", f"{len(paths):,}"
    yield "files in app/", f"{sum('app' in each.parts for each in paths):,}"
    yield "functions", f"{len(functions):,}"
    yield "parameters", f"{len(passed_on):,}"
    yield "only passed on", f"{sum(passed_on) / len(passed_on):.1%}"
    yield "texts that people read", f"{len({each.text for each in shown_texts(source)}):,}"


def lines(path: Path) -> int:
    """Return the number of lines of a file."""
    return len(path.read_bytes().splitlines())


def parameters(function: Function) -> Sequence[str]:
    """Return the names of a function's parameters, without `self`."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [each for each in names if each not in ("self", "cls")]


def is_only_passed_on(function: Function, name: str) -> bool:
    """Return whether a parameter is used, and only as an argument of calls."""
    nodes = [each for statement in function.body for each in ast.walk(statement)]
    uses = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
    arguments = {
        id(value)
        for call in nodes
        if isinstance(call, ast.Call)
        for value in (*call.args, *(keyword.value for keyword in call.keywords))
    }
    return bool(uses) and all(id(each) in arguments for each in uses)


if __name__ == "__main__":
    raise SystemExit(main())
