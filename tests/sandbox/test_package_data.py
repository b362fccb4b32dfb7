"""The tables that the installed package brings."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT, DEFAULT_TASKS_LIMIT
from frontdesk_sandbox.data import read_table, read_text
from frontdesk_sandbox.dialogues import LANGUAGES
from frontdesk_sandbox.openapi import document
from frontdesk_sandbox.seeding.workflows import make_workflows

TABLES = (
    *(f"phrases_{code}" for code in LANGUAGES),
    *("ai_agents", "business", "campaigns", "messages", "task_titles", "workflows"),
)


def test_the_package_has_exactly_these_tables() -> None:
    found = {
        Path(each.name).stem for each in files("frontdesk_sandbox.data").iterdir() if each.name.endswith(".toml")
    }
    assert found == set(TABLES)


def test_each_table_is_read_from_anywhere(tmp_path: Path) -> None:
    script = f"from frontdesk_sandbox.data import read_table; assert all(map(read_table, {TABLES!r}))"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_each_language_has_names_goods_and_dialogues_of_known_speakers() -> None:
    gaps = dict.fromkeys(("name", "order", "item", "day", "amount", "agent"), "x")
    for language in LANGUAGES.values():
        assert min(map(len, (language.first_names, language.last_names, language.items, language.days))) >= 5
        for dialogue in (*language.dialogues, *language.exchanges):
            assert dialogue.topic in read_table("task_titles")
            assert len(dialogue.lines) >= 2
            for speaker, text in dialogue.lines:
                assert speaker in tuple("cbians")
                assert text.format_map(gaps)


def test_each_exit_and_step_of_a_workflow_leads_to_one_of_its_steps() -> None:
    for workflow in make_workflows(1_790_000_000):
        nodes = {node["id"] for node in workflow["parsedData"]}
        targets = [*workflow["trigger"]["connections"]["out"]]
        for node in workflow["parsedData"]:
            targets += node["connections"]["out"]
            targets += [target for way in node["subNodes"] for target in way["connections"]["out"]]
        assert set(targets) <= nodes


def test_the_openapi_document_has_the_defaults_of_the_contract() -> None:
    schemas, parameters = document()["components"]["schemas"], json.loads(read_text("openapi.json"))["parameters"]
    assert schemas["TaskQuery"]["properties"]["limit"]["default"] == DEFAULT_TASKS_LIMIT
    assert parameters["limit"]["schema"]["default"] == DEFAULT_AI_AGENTS_LIMIT
