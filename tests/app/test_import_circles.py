"""No module imports one that imports it at any distance; layers hold folders, this holds files."""

import tomllib

import grimp

from source_tree import PACKAGE, SOURCE


def _circles(graph: grimp.ImportGraph) -> list[set[str]]:
    """The groups of modules that reach each other."""
    above = {each: graph.find_downstream_modules(each) for each in graph.modules}
    found: list[set[str]] = []
    for module in sorted(graph.modules):
        circle = {each for each in above[module] if module in above[each]} | {module}
        if len(circle) > 1 and circle not in found:
            found.append(circle)
    return found


def test_no_file_is_in_a_circle_of_imports() -> None:
    graph = grimp.build_graph("frontdesk", exclude_type_checking_imports=True)
    assert len(graph.modules) > 300
    assert not _circles(graph)


def test_a_circle_is_found() -> None:
    graph = grimp.ImportGraph()
    for each in "abc":
        graph.add_module(each)
    graph.add_import(importer="a", imported="b")
    graph.add_import(importer="b", imported="a")
    graph.add_import(importer="b", imported="c")
    assert _circles(graph) == [{"a", "b"}]


def test_each_module_of_the_linear_mode_and_the_command_line_is_in_a_layer() -> None:
    """The folders lie in two layers each: what joins features, and below the features the kit."""
    found = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(each["layers"] for each in found if each.get("containers") == ["frontdesk"])
    named = [name.strip() for layer in layers for name in layer.replace("|", ":").split(":")]
    modules = {f"{each}.{path.stem}" for each in ("linear", "cli") for path in (PACKAGE / each).glob("*.py")}
    assert {name for name in named if "." in name} == modules - {"linear.__init__", "cli.__init__"}
