"""What `frontdesk sync` prints of its connection, and when."""

from zoneinfo import ZoneInfo

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk.engine.main import ConnectionReport
from frontdesk.storage.records import Connection, Health
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import ASCII

NOW = 1_790_000_000.0
VIEW = RenderContext(
    Catalogue(Profile("acme", Hosts(*["https://platform.example"] * 5))), ASCII, NOW, ZoneInfo("Europe/Rome")
)
LIVE = Health(Connection.LIVE, fresh_at=NOW, heard_at=NOW)
OFFLINE = LIVE._replace(state=Connection.OFFLINE, reason="platform.example: no route", retry_at=NOW + 8)


def test_each_change_is_a_line_and_a_retry_is_none() -> None:
    report = ConnectionReport()
    later = OFFLINE._replace(retry_at=NOW + 16)
    printed = [report.line(each, VIEW) for each in (LIVE, LIVE, OFFLINE, later, OFFLINE, LIVE)]
    assert printed[0] == printed[5] == "live"
    assert printed[2].startswith("offline, platform.example: no route, retries at ")
    assert [printed[1], printed[3], printed[4]] == ["", "", ""]


def test_refused_credentials_come_with_what_to_do() -> None:
    refused = LIVE._replace(state=Connection.REFUSED, reason="401 from platform.example")
    assert ConnectionReport().line(refused, VIEW) == (
        "credentials refused, 401 from platform.example, run frontdesk login"
    )


def test_what_soon_turns_into_something_else_is_not_printed() -> None:
    report = ConnectionReport()
    for state in (Connection.STARTING, Connection.WAITING):
        assert report.line(LIVE._replace(state=state), VIEW) == ""
    assert report.line(LIVE, VIEW) == "live"
    assert report.line(LIVE._replace(state=Connection.WAITING), VIEW) == ""
    assert report.line(LIVE, VIEW) == ""


def test_an_engine_that_is_no_longer_heard_is_not_called_live() -> None:
    report = ConnectionReport()
    report.line(LIVE, VIEW)
    assert report.line(LIVE, VIEW._replace(now=NOW + 60)).startswith("not updating")
