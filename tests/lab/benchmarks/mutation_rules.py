"""Which mutants are passed over, because nothing that a test could or should see depends on them.

Each rule looks at the innermost node of the syntax tree that holds the whole change, and at the nodes around it.
"""

import ast
import difflib
import functools
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|REPLACE|FROM|WHERE|JOIN|VALUES|ORDER BY|LIMIT|SAVEPOINT)\b")
LOG_METHODS = {"debug", "info", "warning", "error", "exception"}


class Step(NamedTuple):
    """A node as it was and as the mutant has it; the innermost one of a change comes last."""

    before: ast.AST
    after: ast.AST | None


class MutantSource:
    """A mutant's function, beside the function as it was written."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        module, _, function = name.rpartition(".")
        path = folder / "src" / (module.replace(".", "/") + ".py")
        if not path.exists():
            path = path.with_suffix("") / "__init__.py"
        functions = _functions(path)
        self._before = functions[function.rpartition("__mutmut_")[0] + "__mutmut_orig"]
        self._after = functions[function]

    @property
    def change(self) -> str:
        """The lines that differ, as a diff shows them."""
        before, after = (ast.unparse(tree).splitlines() for tree in (self._before, self._after))
        lines = difflib.unified_diff(before, after, n=0, lineterm="")
        return "\n".join(
            "    " + line
            for line in lines
            if not line.startswith(("---", "+++", "@@")) and "__mutmut_" not in line
        )

    def steps(self) -> list[Step]:
        """Return the nodes around the change, the outermost first."""
        steps = []
        pair: Step | None = Step(self._before, self._after)
        while pair is not None:
            steps.append(pair)
            pair = _differing_child(*pair)
        return steps


@functools.cache
def _functions(path: Path) -> dict[str, ast.AST]:
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in ast.walk(tree) if isinstance(node, kinds) and "__mutmut_" in node.name}


def _differing_child(before: ast.AST, after: ast.AST | None) -> Step | None:
    """Return the only child that differs, or None where the node itself or several children do."""
    if after is None or type(before) is not type(after):
        return None
    found: list[Step] = []
    for field in before._fields:
        if field == "name" and isinstance(before, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        old, new = getattr(before, field, None), getattr(after, field, None)
        if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            pairs = list(zip(old, new, strict=True))
        else:
            pairs = [(old, new)]
        for one, other in pairs:
            if _dump(one) != _dump(other):
                if not isinstance(one, ast.AST) or not isinstance(other, ast.AST):
                    return None
                found.append(Step(one, other))
    return found[0] if len(found) == 1 else None


def _dump(value: object) -> str:
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _changes_words(steps: Sequence[Step]) -> bool:
    text = _changed_text(steps)
    return text is not None and bool(re.search(r"[a-z] +[a-z]", text[0])) and not SQL.search(text[0])


def _changes_case_of_sql(steps: Sequence[Step]) -> bool:
    text = _changed_text(steps)
    return text is not None and bool(SQL.search(text[0])) and "'" not in text[0] and _differ_in_case(*text)


def _changes_case_of_encoding(steps: Sequence[Step]) -> bool:
    text = _changed_text(steps)
    return text is not None and text[0].lower() in ("utf-8", "ascii") and _differ_in_case(*text)


def _changes_log(steps: Sequence[Step]) -> bool:
    return any(
        isinstance(step.before, ast.Call)
        and isinstance(step.before.func, ast.Attribute)
        and step.before.func.attr in LOG_METHODS
        and isinstance(step.before.func.value, ast.Name)
        and step.before.func.value.id == "log"
        for step in steps
    )


def _changes_type_of_cast(steps: Sequence[Step]) -> bool:
    for outer, inner in itertools.pairwise(steps):
        call = outer.before
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "cast" and inner.before is call.args[0]:
            return True
    return False


def _changes_check_of_lengths(steps: Sequence[Step]) -> bool:
    call, after = steps[-1]
    if isinstance(call, ast.keyword) and call.arg == "strict":
        return True
    if len(steps) > 1 and isinstance(steps[-2].before, ast.keyword) and steps[-2].before.arg == "strict":
        return True
    if not (isinstance(call, ast.Call) and isinstance(after, ast.Call) and ast.unparse(call.func) == "zip"):
        return False
    return len(call.args) == len(after.args) and len(call.keywords) > len(after.keywords)


def _changed_text(steps: Sequence[Step]) -> tuple[str, str] | None:
    before, after = steps[-1]
    if isinstance(before, ast.Constant) and isinstance(after, ast.Constant):
        texts = before.value, after.value
        if isinstance(texts[0], str) and isinstance(texts[1], str):
            return texts
    return None


def _differ_in_case(before: str, after: str) -> bool:
    return before.lower() == after.lower()


RULES: dict[str, Callable[[Sequence[Step]], bool]] = {
    "words for people, of two or more; the screenshots and tests of whole screens hold them": _changes_words,
    "the case of SQL without texts: SQLite doesn't distinguish it": _changes_case_of_sql,
    "the case of a codec's name: Python doesn't distinguish it": _changes_case_of_encoding,
    "a line of the log, which is no part of the rules": _changes_log,
    "the type that `cast` is given for the type checker: it does nothing when it runs": _changes_type_of_cast,
    "`strict=` of a `zip` over lists that are always of the same length": _changes_check_of_lengths,
}


def reason_to_skip(source: MutantSource) -> str:
    """Return why a mutant is passed over; "" if it must be noticed."""
    steps = source.steps()
    return next((reason for reason, applies in RULES.items() if applies(steps)), "")
