"""Privacy: with the key on, no screen, notice, copy or title has a name, a number or a text of a customer."""

import json
import re
import shutil
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from app.tui_story import At, story
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.config.actions import Group
from frontdesk.config.settings import Settings
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.linear.app import COMMANDS
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.privacy import is_private
from frontdesk_lines.textual_compat import escape_sequences
from frontdesk_sandbox import fixtures
from kit import SCREEN_KEYS
from linear.running_session import NOW, URL, Desktop
from sandbox.asking import Sandbox
from sandbox.fixtures import shared_folder
from sync.fixtures import fill_once
from sync.running_engine import Start, Works, running
from tui.screen_text import screen_text, shown_toasts

SIZE = (170, 44)
ENDS = {"app.quit", "app.suspend", "go.leave", "go.back", "profile.switch", "app.privacy"}

CANARY = "Qzx"
"""Begins every word that somebody wrote outside of frontdesk."""

PLAIN = re.compile(
    r"^$|id$|ids$|key$|^(type|status|statusCase|platform|platformType|messageDirection|initiator|source|contentType|"
    r"whenToSendMessage|triggerType|eventType|countryCode|color|sender|receiver|startKey|nextCursor|cursor|"
    r"participantsIdentifiers|associatedTo\w*|informativeMessageType|handle|target\w*|source\w*|in|out|category|"
    r"method|operator|unit|timezone|model|provider|messageType|ordering|error|result)$",
    re.IGNORECASE,
)
"""Fields by which records are told apart, sorted or run: what is shown of them is frontdesk's own word."""


def with_canaries(body: bytes) -> bytes:
    """Put a canary into each word of a reply that a person may have written."""
    try:
        return json.dumps(_planted(json.loads(body), "")).encode()
    except ValueError:
        return body


def _planted(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: each if key.endswith("Key") else _planted(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_planted(each, name) for each in value]
    if isinstance(value, str) and not PLAIN.search(name):
        return re.sub(r"(?<![\w{$./:-])(?=[^\W\d_]|\+\d)", CANARY, value)
    return value


@dataclass
class Seen:
    """What was shown and sent since the test began, by the key that was pressed last."""

    key: str = ""
    texts: list[tuple[str, str]] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.texts.append((self.key, text))

    def look(self, at: At) -> None:
        self.add("\n".join((screen_text(at.app), *shown_toasts(at.app))))

    def found(self, words: "re.Pattern[str]") -> dict[str, list[str]]:
        return {key: hits for key, text in self.texts if (hits := words.findall(text))}


def told_words(db: ReadConnection) -> "re.Pattern[str]":
    """Match a canary, and each customer's id, which is a phone number."""
    ids = {row[0] for row in db.execute("SELECT customer_id FROM conversations WHERE customer_id IS NOT NULL")}
    assert len(ids) > 20
    return re.compile(f"{CANARY}.{{0,20}}|" + "|".join(map(re.escape, sorted(ids))), re.IGNORECASE)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen = Seen()
    send = escape_sequences.send

    def send_seen(app: App[Any], sequence: str) -> None:
        seen.add(sequence)
        send(app, sequence)

    monkeypatch.setattr(escape_sequences, "send", send_seen)
    return seen


@pytest.fixture
def folder(tmp_path: Path, seeded_bytes: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with canaries in all that people wrote."""
    filled = fill_once(shared_folder(tmp_path_factory) / "canaries", seeded_bytes, with_canaries)
    return Path(shutil.copytree(filled, tmp_path / "profile"))


@pytest.fixture
def planted(sandbox: Sandbox, folder: Path) -> Start:
    """Starts an engine on that store, and on a platform with the same canaries."""

    def start(*, is_filled: bool) -> AbstractAsyncContextManager[Works]:
        assert is_filled
        return running(sandbox, folder, settle_after=0.0, rewrite=with_canaries)

    return start


async def press_each(at: At, seen: Seen, key: str, context: str) -> None:
    """Press each key of a screen, and those that take a step in what it opens."""
    for action in [each for each in KEYMAP if {context, "list", "app"} & set(each.contexts)]:
        if action.id in ENDS or action.group in (Group.MOVE, Group.MARK, Group.GO):
            continue
        if key != "1" and (action.contexts == ("app",) or action.id in ("copy.json", "pane.zoom")):
            continue  # the same on each screen
        seen.key = f"{context} {action.id}"
        await at.press(key, action.keys[0])
        await at.pilot.pause()
        seen.look(at)
        if at.app.screen is not at.app.current_screen:
            await at.press("down", "enter")
            seen.look(at)
            await at.press("enter")
            seen.look(at)
        await at.close_dialogs()


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["1", "23", "456"])
def test_nothing_that_names_or_quotes_a_person_is_shown_copied_or_sent_to_the_terminal(
    planted: Start, seen: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str
) -> None:
    monkeypatch.chdir(tmp_path)  # some keys write a file

    async def share(at: At) -> None:
        at.it.services.store.settings = Settings(notify="osc777", attention="all")
        for campaign in fixtures.CAMPAIGN_IDS[:3]:
            at.it.services.campaigns.watch(CampaignId(campaign))
        words = told_words(at.it.store.reading)
        for key in keys:
            seen.key = key
            await at.press(key)
            await at.until(lambda: at.app.screen.is_painted)
            seen.look(at)
        assert {*keys} - {"6"} <= {*seen.found(words)}, "what is hidden below is shown without privacy"
        await at.press(keys[0], "H")
        await at.pilot.pause()
        assert is_private()
        assert "privacy on" in at.status
        seen.texts.clear()
        for key in keys:
            await press_each(at, seen, key, SCREEN_KEYS[key])
        assert not (hits := seen.found(words)), "\n".join(f"{key}: {sorted({*hits[key]})}" for key in hits)

    story(planted, share, SIZE)


LISTS = ("list", "board", "board open", "campaigns", "workflows", "agents", "search the", "activity")
GIVEN = {
    "list": ("", "unread", "by name"),
    "find": ("the", f"{CANARY}a"),
    "search": ("the", f"{CANARY}a"),
    "jump": (CANARY, "1"),
    "tasks": ("1",),
    "tag": ("1 1", "1 zzz"),
    "assign": ("1 1", "1 zzz"),
    "status": ("1 1", "1 completed"),
    "due": ("1 +3d",),
    "edit": ("1 title", "1 text", "1 title New"),
}
"""What is typed behind a command that needs more than a number of the list."""


@pytest.mark.slow
def test_the_linear_mode_prints_no_name_number_or_text_of_a_person(folder: Path) -> None:
    desktop = Desktop(folder, customers=0, profile=demo_profile(URL))
    campaign = CampaignId("c1")
    raw = {"id": campaign, "name": f"{CANARY}sale", "status": "running"}
    desktop.change(lambda db: campaign_store.watch(db, [campaign], NOW))
    desktop.change(lambda db: campaign_store.put(db, campaign, raw, NOW))
    words = told_words(desktop.store.reading)
    shown = {each for each in LISTS if words.search(desktop.say(each))}
    assert shown == {*LISTS} - {"board", "activity"}, "what is hidden below is shown without privacy"
    said = {"privacy": desktop.say("privacy")}
    assert "hidden" in said["privacy"]
    for command in dict.fromkeys(COMMANDS.values()):
        if command.id in ENDS | {"sync.wait"}:
            continue
        name = command.names[0]
        lists_records = command.id.startswith(("list.", "find."))
        for opened in LISTS[:1] if lists_records else LISTS:
            for more in GIVEN.get(name, ("", "1")):
                said[f"{opened}, {name} {more}"] = desktop.say(opened, f"{name} {more}")
    desktop.store.close()
    found = {line: hits for line, text in said.items() if (hits := words.findall(text))}
    assert not found, found
