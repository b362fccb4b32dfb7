"""Four times the text costs about four times the work in each function that cleans or draws what others wrote."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from frontdesk_api.redaction import KNOWN, Redactor
from lab.hostile.long_texts import MAX_RATIO, UNITS, NotMade, arguments_of, cost, growth
from lab.sample import cases
from source_tree import module_of, source_files

_MARK = "outsidetext"
_OWN_WORDS = {
    "frontdesk.campaigns.view.wizard.list_value": "takes the key of a column",
    "frontdesk.campaigns.view.wizard.list_values": "takes the key of a column",
    "frontdesk_api.credential_values.credential_values": "takes a kind of credential",
    "frontdesk_lines.display_text.is_invisible": "takes one letter",
    "frontdesk.workflows.view.node_detail.row_facts": "takes the place of a row, which node_facts tells",
}
_ONE_LINE = {"frontdesk_lines.bidi.lay_out"}
_NOT_MADE = {
    "frontdesk_lines.display_text.show_error": "the text of an error, as show_line",
    "frontdesk_api.json_parser.describe_error": "the error of a parser, whose words are Python's",
    "frontdesk.outbox.snooze_view.snooze_change": "reads the store",
    "frontdesk.outbox.snooze_view.woken_words": "reads the store",
}


def _modules() -> list[str]:
    names = [module_of(path) for path in source_files()]
    shown = re.compile(
        r"frontdesk_lines\.(bidi|cell_width|copied_text|display_text|glyphs|lines|privacy|secrets)$"
        r"|frontdesk_api\.(redaction|credential_values|json_parser)|frontdesk\.text\."
    )
    return [each for each in names if shown.match(each) or re.search(r"\bview\b|_view$", each)]


def _functions(module: str) -> dict[str, Callable[..., Any]]:
    """Each public function of a module that takes text."""
    found: dict[str, Callable[..., Any]] = {}
    loaded = import_module(module)
    for name, each in vars(loaded).items():
        is_function = inspect.isfunction(each) or hasattr(each, "cache_clear")
        path = f"{module}.{name}"
        if not is_function or name[0] == "_" or each.__module__ != loaded.__name__ or path in _OWN_WORDS:
            continue
        try:
            if _MARK in repr(arguments_of(each, _MARK)):
                found[path] = each
        except NotMade:
            assert path in _NOT_MADE, path
    if module == "frontdesk_api.redaction":
        found["frontdesk_api.redaction.redact_refusal"] = KNOWN.redact_refusal
    return found


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials to be looked for in each text."""
    some = Redactor()
    some.add([("cookie", "token=abcDEF1234567890xyz; seen=spring-sale"), ("api_key", "k9Xk2mQ81LzPq77f")])
    monkeypatch.setattr(KNOWN, "_known", some._known)


@pytest.mark.lab
def test_every_function_can_be_called() -> None:
    """A commit measures a sample of the modules; here are all."""
    found = {path: function for module in _modules() for path, function in _functions(module).items()}
    assert len(found) > len(_modules()), "most modules have several"
    for function in found.values():
        cost(function, "ab", 2)


@pytest.mark.lab
@pytest.mark.parametrize("module", cases(_modules(), 12))
def test_no_text_costs_more_than_its_length(module: str) -> None:
    grown = {
        (path, name): round(growth(function, unit), 1)
        for path, function in _functions(module).items()
        for name, unit in UNITS.items()
        if unit != "\n" or path not in _ONE_LINE
    }
    assert not {each: ratio for each, ratio in grown.items() if ratio >= MAX_RATIO}
