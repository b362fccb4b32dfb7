"""While privacy is on, what one has named oneself stays readable, and an agent has one alias everywhere."""

import ast
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight import preflight
from frontdesk.campaigns.preflight_facts import PreflightFacts
from frontdesk.campaigns.tui.wizard_form import line_choices
from frontdesk.campaigns.view import wizard
from frontdesk.campaigns.view.audience import AudienceProgress, column_name, layout_summary
from frontdesk.campaigns.view.preflight import DraftTestResult, preflight_facts
from frontdesk.campaigns.view.wizard import summary_facts
from frontdesk.config.settings import IS_READ_ONLY
from frontdesk.inbox.linear.sentences import added_tags
from frontdesk.inbox.view.parties import Parties, sender_name
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ReadOnly
from frontdesk.storage.records import ChangeState, DocumentRecord
from frontdesk.tui.dialog_flow import not_done
from frontdesk.workflows.reviews import creation_facts
from frontdesk.workflows.update_plan import plan_creation
from frontdesk.workflows.view.row import Problems, about, listed_facts, row
from frontdesk_api.contract.ids import AgentId, CampaignId, LineId, TagId, WorkflowId
from frontdesk_flows.checks.models import References
from frontdesk_lines import privacy
from frontdesk_lines.display_text import trusted
from frontdesk_lines.privacy import alias
from frontdesk_lists.models import ListLayout
from sample_records import NOW, VIEW, drawn, words
from source_tree import source_files
from workflows.view.test_row import PLAIN

LABEL = "Acme Home"


@pytest.fixture(autouse=True)
def private(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the aliases of earlier tests, which are kept until a process ends."""
    monkeypatch.setattr(privacy, "_privacy", privacy._Privacy(is_on=True))


def test_a_workflow_shows_its_line_and_our_own_words_but_not_its_name() -> None:
    record = replace(PLAIN, read_at=NOW)
    shown = drawn(about(record, VIEW)) + words(*row(record, Problems(), 200, VIEW))
    assert LABEL in shown
    assert re.search("active +yes", shown)
    assert "Plain" not in shown
    raw = {"isActive": True, "associatedToBusinessId": "L1", "name": "Plain"}
    listed = drawn(listed_facts(DocumentRecord("w", "Plain", raw), VIEW))
    assert LABEL in listed
    assert "yes" in listed
    assert "Plain" not in listed


def test_a_line_without_a_label_is_hidden_since_its_id_is_a_number() -> None:
    shown = drawn(about(replace(PLAIN, line_id="L2"), VIEW))
    assert "L2" not in shown


def test_a_review_and_a_campaign_show_the_line() -> None:
    file = {"name": "Plain", "associatedToBusinessId": "L1", "data": {"nodes": [], "edges": []}}
    review = drawn(
        creation_facts("Plain", "a file", plan_creation("Plain", file, lambda _: References()), VIEW), 80
    )
    assert LABEL in review
    draft = Draft(
        "d",
        CampaignId("c-d"),
        NOW,
        name="Spring",
        workflow_id=WorkflowId("w"),
        workflow_name="Plain",
        line_id=LineId("L1"),
    )
    found = preflight(draft, PreflightFacts(datetime.fromtimestamp(NOW, UTC)))
    lines = drawn(preflight_facts(draft, found, VIEW), 80).split("\n")
    assert f'the line "{LABEL}"' in "\n".join(lines)
    assert 'the workflow "•••••"' in "\n".join(lines)
    state = wizard.workflow_state(DocumentRecord("w", "Plain", {"isActive": True}), VIEW.line("L1")).text
    assert state == f"active · {LABEL}"
    (known,) = line_choices({"L1": LABEL}, {"L1": "whatsapp"}, "L1", VIEW)
    assert known.name.text == LABEL
    assert "WhatsApp" in known.note.text


def test_a_tag_of_the_config_is_named_and_another_is_hidden() -> None:
    tags = [(TagId("vip"), NOW, ChangeState.CONFIRMED), (TagId("zzz"), NOW, ChangeState.CONFIRMED)]
    said = added_tags(tags, VIEW).text
    assert "VIP" in said
    assert "zzz" not in said


@pytest.mark.parametrize("thread_first", [True, False])
def test_an_agent_has_one_alias_in_a_thread_and_on_a_task(thread_first: bool) -> None:
    raw = {"messageDirection": "outgoing", "initiator": "person", "agentIdentification": {"name": "Noa"}}
    made = [lambda: sender_name(raw, Parties())[0].text, lambda: VIEW.name(AgentId("noa")).text]
    shown = {each() for each in (made if thread_first else reversed(made))}
    assert len(shown) == 1
    assert shown.pop().startswith("Agent ")


def test_namesakes_keep_aliases_of_their_own() -> None:
    assert alias("Person", "1", "Dana") != alias("Person", "2", "Dana")
    assert alias("Person", "Dana", "Dana") == alias("Person", "1")


def test_a_refusal_in_own_words_stays_readable_and_one_that_quotes_is_hidden() -> None:
    assert not_done(ReadOnly(IS_READ_ONLY)).text == f"Nothing was done: {IS_READ_ONLY}."
    assert (
        not_done(NotPossible("it has changed since then")).text == "Nothing was done: it has changed since then."
    )
    hidden = (NotPossible("“Spring” is still in progress", quotes=True), ValueError("Spring"))
    assert [error for error in hidden if "Spring" in not_done(error).text] == []


@pytest.mark.slow
def test_no_reason_that_quotes_is_taken_for_own_words() -> None:
    """An f-string in a reason says `quotes`, or holds nothing but what is named here."""
    own = {"change_id", "self._no_way_back", "_describe_state(change)", "what", "number", "which"}
    quoting = [
        (path.name, call.lineno, inserted)
        for path in source_files()
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "NotPossible" and not call.keywords
        for part in ast.walk(call)
        if isinstance(part, ast.FormattedValue) and (inserted := ast.unparse(part.value)) not in own
    ]
    assert quoting == []


def test_the_wizard_shows_its_own_words() -> None:
    draft = Draft("d", CampaignId("c-d"), NOW, name="Spring", country="IL")
    listed = AudienceProgress()
    test = DraftTestResult(trusted("none yet"))
    lines = drawn(summary_facts(draft, listed, wizard.steps(draft, VIEW, listed, None), "", test, VIEW), 80)
    assert "now, as soon as you confirm" in lines
    layout = ListLayout("csv", size_bytes=10, encoding="utf-8", delimiter=";", head=(("phone", "Dana"),))
    assert wizard.list_values(wizard.SEPARATOR, AudienceProgress(layout=layout))[";"].text == "semicolon"
    assert layout_summary(layout).text == "CSV · utf-8 · semicolon-separated · 10 B"
    assert column_name(layout, 1, has_header=True).text == "column B · ••••"
