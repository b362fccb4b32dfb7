"""Alerts are raised by the engine: once over polls, restarts and engines; their commands run beside it."""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from frontdesk.campaigns.alert_monitor import CHECK_SECONDS, AlertMonitor
from frontdesk.campaigns.alert_rules import rules
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.program_runner import ProgramRunner
from frontdesk.config.settings import AlertSetting
from frontdesk.storage.database import Store
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk_api.contract.ids import CampaignId
from frontdesk_sandbox import fixtures
from sync.running_engine import Clocks, Start, run

HERE = CampaignId("c1")
NOW = 1_700_000_000.0


class Scene:
    """A store whose campaign a test moves, and engines' alerts over it."""

    def __init__(self, store: Store, *settings: AlertSetting):
        self.store, self.now, self.steady = store, NOW, 0.0
        self.rules = rules(settings)
        self.commands: list[ProgramRunner] = []
        store.write(lambda db: campaigns.watch(db, [HERE], NOW)).result()

    def engine(self, **environ: str) -> AlertMonitor:
        self.commands.append(ProgramRunner({"PATH": "/usr/bin:/bin", **environ}))
        return AlertMonitor(self.store, self.rules, lambda: self.now, self.commands[-1], lambda: self.steady)

    async def read(
        self, of: Sequence[AlertMonitor], status: str = "inProgress", name: str = "Spring", **counters: int
    ) -> None:
        """The campaign is read with these counters, and each engine judges."""
        self.now += 10
        self.steady += 10
        raw = {"id": HERE, "name": name, "status": status, "totalRecipients": 1000, "startedAt": NOW * 1000}
        await self.store.run(lambda db: campaigns.put(db, HERE, {**raw, **counters}, self.now))
        for each in of:
            await each.step()

    def raised(self) -> list[Alert]:
        return campaign_alerts.unseen(self.store.reading, self.now)

    def words(self) -> list[str]:
        return sorted(each.words for each in self.raised())


def test_an_alert_is_raised_once_by_two_engines_and_after_a_restart(store: Store) -> None:
    async def test() -> None:
        at = Scene(store)
        one, two = at.engine(), at.engine()
        await at.read([one, two], sentCount=100)
        assert at.words() == []
        await at.read([one, two], sentCount=100, failedCount=20)
        (first,) = at.raised()
        assert (first.words, first.name, first.at) == (
            "failed 16.7% (20 of 120), limit 3%",
            "Spring",
            at.now,
        )
        await at.read([one, two, at.engine()], sentCount=100, failedCount=40)
        assert at.raised() == [first]
        await at.read([at.engine()], "completed", sentCount=800, failedCount=200)
        assert at.words() == ["completed", "failed 16.7% (20 of 120), limit 3%"]
        await at.read([at.engine()], "completed", sentCount=790, failedCount=210)
        assert len(at.raised()) == 2

    run(test)


def test_stalled_is_raised_when_a_later_read_finds_nothing_moved(store: Store) -> None:
    async def test() -> None:
        at = Scene(store)
        engine = at.engine()
        for _ in range(9):
            await at.read([engine], sentCount=100)
        assert at.words() == ["stalled for at least 60 s"]

    run(test)


def test_a_campaign_that_ended_long_ago_tells_nothing(store: Store) -> None:
    async def test() -> None:
        at = Scene(store)
        await at.read([at.engine()], "completed", sentCount=500, failedCount=500)
        assert at.raised() == []

    run(test)


def test_what_was_seen_by_a_clock_that_was_ahead_hides_nothing_that_comes_after(store: Store) -> None:
    async def test() -> None:
        at = Scene(store)
        engine = at.engine()
        await store.run(lambda db: campaign_alerts.mark_seen(db, NOW + 86_400, NOW + 86_400))
        await at.read([engine], sentCount=100, failedCount=20)
        (first,) = at.raised()
        await store.run(lambda db: campaign_alerts.mark_seen(db, first.at, at.now))
        assert at.raised() == []
        await at.read([engine], "stopped", sentCount=100, failedCount=20)
        assert at.words() == ["stopped"]

    run(test)


def test_what_was_seen_or_is_watched_no_more_is_not_shown(store: Store) -> None:
    async def test() -> None:
        at = Scene(store)
        engine = at.engine()
        await at.read([engine], sentCount=100, failedCount=20)
        (first,) = at.raised()
        await store.run(lambda db: campaigns.unwatch(db, HERE))
        assert at.raised() == []
        await store.run(lambda db: campaigns.watch(db, [HERE], NOW))
        assert at.raised() == [first]
        await store.run(lambda db: campaign_alerts.mark_seen(db, first.at, at.now))
        assert at.raised() == []
        await at.read([engine], "stopped", sentCount=100, failedCount=20)
        assert at.words() == ["stopped"]

    run(test)


@pytest.mark.slow
def test_an_engine_over_the_platform_raises_them(works: Start) -> None:
    async def test() -> None:
        async with works(is_filled=True, rules=rules([AlertSetting("failed > 0")])) as it:
            it.services.campaigns.watch(CampaignId(fixtures.RUNNING_CAMPAIGN))
            await it.until(lambda: campaign_alerts.unseen(it.services.store.reading, time.time()))
            assert [each.words[:7] for each in campaign_alerts.unseen(it.services.store.reading, time.time())] == [
                "failed "
            ]

    run(test)


@pytest.mark.parametrize("limit", [60, 90])
def test_an_engine_reads_a_campaign_the_moment_that_it_has_stalled_for_an_alert(works: Start, limit: int) -> None:
    """What doesn't differ is stored once a minute, and read every 13 s here: neither may delay the alert."""
    clocks = Clocks()
    first_at = clocks.stand()

    async def test() -> None:
        async with works(clocks=clocks, rules=rules([AlertSetting(f"stalled > {limit}s")])) as it:
            job, runs = Job(PollKind.CAMPAIGN, fixtures.RUNNING_CAMPAIGN), it.engine.poller.results.runs

            async def go_on_and_read(seconds: float) -> None:
                clocks.go_on(seconds)
                it.engine._wake()
                await it.until(lambda: job in runs and runs[job].asked_at == clocks.wall())

            it.services.campaigns.watch(CampaignId(fixtures.RUNNING_CAMPAIGN))
            db = it.services.store.reading
            await go_on_and_read(0.0)
            while clocks.wall() < first_at + limit - 10:
                await go_on_and_read(14.0)
            await go_on_and_read(first_at + limit + 0.1 - clocks.wall())
            clocks.go_on(CHECK_SECONDS)
            it.engine._wake()
            await it.until(lambda: campaign_alerts.unseen(db, clocks.wall()))
            (found,) = campaign_alerts.unseen(db, clocks.wall())
            assert (found.words, found.at) == (f"stalled for at least {limit} s", clocks.wall())

    run(test)


WRITES = "import sys, os; open(sys.argv[1], 'a').write(repr(sys.argv[2:]) + repr(sorted(os.environ)))"


def test_a_command_gets_the_values_as_arguments_and_no_variable_of_frontdesk(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = (sys.executable, "-c", WRITES, str(out), "{campaign_id}", "{name} $HOME", "{value}", "{words}")

    async def test() -> None:
        at = Scene(store, AlertSetting("failed > 3%", run=command))
        engine = at.engine(FRONTDESK_COOKIE="secret", FRONTDESK_PROFILE="acme", OF_MINE="1")
        for _ in range(3):
            await at.read([engine], name="Spring'; x", sentCount=100, failedCount=20)
        await asyncio.gather(*at.commands[0].tasks)
        await engine.close()

    run(test)
    text = out.read_text()
    assert text.count("[") == 2, "it ran once"
    assert text.startswith("""['c1', "Spring'; x $HOME", '16.7', 'failed 16.7% (20 of 120), limit 3%']""")
    assert "'OF_MINE'" in text
    assert "FRONTDESK_" not in text


def test_an_id_that_would_be_an_option_is_said_and_a_name_loses_its_dash(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "HERE", CampaignId("-n"))
    out = tmp_path / "out"

    async def test() -> None:
        writing = AlertSetting("failed > 3%", run=(sys.executable, "-c", WRITES, str(out), "{name}"))
        at = Scene(store, writing, AlertSetting("failed > 5", run=("/bin/echo", "{campaign_id}")))
        engine = at.engine()
        await at.read([engine], name="\0--exec=x", sentCount=100, failedCount=20)
        await asyncio.gather(*at.commands[0].tasks)
        await engine.close()
        assert [each.words for each in at.raised() if not each.campaign_id] == [
            "The alert command /bin/echo didn't run: its campaign_id begins with a dash, so the program could "
            "take it for an option."
        ]

    run(test)
    assert out.read_text().startswith("['exec=x']")


def test_a_command_that_cannot_be_started_is_said_once(store: Store) -> None:
    async def test() -> None:
        settings = [
            AlertSetting(when, run=("/no/such/program", "{name}")) for when in ("failed > 3%", "failed > 5")
        ]
        at = Scene(store, *settings)
        for engine in (at.engine(), at.engine()):
            await at.read([engine], sentCount=100, failedCount=20)
            await asyncio.gather(*at.commands[-1].tasks)
            await engine.close()
        said = [each for each in at.raised() if not each.campaign_id]
        assert [each.words for each in said] == [
            "The alert command /no/such/program couldn't be started: No such file or directory."
        ]

    run(test)


def test_a_command_that_takes_too_long_is_ended_and_its_output_is_bounded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        caplog.set_level("INFO", "frontdesk.sync")
        slow = ProgramRunner({}, timeout_seconds=0.2)
        slow.start([sys.executable, "-c", "import time; time.sleep(600)"])
        await asyncio.gather(*slow.tasks)
        loud = ProgramRunner({})
        loud.start([sys.executable, "-c", "print('x' * 10**6); raise SystemExit(3)"])
        await asyncio.gather(*loud.tasks)

    run(test)
    assert "took longer than 0.2 s and was killed" in caplog.text
    assert "exited with status 3: xxx" in caplog.text
    assert caplog.text.count("x") < 3_000


def test_other_rules_apply_to_what_was_read_already(store: Store) -> None:
    async def test() -> None:
        at = Scene(store, AlertSetting("failed > 50%"))
        changed = [rules([AlertSetting("failed > 3%")])]
        engine = AlertMonitor(
            store,
            at.rules,
            lambda: at.now,
            ProgramRunner({}),
            lambda: at.steady,
            changed_rules=lambda: changed.pop() if changed and at.steady > 20 else None,
        )
        await at.read([engine], sentCount=100)
        await at.read([engine], sentCount=100, failedCount=20)
        assert at.words() == []
        at.steady += CHECK_SECONDS
        await engine.step()
        assert at.words() == ["failed 16.7% (20 of 120), limit 3%"]

    run(test)
