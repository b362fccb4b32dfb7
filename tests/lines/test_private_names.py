"""Each private name of Textual and Rich that the program leans on: another version of them fails here by name."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from textual import _ansi_sequences, _compositor, _keyboard_protocol, _xterm_parser
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.notifications import Notifications
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from source_tree import SOURCE, module_of, place_of, source_files

FOLDER = SOURCE / "frontdesk_lines" / "textual_compat"
FOREIGN = ("textual", "rich")
OF_NAMED_TUPLES = ("_asdict", "_fields", "_make", "_replace")
"""Public, by Python's documentation."""

NAMES: dict[Any, tuple[str, ...]] = {
    App: (
        "_batch_count",
        "_check_bindings",
        "_close_messages_no_wait",
        "_closed",
        "_css_update_count",
        "_display",
        "_driver",
        "_exception",
        "_exit",
        "_exit_renderables",
        "_fatal_error",
        "_handle_exception",
        "_keymap",
        "_notifications",
        "_previous_cursor_position",
        "_refresh_notifications",
        "_refresh_truecolor_filter",
        "_unnotify",
    ),
    Driver: ("_app",),
    Input: ("_cursor_visible",),
    LinuxDriver: ("_disable_mouse_support", "_enable_mouse_support", "_file", "_run_input_thread"),
    MessagePump: ("_task",),
    Notifications: ("_notifications", "_reap"),
    Screen: (
        "_binding_chain",
        "_bindings",
        "_compositor",
        "_compositor_refresh",
        "_css_update_count",
        "_dirty_widgets",
        "_forward_event",
        "_on_timer_update",
        "_select_state",
    ),
    Widget: ("_repaint_required",),
    _ansi_sequences: ("ANSI_SEQUENCES_KEYS", "SYNC_END", "SYNC_START"),
    _compositor: ("ChopsUpdate", "Compositor", "CompositorUpdate", "LayoutUpdate"),
    _keyboard_protocol: ("FUNCTIONAL_KEYS",),
    _xterm_parser: ("FOCUSIN", "FOCUSOUT", "XTermParser"),
    _compositor.Compositor: ("_dirty_regions", "_get_renders"),
}
"""Whose they are, and the names; of a private module whatever is imported from it."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("private names")]  # one worker reads Textual's source

LISTED = {name for names in NAMES.values() for name in names}


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        pytest.param(owner, name, id=f"{getattr(owner, '__name__', '')}.{name}")
        for owner, names in NAMES.items()
        for name in names
    ],
)
def test_textual_still_has(owner: object, name: str) -> None:
    assert name in own_names(owner) if inspect.isclass(owner) else hasattr(owner, name)


def test_the_list_has_every_private_name_that_the_folder_uses_and_no_other() -> None:
    used: set[str] = set()
    for path in FOLDER.glob("*.py"):
        used |= {name for _, name in foreign_names(path)} | set(private_imports(path))
    assert used == LISTED


def test_no_other_module_uses_a_private_name_of_textual_or_rich() -> None:
    """Neither on another object, which ruff's SLF001 would say too, nor on itself, as a subclass may."""
    others = [path for path in source_files() if FOLDER not in path.parents and uses_textual(path)]
    assert len(others) > 50
    found = [f"{place_of(path)}:{line} {name}" for path in others for line, name in foreign_names(path)]
    assert found + [name for path in others for name in private_imports(path)] == []


def uses_textual(path: Path) -> bool:
    return any(f"{start} {each}" in path.read_text() for start in ("from", "import") for each in FOREIGN)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and len(name) > 1 and name not in OF_NAMED_TUPLES


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def private_imports(path: Path) -> Iterator[str]:
    """What is imported from a private module of Textual or Rich, or as a private name from another."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FOREIGN:
            is_hidden = any(map(is_private, str(node.module).split(".")))
            yield from (each.name for each in node.names if is_hidden or is_private(each.name))
        elif isinstance(node, ast.Import):
            yield from (
                each.name
                for each in node.names
                if each.name.split(".")[0] in FOREIGN and any(map(is_private, each.name.split(".")))
            )


def foreign_names(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the name of each use of a private name that is Textual's or Rich's."""
    module = importlib.import_module(module_of(path))
    tree = tree_of(path)
    ours = {name for node in ast.walk(tree) for name in made_names(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
            if node.attr not in ours or node.attr in LISTED:
                yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and node.value in LISTED:
            yield node.lineno, str(node.value)
    for owner, node in classes(module, tree.body):
        theirs = {name for base in owner.__mro__ if is_foreign(base) for name in own_names(base)}
        own = set(node.body)
        for each in ast.walk(node):
            name = each.attr if isinstance(each, ast.Attribute) and is_own(each.value) else ""
            for used in {name} | (made_names(each) if each in own else set()):
                if used in theirs:
                    yield getattr(each, "lineno", 0), used


def is_own(value: ast.expr) -> bool:
    """`self`, `cls` or `super()`."""
    if isinstance(value, ast.Call):
        value = value.func
    return isinstance(value, ast.Name) and value.id in ("self", "cls", "super")


def made_names(node: ast.AST) -> set[str]:
    """The private names that a statement of a class or module makes."""
    names: list[str] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        names += [each.attr for each in targets if isinstance(each, ast.Attribute) and is_own(each.value)]
    return {name for name in names if is_private(name)}


def classes(owner: object, body: list[ast.stmt]) -> Iterator[tuple[type, ast.ClassDef]]:
    """The classes of a module, and those in them."""
    for node in body:
        if isinstance(node, ast.ClassDef) and inspect.isclass(found := getattr(owner, node.name, None)):
            yield found, node
            yield from classes(found, node.body)


def is_foreign(owner: type) -> bool:
    return owner.__module__.split(".")[0] in FOREIGN


@cache
def own_names(owner: type) -> frozenset[str]:
    """The private names that a class of Textual or Rich, or one that it is built on, has or gives its objects."""
    return frozenset(name for each in owner.__mro__ if is_foreign(each) for name in names_made_by(each))


@cache
def names_made_by(owner: type) -> frozenset[str]:
    tree = tree_of(Path(inspect.getfile(owner)))
    (node,) = (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and each.name == owner.__name__)
    made = {name for each in ast.walk(node) for name in made_names(each)}
    return frozenset(made | set(filter(is_private, vars(owner))))
