"""Names for ids, as rows show them."""

from datetime import UTC

import pytest

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs


@pytest.mark.parametrize(
    ("agent_id", "shown"),
    [
        ("agent-noa", "me"),
        ("agent-lina", "LK"),
        ("agent-cher", "C"),
        ("agent-daniel", "daniel"),
        ("tom@acme.example", "tom"),
        ("7f31c0de-55aa", "7f31c0d…"),
        ("agent-", "agent-"),
    ],
)
def test_initials_are_those_of_a_name_and_never_of_an_id(agent_id: str, shown: str) -> None:
    agents = {AgentId("agent-lina"): "Lina Maria Khoury", AgentId("agent-cher"): "Cher"}
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("agent-noa"), agents=agents)
    view = RenderContext(Catalogue(profile), glyphs(False), 0.0, UTC)
    assert view.initials(AgentId(agent_id)).text == shown
