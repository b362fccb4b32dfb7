"""How outcomes read: shares and how sure they are, the pace, and what to do."""

from zoneinfo import ZoneInfo

import pytest

from frontdesk.campaigns.delivery_results import DeliveryResultGroup, DeliveryResultsRecord, Estimate
from frontdesk.campaigns.view import delivery_results
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk_api.contract.ids import CustomerId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Line

VIEW = RenderContext(Catalogue(Profile("test", Hosts(*[""] * 5))), glyphs(False), 1_000.0, ZoneInfo("UTC"))
GROUPS = (
    DeliveryResultGroup("failed", "131026", "Undeliverable", 34, (CustomerId("4477"),)),
    DeliveryResultGroup("inProcess", "", "", 8),
    DeliveryResultGroup("read", "", "", 370),
)


def words(line: Line) -> str:
    return "".join(part.text.text for part in line).strip()


def record(**fields: object) -> DeliveryResultsRecord:
    known: dict[str, object] = {"total": 5_000, "checked": 412, "groups": GROUPS, "wanted": 800, "state": "asked"}
    return DeliveryResultsRecord(**(known | fields))  # type: ignore[arg-type]


def test_the_headline_says_how_many_were_looked_at_and_how_sure_the_share_is() -> None:
    assert words(delivery_results.headline(record(), 90)) == (
        "checked 412 of 5,000 · failed 8.3% (6.0 to 11.2) · on the way 1.9% · sent 89.8%"
    )
    assert words(delivery_results.headline(DeliveryResultsRecord(), 90)) == "no recipients checked yet"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Estimate(0.082, 0.069, 0.095), "8.2% (6.9 to 9.5)"),
        (Estimate(0.082, 0.0689, 0.0951), "8.2% (6.8 to 9.6)"),
        (Estimate(0.1, 0.1, 0.1), "10.0%"),
        (Estimate(0.0, 0.0, 0.0001), "0.0% (0.0 to 0.1)"),
    ],
)
def test_what_is_promised_is_rounded_up_and_certainty_needs_no_promise(found: Estimate, said: str) -> None:
    assert delivery_results.share(found) == said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"begun_at": 400.0, "begun_with": 12}, "40 a minute · about 10 minutes for 388 more"),
        ({"begun_at": 999.0}, "checking, as fast as the request limit allows"),
        ({"begun_at": 400.0, "begun_with": 412}, "checking, as fast as the request limit allows"),
        ({"begun_at": 400.0, "wanted": 2**31}, "41 a minute · about 2 hours for 4,588 more"),
        ({"state": "stopped"}, "stopped; the results so far are saved"),
        ({"state": "done"}, "checked as many as requested"),
        ({"state": "done", "checked": 5_000}, "all recipients checked"),
        ({"state": "failed", "problem": "it has failed"}, "stopped: it has failed"),
    ],
)
def test_the_pace_is_the_one_that_was_met(fields: dict[str, object], said: str) -> None:
    assert words(delivery_results.progress(record(**fields), 90, VIEW)).endswith(said)


def test_a_group_has_its_code_what_it_is_and_its_share_of_all() -> None:
    assert words(delivery_results.group_row(GROUPS[0], record(), 70, VIEW)).split() == (
        ["✗", "131026", "undeliverable", "34", "8.3%", "(6.0", "to", "11.2)"]
    )
    told = "\n".join(words(line) for line in delivery_results.group_lines(GROUPS[0], 60))
    assert "Check the number" in told
    assert "The platform says: Undeliverable" in told
    assert "For example: 4477" in told
