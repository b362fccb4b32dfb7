"""What the wallboard counts and says, and to whom its server gives it."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from html.parser import HTMLParser

import apsw
import pytest
from aiohttp import ClientSession

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import Settings
from frontdesk.outbox import queue
from frontdesk.outbox.commands import PRIVACY, VIEW
from frontdesk.storage import clients
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import Connection, Health, LateRead
from frontdesk.sync.scheduler import PollKind
from frontdesk.tasks import store as task_store
from frontdesk.web import wallboard
from frontdesk.web.wallboard import BoardServer, board_html, board_reader, read_board
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines import privacy
from frontdesk_lines.glyphs import ASCII
from sample_json import raw_task
from service_clocks.desk import HOUR, NOW, PROFILE, Desk

pytestmark = pytest.mark.anyio

SLA = Settings(sla=[{"name": "All", "zone": "UTC", "hours": ["mon-sun 00:00-24:00"], "first_response": "1h"}])
EVIL = '<script>alert("&")</script>'


class BoardText(HTMLParser):
    """The page's numbers as they are read: what each section has, by its id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sections: dict[str, list[str]] = {"": []}
        self.state: dict[str, str | None] = {}
        self._section, self._is_hidden = "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert tag in {
            *("div", "section", "h2", "p", "span", "bdi", "svg", "rect"),
            *("table", "caption", "thead", "tbody", "tr", "th", "td"),
        }
        if tag == "section":
            self._section = str(given["id"])
            self.sections[self._section] = []
        if given.get("id") == "numbers":
            self.state = given
        self._is_hidden = given.get("aria-hidden") == "true"
        if tag == "th":
            assert given["scope"] in ("col", "row")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._is_hidden:
            self.sections[self._section].append(data.strip())


async def read(store: Store, settings: Settings = SLA, now: float = NOW) -> BoardText:
    opened = ProfileStore(store, PROFILE, settings, lambda: now)
    view = RenderContext(opened.catalogue, ASCII, now, UTC)
    return BoardText(board_html(read_board(store.reading, opened), view))


async def heard(store: Store, at: float = NOW, state: Connection = Connection.LIVE) -> None:
    def write(db: apsw.Connection) -> None:
        clients.write_health(db, Health(state, since=at, fresh_at=at, heard_at=at))
        note_listed(db)

    await store.run(write)


async def put_campaign(store: Store, name: str = "Spring", read_at: float = NOW) -> None:
    def write(db: apsw.Connection) -> None:
        campaign_store.watch(db, [CampaignId("c1")], read_at)
        for second, sent in ((120, 0), (60, 300), (0, 600)):
            raw = {
                "id": "c1",
                "name": name,
                "status": "inProgress",
                "totalRecipients": 1_000,
                "startedAt": (read_at - 120) * 1000,
                "sentCount": sent,
                "failedCount": sent // 10,
            }
            campaign_store.put(db, CampaignId("c1"), raw, read_at - second)

    await store.run(write)


async def test_it_counts_who_waits_by_age_and_what_nobody_has_or_is_overdue(store: Store) -> None:
    desk = Desk(store)
    for number, minutes in enumerate((5, 20, 90, 600, 3_000)):
        await desk.write(number, minutes, assigned=("agent-noa",) if number else ())
    late = [raw_task(7, dueDate=int(NOW) - 60), raw_task(8, statusCase="completed", dueDate=int(NOW) - 60)]
    await store.run(lambda db: task_store.put(db, late))
    await heard(store)
    board = await read(store)
    assert board.state["data-state"] == "live"
    assert board.state["data-words"] == "Live"
    assert board.sections["waiting"][1] == "at least 5 customers"
    told = r"loaded 5 of 7, answers sent elsewhere as of \d\d:\d\d · as of .*"
    assert re.fullmatch(told, board.sections["waiting"][2]), "two threads weren't read"
    assert re.findall(r"\d+", " ".join(board.sections["ages"][4:][1::2])) == ["1"] * 5
    assert board.sections["unassigned"][1] == "2 open tasks"
    assert board.sections["overdue"][1] == "1 task"
    assert all("as of" in board.sections[each][-1] for each in ("waiting", "unassigned", "overdue", "late"))


async def test_late_promises_are_counted_by_kind_and_what_may_be_late_apart(store: Store) -> None:
    desk = Desk(store)
    await desk.write(1, 10)
    await desk.write(2, 90)
    await heard(store)
    board = await read(store)
    assert board.sections["late"][1] == "1 late SLA"
    rows = board.sections["promises"]
    at = rows.index("First response")
    assert rows[at : at + 5] == ["First response", "1", "0", "1", "0"], "late, may be, due within an hour, unknown"


async def test_what_is_unknown_is_no_zero(store: Store) -> None:
    board = await read(store)
    assert board.state["data-state"] == "old"
    assert "Nothing loaded yet" in str(board.state["data-words"])
    assert board.sections["waiting"][1] == "no customers found yet"
    assert board.sections["late"][1] == "no late SLAs found yet"
    at = board.sections["promises"].index("Resolution")
    assert board.sections["promises"][at + 1 : at + 5] == ["?"] * 4, "no clock was computed"
    assert (await read(store, Settings())).sections["late"][1] == "none set"
    broken = await read(store, Settings(sla=[{"name": "no target"}]))
    assert broken.sections["late"][1:2] == ["unknown"]
    assert "have an error" in broken.sections["late"][2]


async def test_a_wrong_sla_beside_good_ones_is_told(store: Store) -> None:
    await Desk(store).write(1, 90)
    await heard(store)
    late = (await read(store, Settings(sla=[{"name": "no target"}, *SLA.sla]))).sections["late"]
    assert late[1] == "at least 1 late SLA"
    assert "an SLA in the config has an error" in late[2]


async def test_a_store_that_nobody_updates_is_old_and_counted_as_of_its_last_update(store: Store) -> None:
    await Desk(store).write(1, 5)
    await heard(store)
    await put_campaign(store)
    board = await read(store, now=NOW + 2 * HOUR)
    assert board.state["data-state"] == "old"
    assert re.match(r"Old numbers, not updated since \d\d:\d\d: not updating", str(board.state["data-words"]))
    live = await read(store, now=NOW + 10)
    assert board.sections["ages"][4:6] == live.sections["ages"][4:6] == ["under 15 minutes", "1"]
    at = board.sections["campaigns"].index("Spring")
    assert board.sections["campaigns"][at + 1].startswith("? not updated since ")
    assert board.sections["campaigns"][at + 3] == "?", "a pace of two hours ago"


async def test_data_that_is_late_is_counted_as_of_then_and_said_to_be_late(store: Store) -> None:
    await Desk(store).write(1, 25)
    late = (LateRead(PollKind.TASKS_HEAD, "", 900.0),)
    health = Health(Connection.LIVE, since=NOW, fresh_at=NOW, heard_at=NOW, late=late)
    await store.run(lambda db: clients.write_health(db, health))
    board = await read(store)
    assert board.state["data-state"] == "live"
    assert board.state["data-words"] == "Delayed, data up to 15 min old"
    assert board.sections["ages"][4:6] == ["under 15 minutes", "1+"], "10 minutes by then"


async def test_a_campaign_has_its_end_and_outside_text_is_never_markup(store: Store) -> None:
    await heard(store)
    await put_campaign(store, EVIL)
    board = await read(store)
    at = board.sections["campaigns"].index(EVIL)
    ends, done, pace, lost = board.sections["campaigns"][at + 1 : at + 5]
    assert re.fullmatch(r"\d\d:\d\d( to \d\d:\d\d)?", ends)
    assert (done, pace, lost) == ("66%", "300", "9.1%")


async def test_privacy_hides_names_as_soon_as_the_inbox_on_the_profile_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(privacy, "_privacy", privacy._Privacy())
    await heard(store)
    await put_campaign(store, "Spring for Dana")
    numbers = board_reader(ProfileStore(store, PROFILE, clock=lambda: NOW))
    assert "Spring for Dana" in await numbers()
    await store.run(lambda db: queue.keep(db, VIEW, PRIVACY, True, NOW))
    hidden = await numbers()
    assert "Dana" not in hidden
    assert "Campaign 1" in hidden
    await store.run(lambda db: queue.keep(db, VIEW, PRIVACY, False, NOW))
    assert "Spring for Dana" in await numbers()


Numbers = Callable[[], Awaitable[str]]


@asynccontextmanager
async def served(read: Numbers, public: str = "") -> AsyncIterator[tuple[BoardServer, ClientSession]]:
    server = BoardServer(socket.create_server(("127.0.0.1", 0)), read, public)
    started, stopped = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(server.serve(started.set, stopped.wait()))
    async with ClientSession() as session:
        await started.wait()
        yield server, session
    stopped.set()
    await serving


def parts_of(server: BoardServer) -> tuple[str, dict[str, str]]:
    base, _, token = server.address.partition("/#")
    return base, {"Authorization": f"Bearer {token}"}


async def test_only_who_has_the_token_gets_a_number_and_the_page_has_none() -> None:
    asked = []

    async def numbers() -> str:
        asked.append(1)
        return "<div>secret</div>"

    async with served(numbers) as (server, session):
        base, right = parts_of(server)
        token = right["Authorization"].removeprefix("Bearer ")
        for path in ("/", "/board.js", "/token.js"):
            async with session.get(base + path) as reply:
                assert reply.status == 200
                text = await reply.text()
                assert token not in text
                assert "secret" not in text
        wrong: list[dict[str, str]] = [
            *({}, {"Authorization": token}, {"Authorization": f"Basic {token}"}, {"Authorization": "Bearer "}),
            *({"Authorization": f"Bearer {token[:-1]}"}, {"Cookie": f"token={token}"}, {"X-Token": token}),
        ]
        for headers in wrong:
            async with session.get(f"{base}/numbers?token={token}", headers=headers) as reply:
                assert reply.status == 403
        for foreign in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            async with session.get(f"{base}/numbers", headers=right | foreign) as reply:
                assert reply.status == 403
        async with session.post(f"{base}/numbers", headers=right) as reply:
            assert reply.status == 405
        assert not asked
        async with session.get(f"{base}/numbers", headers=right) as reply:
            assert await reply.text() == "<div>secret</div>"
            policy = reply.headers["Content-Security-Policy"]
            assert "default-src 'none'; " in policy
            assert "connect-src 'self';" in policy
            assert reply.headers["Cache-Control"] == "no-store"
            assert reply.headers["Connection"] == "close"


async def test_many_pages_read_the_store_once_and_a_store_that_fails_is_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = []

    async def numbers() -> str:
        reads.append(1)
        if len(reads) > 1:
            raise OSError("gone")
        return "one"

    async with served(numbers) as (server, session):
        base, right = parts_of(server)

        async def ask() -> tuple[int, str]:
            async with session.get(f"{base}/numbers", headers=right) as reply:
                return reply.status, await reply.text()

        assert set(await asyncio.gather(*(ask() for _ in range(8)))) == {(200, "one")}
        assert len(reads) == 1
        monkeypatch.setattr(wallboard, "MIN_SECONDS", 0.0)
        assert (await ask())[0] == 503


@pytest.mark.parametrize("host", ["desk.example.com", "127.0.0.1:1"])
async def test_a_public_name_is_accepted_with_its_own_origin_alone(host: str) -> None:
    async def numbers() -> str:
        return "one"

    async with served(numbers, "https://desk.example.com") as (server, session):
        base, right = parts_of(server)
        assert server.public_address == f"https://desk.example.com/#{right['Authorization'][7:]}"

        async def status(**headers: str) -> int:
            async with session.get(f"{base}/numbers", headers=right | headers) as reply:
                return reply.status

        assert await status(Host=host) == 200
        assert await status(Host=host, Origin="https://desk.example.com") == 200
        for origin in ("http://desk.example.com", "https://desk.example.com:8443", "https://evil.example", "null"):
            assert await status(Host=host, Origin=origin) == 403, origin
        for other in ("desk.example.com:8443", "desk.example.com.evil.example", "example.com"):
            assert await status(Host=other) == 403, other
        assert await status() == 200, "on this machine as before"
