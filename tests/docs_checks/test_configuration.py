"""What docs/configuration.md says is true, and the reference has every variable that the program reads."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from page_sources.variables import VARIABLES

from api.client.test_failures import UNHEARD
from frontdesk.campaigns.alert_rules import AlertMeasure, rules
from frontdesk.config import ignored_variables
from frontdesk.config.extensions import AlertSetting
from frontdesk.config.hosts import HOST_KEYS, environment_name
from frontdesk.config.ignored_variables import IGNORED_VARIABLES
from frontdesk.config.settings import BUILT_IN_STATUSES, Settings
from frontdesk.config.tables import keys_of
from frontdesk.inbox.filter_words import AGES, FLAGS, NAMED, QueryField, parse
from frontdesk.service_clocks.clocks import ClockKind
from frontdesk.service_clocks.policies import read_policies
from frontdesk_lists import subprocess_reader
from source_tree import SOURCE, source_files

from .pages import DOCS, REFERENCE, code_blocks, codes, first_cells, section, table

PAGE = DOCS / "configuration.md"


def test_every_key_of_a_service_clock_is_in_the_docs_and_its_example_can_be_used() -> None:
    page = section(PAGE, "SLA")
    (example,) = code_blocks(page)
    policies = read_policies(
        tomllib.loads(example)["sla"], BUILT_IN_STATUSES, lambda match: "".join(parse(match).faults)
    )
    assert (policies.faults, policies.unknown, len(policies.all)) == ((), (), 1)
    assert all(f"**{kind.capitalize()}**" in page for kind in ClockKind)


def test_every_measure_of_an_alert_is_in_the_docs_and_every_example_can_be_read() -> None:
    page = section(PAGE, "Alerts on campaigns")
    examples = first_cells(page, "condition")
    assert len(rules([AlertSetting(each) for each in examples])) >= len(examples)
    named = {code.split()[0] for row in table(page, "condition") for cell in row for code in codes(cell)}
    assert named >= set(AlertMeasure)


def test_every_filter_word_is_in_the_docs_and_every_example_can_be_read() -> None:
    examples = first_cells(section(PAGE, "Filter words"), "write")
    found = [(each, parse(each)) for each in examples]
    assert [(each, query.faults) for each, query in found if query.faults] == []
    named = {term.what for _, query in found for term in query.terms}
    assert named == {*NAMED, *AGES, QueryField.IS, QueryField.TEXT, QueryField.FUZZY}
    assert {term.value for _, query in found for term in query.terms if term.what is QueryField.IS} == set(FLAGS)


@pytest.mark.slow
def test_every_variable_is_in_the_docs_and_no_other() -> None:
    documented = {each.name for each in VARIABLES if not each.reader}
    assert documented == read_variables()
    assert {each.name for each in VARIABLES}.isdisjoint(IGNORED_VARIABLES)
    page = (REFERENCE / "variables.md").read_text(encoding="utf-8")
    assert first_cells(page.split("## Ignored")[1], "variable") == list(IGNORED_VARIABLES)


@pytest.mark.parametrize(
    "source",
    [
        'environ.get("NEW_ONE", "")',
        'os.environ["NEW_ONE"]',
        '"NEW_ONE" in os.environ',
        'for name in ("NEW_ONE", "OTHER"):\n    if environ.get(name):\n        pass',
        'any(environ.get(name) for name in ("NEW_ONE",))',
    ],
)
def test_a_variable_that_is_read_is_found(source: str) -> None:
    tree = ast.parse(source)
    assert "NEW_ONE" in {name for node in ast.walk(tree) for name in _looked_up(node, _tables(tree))}


def test_every_variable_that_is_ignored_has_a_setting_or_a_command_to_use_instead() -> None:
    assert tuple(IGNORED_VARIABLES) == UNHEARD
    uses = set(IGNORED_VARIABLES.values()) - {"frontdesk login"}
    assert {use.removeprefix("settings.") for use in uses} <= set(keys_of(Settings))


def test_every_http_client_ignores_the_environment() -> None:
    """As the docs promise: httpx would follow proxies, certificates and a netrc file of the environment."""
    sources = [text for path in source_files() if "httpx" in (text := path.read_text(encoding="utf-8"))]
    clients = [
        node
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"httpx.Client", "httpx.AsyncClient"}
    ]
    assert clients
    for client in clients:
        given = {each.arg: ast.unparse(each.value) for each in client.keywords}
        assert given.get("trust_env") == "False", ast.unparse(client)


def test_every_setting_that_an_error_of_the_client_names_is_in_the_docs() -> None:
    """As `ca_file` and `proxy` are: with the settings, and with what to do about the error."""
    sources = [path.read_text(encoding="utf-8") for path in (SOURCE / "frontdesk_api" / "client").glob("*.py")]
    named = {name for source in sources for name in re.findall(r"\bsettings\.(\w+)", source)}
    assert {"ca_file", "proxy"} <= named
    assert named <= set(first_cells(section(REFERENCE / "settings.md", "Settings"), "key"))
    assert named <= set(codes(section(DOCS / "troubleshooting.md", "The network and certificates")))


def read_variables() -> set[str]:
    """Return the environment variables that the source names: looked up, or of the hosts and credentials.

    Those that doctor looks for, to say that they are ignored, aren't among them, nor those that are passed on to
    the process that loads lists.
    """
    found = {environment_name(key) for key in HOST_KEYS}
    others = {Path(str(each.__file__)) for each in (ignored_variables, subprocess_reader)}
    for path in set(source_files()) - others:
        source = path.read_text(encoding="utf-8")
        if "environ" not in source:
            continue
        tree = ast.parse(source)
        tables = _tables(tree)
        for node in ast.walk(tree):
            found |= _looked_up(node, tables)
    return found


def _tables(tree: ast.Module) -> dict[str, set[str]]:
    """Return the module's constants whose strings all could be variables, by name."""
    tables = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                tables[name] = {each for each in _strings(value) if each.isupper() and "_" in each}
            case _:
                pass
    return tables


def _looked_up(node: ast.AST, tables: dict[str, set[str]]) -> set[str]:
    """Return the variables of an expression: `environ.get("X")`, `environ["X"]`, `"X" in environ`, and loops."""
    match node:
        case ast.Call(func=ast.Attribute(value=source, attr="get"), args=[argument, *_]) if _is_environ(source):
            return _strings(argument)
        case ast.Subscript(value=source, slice=key) if _is_environ(source):
            return _strings(key)
        case ast.Compare(left=left, comparators=[source]) if _is_environ(source):
            return _strings(left)
        case ast.GeneratorExp(elt=element, generators=[loop]) if any(map(_is_environ, ast.walk(element))):
            return _strings(loop.iter) | _of_tables(loop.iter, tables)
        case ast.For(iter=source) if any(map(_is_environ, ast.walk(node))):
            return (_strings(source) if isinstance(source, ast.Tuple) else set()) | _of_tables(node, tables)
        case ast.DictComp() | ast.ListComp() if any(map(_is_environ, ast.walk(node))):
            return _of_tables(node, tables)
        case _:
            return set()


def _of_tables(node: ast.AST, tables: dict[str, set[str]]) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return {variable for name in names for variable in tables.get(name, ())}


def _is_environ(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name == "environ"


def _strings(node: ast.AST) -> set[str]:
    found = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {each for each in found if isinstance(each, str) and each.isupper() and not each.endswith("_")}
