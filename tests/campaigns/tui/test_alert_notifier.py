"""Alerts on campaigns on any screen: told once by one of them, counted and shown until somebody has seen them."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events

import kit
from frontdesk.campaigns.store import alerts as store_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.tui import alert_notifier
from frontdesk.campaigns.tui.alert_notifier import (
    LATE_SECONDS,
    alert_channels,
    alert_sequence,
    announcement,
    status_part,
)
from frontdesk.config.settings import AlertSetting, Settings
from frontdesk.inbox.tui import notifier
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.textual_compat.escape_sequences import Multiplexer
from sample_records import PLAIN_VIEW, words
from tui.hosts import until

pytestmark = pytest.mark.anyio

NOW = kit.NOW
HERE = CampaignId("c1")
NEWS = Settings(bell=True, title=True, notify="osc777")
QUIET = Settings(title=False)


def alert(words: str = "failed 4.2%, limit 3%", at: float = NOW - 1, **more: object) -> Alert:
    by = more.get("by")
    return Alert(f"c1 {words}", HERE, str(more.get("name", "Spring")), words, at, by)  # type: ignore[arg-type]


def test_an_alert_is_told_as_it_says_or_as_news_are() -> None:
    assert alert_channels(alert(), NEWS) == {"bell", "title", "notify"}
    assert alert_channels(alert(), QUIET) == frozenset()
    assert alert_channels(alert(by=("bell",)), QUIET) == {"bell"}
    assert alert_channels(alert(by=()), NEWS) == frozenset()


def test_several_are_one_bell_and_one_notification() -> None:
    several = [alert(), alert("completed", name="Autumn")]
    assert alert_sequence(several, NEWS, Multiplexer.NONE) == (
        "\a\x1b]777;notify;2 alerts;Spring: failed 4.2%, limit 3%, Autumn: completed\a"
    )
    assert (
        alert_sequence([alert(by=("notify",))], QUIET, Multiplexer.NONE)
        == "\x1b]9;Spring: failed 4.2%, limit 3%\a"
    )
    assert alert_sequence([alert()], QUIET, Multiplexer.NONE) == ""
    hostile = alert_sequence([alert(by=("notify",), name="\x1b]0;x\x07\x9c")], QUIET, Multiplexer.NONE)
    assert hostile.count("\x1b") == 1
    assert hostile.count("\a") == 1


def raise_it(store: Store, each: Alert) -> None:
    store.write(lambda db: store_alerts.put(db, each)).result()


@pytest.fixture
def watched(store: Store) -> Store:
    raw = {
        "id": HERE,
        "name": "Spring",
        "status": "inProgress",
        "totalRecipients": 1000,
        "sentCount": 90,
        "failedCount": 10,
        "startedAt": NOW * 1000,
    }
    store.write(lambda db: campaigns.watch(db, [HERE], NOW)).result()
    store.write(lambda db: campaigns.put(db, HERE, raw, NOW)).result()
    return store


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "COUNT_SECONDS", 0.01)
    for name in ("FOCUSED_SECONDS", "UNFOCUSED_SECONDS"):
        monkeypatch.setattr(alert_notifier, name, 0.01)


@asynccontextmanager
async def running(store: Store, settings: Settings, width: int = 140) -> AsyncIterator[kit.At]:
    acme = kit.profile("acme")
    async with kit.running(
        store, settings=settings, as_profile=acme, size=(width, 30), ascii_only=True, fills=False
    ) as at:
        await until(lambda: at.app.notices.alerts.is_started)
        yield at


def told(signals: list[str]) -> list[str]:
    return re.findall("\x1b\\]9;([^\x07]*)\x07", "".join(signals))


def title(signals: list[str]) -> str:
    return str(re.findall("\x1b\\]2;([^\x07]*)\x07", "".join(signals))[-1])


async def test_two_screens_tell_it_once_and_show_it_until_it_is_seen(watched: Store, signals: list[str]) -> None:
    settings = Settings(notify="osc9")
    async with running(watched, settings) as one, running(watched, settings) as two:
        raise_it(watched, alert())
        for each in (one, two):
            await until(lambda each=each: "! Spring: failed 4.2%, limit 3%" in each.status)
        await until(lambda: title(signals) == "!1 frontdesk · acme")
        raise_it(watched, alert("completed", NOW - 0.5))
        await until(lambda: len(told(signals)) == 2)
        await until(lambda: "! Spring: completed and 1 more" in two.status)
        assert told(signals) == ["Spring: failed 4.2%, limit 3%", "Spring: completed"]
        one.app.action_go("campaigns")
        await until(lambda: not store_alerts.unseen(watched.reading, NOW))
        for each in (one, two):
            await until(lambda each=each: "Spring: completed" not in each.status)
        await until(lambda: title(signals) == "frontdesk · acme")
    async with running(watched, settings) as again:
        assert "completed" not in again.status
        assert len(told(signals)) == 2


async def test_one_key_hides_alerts_on_every_screen_until_they_fire_anew(
    watched: Store, signals: list[str]
) -> None:
    async with running(watched, Settings()) as one, running(watched, Settings(), 80) as two:
        raise_it(watched, alert())
        await until(lambda: "! Spring: failed 4.2%, limit 3% - hide" in one.status)
        await until(lambda: "! 1 alert (3) - hide" in two.status)
        assert "? keys" in two.status, "where it is narrow the keys stay"
        await one.app.run_action("dismiss_alerts")
        for each in (one, two):
            await until(lambda each=each: "- hide" not in each.status)
        await until(lambda: "Hid 1 alert until they fire again." in one.toasts)
        await two.app.run_action("dismiss_alerts")
        await until(lambda: "There are no alerts." in two.toasts)
        raise_it(watched, alert(at=NOW))
        await until(lambda: "! Spring: failed 4.2%" in one.status)
    async with running(watched, Settings()) as again:
        await until(lambda: "! Spring: failed 4.2%" in again.status)


async def test_an_alert_fades_once_a_person_was_there_and_only_then(watched: Store, signals: list[str]) -> None:
    raise_it(watched, alert())
    async with running(watched, Settings()) as at:
        app = at.app
        await until(lambda: "Spring: failed 4.2%" in at.status)
        at.clock.now += alert_notifier.FADE_SECONDS + 1
        app.update_status()
        assert store_alerts.unseen(watched.reading, at.clock.now), "nobody pressed a key beside it"
        app.attention_reporter.note_activity()
        app.update_status()
        await until(lambda: "Spring" not in at.status)
        assert not store_alerts.unseen(watched.reading, at.clock.now)


async def test_what_was_missed_is_shown_and_rings_no_more(watched: Store, signals: list[str]) -> None:
    raise_it(watched, alert(at=NOW - LATE_SECONDS - 1))
    async with running(watched, Settings(notify="osc9")) as at:
        await until(lambda: "failed 4.2%" in at.status)
        raise_it(watched, alert("stopped", at=NOW))
        await until(lambda: told(signals))
        assert told(signals) == ["Spring: stopped"]


async def test_nobody_has_seen_it_while_the_terminal_has_no_focus(watched: Store, signals: list[str]) -> None:
    async with running(watched, Settings()) as at:
        app = at.app
        app.post_message(events.AppBlur())
        await until(lambda: not app.attention_reporter.is_focused)
        app.action_go("campaigns")
        raise_it(watched, alert())
        await until(lambda: title(signals) == "!1 frontdesk · acme")
        app.post_message(events.AppFocus())
        await until(lambda: app.attention_reporter.is_focused)
        app.update_status()
        await until(lambda: title(signals) == "frontdesk · acme")


@pytest.mark.slow
async def test_a_row_and_the_detail_say_what_holds_by_the_rules_of_the_config(
    watched: Store, signals: list[str]
) -> None:
    settings = Settings(
        alerts=(AlertSetting("failed > 4%"), AlertSetting("failed > 5"), AlertSetting("failed > 50%"))
    )
    async with running(watched, settings) as at:
        await at.goes("3")
        await at.sees("! failed 10.0% (10 of 100), limit 4% and 1 more")
        screen = at.text
        assert screen.count("! failed 10.0% (10 of 100), limit 4%") == 2, "in the row and in the detail"
        assert screen.count("! failed 10, limit 5") == 1
        assert "50%" not in screen


async def test_a_command_that_cannot_be_started_is_said_by_one_screen(watched: Store, signals: list[str]) -> None:
    async with running(watched, Settings()) as one, running(watched, Settings()) as two:
        words = "Couldn't start the alert command nope: No such file."
        raise_it(watched, Alert(" " + words, CampaignId(""), "", words, NOW - 1, ()))
        await until(lambda: one.toasts or two.toasts)
        assert sorted((one.toasts, two.toasts)) == ["", words]
        assert title(signals) == "frontdesk · acme"
        assert "nope" not in one.status


def unseen(number: int, name: str = "Spring", campaign_id: str = "c1") -> Alert:
    return Alert(f"{campaign_id} {number}", CampaignId(campaign_id), name, "completed", float(number), None)


def test_the_status_line_names_the_newest_and_counts_the_rest() -> None:
    def forms(*alerts: Alert) -> list[str]:
        return [words(form) for form in status_part(alerts, PLAIN_VIEW)]

    assert forms() == ["", ""]
    assert forms(unseen(2), unseen(1)) == ["! Spring: completed and 1 more - hide", "! 2 alerts (3) - hide"]
    assert forms(unseen(2, "")) == ["! c1: completed - hide", "! 1 alert (3) - hide"]
    assert forms(unseen(2, "", "")) == ["", ""], "a command that can't be started is said elsewhere"


def test_a_notification_of_many_is_short() -> None:
    heading, body = announcement([unseen(number, f"Campaign {number}") for number in range(9)])
    assert heading.text == "9 alerts"
    assert body.text == "Campaign 0: completed; Campaign 1: completed; Campaign 2: completed …"
