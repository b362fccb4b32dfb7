"""docs/configuration.md has every key, setting and variable that the program reads, and no other."""

import ast
import re
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from frontdesk.app.screens import KEYMAP
from frontdesk.campaigns.alert_rules import AlertMeasure, rules
from frontdesk.config import ignored_variables
from frontdesk.config.actions import Action
from frontdesk.config.alerts import AlertSetting
from frontdesk.config.hosts import HOST_KEYS, environment_name
from frontdesk.config.ignored_variables import IGNORED_VARIABLES
from frontdesk.config.settings import _CHOICES, BUILT_IN_STATUSES, PROFILE_KEYS, SavedView, Settings
from frontdesk.config.team import TeamSettings
from frontdesk.inbox.saved_views import AGES, FLAGS, NAMED, QueryField, parse
from frontdesk.service_clocks.clocks import ClockKind
from frontdesk.service_clocks.policies import KEYS, read_policies
from frontdesk.tui.keymap import display_key

from .names import PACKAGE
from .pages import DOCS, codes, first_cells, section, table

PAGE = DOCS / "configuration.md"
SYSTEM = "XDG_"
"""The prefix of variables that platformdirs reads."""


def test_every_key_is_in_the_docs_and_no_other() -> None:
    rows = [row for row in section(PAGE, "Keys").splitlines() if row.startswith("| `")]
    assert rows == [f"| {' | '.join(_cells(key))} |" for key in KEYMAP]


def _cells(key: Action) -> tuple[str, ...]:
    where = ["everywhere" if each == "app" else each for each in key.contexts]
    return f"`{key.id}`", " ".join(f"`{display_key(name)}`" for name in key.keys), key.help, ", ".join(where)


def test_every_setting_is_in_the_docs_and_no_other() -> None:
    beside = {"extensions", "sla"}  # the lists [[commands]], [[hooks]] and [[sla]], documented by themselves
    names = {each.name for each in fields(Settings)} - beside
    assert sorted(first_cells(section(PAGE, "Settings"), "key")) == sorted(names)


@pytest.mark.parametrize("key", sorted(_CHOICES))
def test_every_choice_of_a_setting_is_in_the_docs(key: str) -> None:
    row = next(row for row in table(section(PAGE, "Settings"), "key") if codes(row[0]) == [key])
    text = " ".join(row) + section(PAGE, "Hebrew and Arabic")
    assert {choice for choice in _CHOICES[key] if f'"{choice}"' not in text} == set()


def test_every_default_of_a_setting_is_the_documented_one() -> None:
    for key, default, _ in table(section(PAGE, "Settings"), "key"):
        value = getattr(Settings(), codes(key)[0])
        if codes(default):
            written = f'"{value}"' if isinstance(value, str) else str(value).lower()
            assert codes(default) == [written.removesuffix(".0")], key
        else:
            assert not value, key


def test_every_field_of_a_profile_is_in_the_docs_and_no_other() -> None:
    assert sorted(first_cells(section(PAGE, "Profiles"), "key in `[profiles.NAME]`")) == sorted(PROFILE_KEYS)


def test_every_field_of_a_team_is_in_the_docs_and_no_other() -> None:
    rows = table(section(PAGE, "A team"), "key in `[profiles.NAME.team]`")
    assert [codes(row[0]) for row in rows] == [[each.name] for each in fields(TeamSettings)]
    defaults = {each.name: f'"{each.default}"' for each in fields(TeamSettings) if each.default is not MISSING}
    assert {codes(row[0])[0]: codes(row[1])[0] for row in rows if codes(row[1])} == defaults


def test_every_field_of_a_view_and_an_alert_is_in_the_docs_and_no_other() -> None:
    views = first_cells(section(PAGE, "Saved views"), "key in `[[settings.views]]`")
    assert views == [each.name for each in fields(SavedView)]
    alerts = first_cells(section(PAGE, "Alerts on campaigns"), "key in `[[settings.alerts]]`")
    assert alerts == [each.name for each in fields(AlertSetting)]


def test_every_key_of_a_service_clock_is_in_the_docs_and_its_example_can_be_used() -> None:
    page = section(PAGE, "Service clocks")
    rows = table(page, "key in `[[sla]]`")
    assert [codes(row[0])[0] for row in rows] == list(KEYS)
    example = "\n".join(line.removeprefix("    ") for line in page.splitlines() if line.startswith("    "))
    policies = read_policies(
        tomllib.loads(example)["sla"], BUILT_IN_STATUSES, lambda match: "".join(parse(match).faults)
    )
    assert (policies.fault, policies.unknown, len(policies.all)) == ("", (), 1)
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
    page = section(PAGE, "Environment variables")
    text, ignored = page.split("These are **ignored**")
    named = {code for code in codes(text) if code.isupper()}
    read = read_variables()
    assert {each for each in named if not each.startswith(SYSTEM)} == read
    assert {code for code in first_cells(ignored, "ignored variable") if code.isupper()}.isdisjoint(read)


def test_every_variable_that_is_ignored_is_in_the_docs_with_its_setting_and_no_other() -> None:
    rows = table(section(PAGE, "Environment variables"), "ignored variable")
    written = {code: codes(row[1]) for row in rows for code in codes(row[0]) if code.isupper()}
    assert written == {name: [use.removeprefix("settings.")] for name, use in IGNORED_VARIABLES.items()}
    settings = {use.removeprefix("settings.") for use in IGNORED_VARIABLES.values() if use.startswith("settings.")}
    assert settings <= {each.name for each in fields(Settings)}


def test_every_http_client_ignores_the_environment() -> None:
    """As the docs promise: httpx would follow proxies, certificates and a netrc file of the environment."""
    sources = [text for path in PACKAGE.rglob("*.py") if "httpx" in (text := path.read_text(encoding="utf-8"))]
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
    sources = [path.read_text(encoding="utf-8") for path in (PACKAGE / "api" / "client").glob("*.py")]
    named = {name for source in sources for name in re.findall(r"\bsettings\.(\w+)", source)}
    assert {"ca_file", "proxy"} <= named
    assert named <= set(first_cells(section(PAGE, "Settings"), "key"))
    assert named <= set(codes(section(DOCS / "troubleshooting.md", "The network and certificates")))


def read_variables() -> set[str]:
    """Return the environment variables that the source names: looked up, or of the hosts and credentials.

    Those that doctor looks for, to say that they are ignored, aren't among them.
    """
    found = {environment_name(key) for key in HOST_KEYS}
    for path in set(PACKAGE.rglob("*.py")) - {Path(str(ignored_variables.__file__))}:
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
        case ast.DictComp() | ast.For() | ast.ListComp() if any(map(_is_environ, ast.walk(node))):
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
