"""`frontdesk journal`: who sent which change, by names where this desk knows them."""

import asyncio
from pathlib import Path

import pytest

from cli.commandline import Frontdesk, Typed
from frontdesk.config.paths import data_root
from frontdesk.demo.demo_desks import DemoTeam, desk_environment, read_access
from frontdesk.outbox import queue
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import parse_address
from frontdesk.relay.records import JournalEntry
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState, Made
from frontdesk.tasks import store as tasks
from frontdesk_api.contract.ids import ConversationId
from frontdesk_sandbox import fixtures
from postgres_server import PASSWORD, Team
from sample_json import raw_task

HERE = ConversationId("L1#C1")
TARGETS = ("task t1", "task gone", f"conversation {HERE}", "conversation of an unknown line", "workflow w1")


def entry(target: str, number: int = 0) -> JournalEntry:
    return JournalEntry(0.0, "", "", "", f"r{number}", "Edit", target, "", '{"title": "x"}', "confirmed")


def fill(store: Store) -> None:
    """Store what the targets are named by."""

    def write(db: object) -> None:
        tasks.put(
            db, [raw_task(1, title="Late delivery", customer={"customerName": "Dana Levi", "phoneNumberId": "C1"})]
        )
        record_lookup.replace_all(db, record_lookup.WORKFLOW, [{"id": "w1", "name": "Welcome"}])

    store.write(write).result()


@pytest.fixture
def frontdesk(nowhere: Frontdesk) -> Frontdesk:
    nowhere.environ |= {
        "FRONTDESK_BASE_URL": "http://127.0.0.1:9",
        "FRONTDESK_COOKIE": "token=canary",
        "FRONTDESK_API_KEY": "canary-key",
    }
    with nowhere.store() as store:
        fill(store)
    return nowhere


def targets(typed: Typed) -> list[str]:
    """Return the column of targets."""
    heading, *rows = typed.out.splitlines()
    start, end = heading.index("TARGET"), heading.index("OUTCOME")
    return [row[start:end].strip() for row in rows]


class TestTeam:
    @pytest.fixture(autouse=True)
    def sent(self, frontdesk: Frontdesk, team: Team) -> None:
        team.add("noa")
        frontdesk.environ |= {
            "FRONTDESK_TEAM_URL": team.postgres.url("noa", team.database),
            "FRONTDESK_TEAM_ACCOUNT": team.account,
            "PGPASSWORD": PASSWORD,
        }

        async def record() -> None:
            noa = await team.open("noa")
            for number, target in enumerate(reversed(TARGETS)):
                await noa.record(entry(target, number))
            await noa.close()

        asyncio.run(record())

    def test_tasks_customers_and_workflows_are_named(self, frontdesk: Frontdesk) -> None:
        typed = frontdesk("journal")
        assert typed.status == 0, typed
        assert targets(typed) == [
            'task "Late delivery" for Dana Levi',
            "task gone",
            "conversation with Dana Levi",
            "conversation of an unknown line",
            "workflow Welcome",
        ]

    def test_as_json_ids_stay(self, frontdesk: Frontdesk) -> None:
        rows = frontdesk("journal", "--json").rows
        assert [each["target"] for each in rows] == [*TARGETS]
        assert {each["who"] for each in rows} == {"agent-noa"}

    def test_a_server_that_is_away_leaves_what_was_sent_here(self, frontdesk: Frontdesk) -> None:
        frontdesk.environ["FRONTDESK_TEAM_URL"] = "postgresql://noa@127.0.0.1:1/x"
        assert "; --here lists what was sent from this machine" in frontdesk.fails(1, "journal")
        assert "Nothing has been sent yet." in frontdesk("journal", "--here").out


def test_what_was_sent_here_is_named(frontdesk: Frontdesk) -> None:
    with frontdesk.store() as store:

        def write(db: object) -> None:
            change = queue.add(db, Made("b", "Edit", 1.0), kind=ChangeKind.TASK, target="t1", fields={}, base={})
            queue.claim(db, queue.of_batch(db, "b"), "me", 1.0)
            queue.move(db, change, ChangeState.CONFIRMED, expected=(ChangeState.SENDING,), now=2.0, reason="")

        store.write(write).result()
    for words in (["journal"], ["journal", "--here"]):
        assert targets(frontdesk(*words)) == ['task "Late delivery" for Dana Levi']


class TestDemo:
    def test_without_a_team_it_is_said_how_to_start_one(self, nowhere: Frontdesk) -> None:
        assert nowhere.fails(2, "journal", "--demo") == "the demo has no team yet; run `frontdesk demo --team 2`"

    @pytest.mark.slow
    @pytest.mark.usefixtures("demo_for_root")
    def test_the_journal_of_its_team_is_listed_while_it_runs(
        self, nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", nowhere.environ["XDG_DATA_HOME"])
        folder: Path = data_root() / "demo"
        team = DemoTeam(folder, 2)
        try:
            with Store(team.desk.store, print) as store:
                fill(store)
            environ = desk_environment(team.desk, *read_access(folder))

            async def record() -> None:
                address = parse_address(environ["FRONTDESK_TEAM_URL"])
                password = environ["FRONTDESK_TEAM_PASSWORD"]
                desk = await RelayClient.open(address, password, environ["FRONTDESK_TEAM_ACCOUNT"], "d1")
                await desk.record(entry("task t1"))
                await desk.close()

            asyncio.run(record())
            typed = nowhere("journal", "--demo")
            assert typed.status == 0, typed
            assert targets(typed) == ['task "Late delivery" for Dana Levi']
            assert fixtures.AGENTS[0].name in typed.out
            assert nowhere("journal", "--demo", "--json").row["target"] == "task t1"
            assert "Nothing has been sent yet." in nowhere("journal", "--demo", "--here").out
        finally:
            team.leave()
        words = nowhere.fails(1, "journal", "--demo")
        assert words.endswith("the demo's team runs while one is open: run `frontdesk demo --team 2`")
