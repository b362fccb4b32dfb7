"""Campaigns under any order of what can happen to them, with a clock that only the script moves.

Hypothesis writes the scripts. After every step each campaign is read and held against docs/interface.md,
Campaign counters, and against its read before. At its end each script is
played again on a second world, which has to show the same (7).
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from frontdesk_sandbox import fixtures
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import Clock, open_world
from sandbox.asking import Sandbox, campaign, tags_campaign
from sandbox.counters import STATES, check_counters, check_step
from sandbox.fixtures import file_bytes, world_in_memory

pytestmark = pytest.mark.lab

FAST_LINE = fixtures.LINES[0].id
SLOW_LINE = fixtures.DELIVERIES_LINE
MONTH = 40 * 24 * 3600
MAX_CAMPAIGNS = 6
LONGEST_START_SECONDS = 10
"""No audience here takes longer to be found out."""

_PEOPLE = [f"97252234560{place}" for place in range(6)]
"""Valid where they are from, else they would not be the same without their country (docs/interface.md)."""

_OPTED_OUT = len(_PEOPLE)
"""Stands for the person of the seed who wants no campaigns on the slow line."""

_WAYS: tuple[Callable[[str], dict[str, str]], ...] = (
    lambda digits: {"phoneNumberId": f"+{digits}"},
    lambda digits: {"phoneNumberId": f"00{digits}"},
    lambda digits: {"phoneNumberId": f"+{digits[:3]} {digits[3:5]}-{digits[5:]}"},
    lambda digits: {"phoneNumberId": f"0{digits[3:]}", "countryCode": "IL"},
    lambda digits: {"phoneNumberId": f"(0{digits[3:5]}) {digits[5:8]} {digits[8:]}", "countryCode": "il"},
)
"""How one number is written; all of them are equal."""


class Platform:
    """A world of its own that is asked over HTTP and whose time stands still between advances."""

    def __init__(self, settled: "Settled") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="frontdesk-machine-"))
        shutil.copytree(settled.folder, self._folder / "data")
        self.clock = _still_clock(settled.now_ms)
        self._open()

    def restart(self) -> None:
        """End it, and open the same data again."""
        self.sandbox.world.close()
        self._open()

    def create(self, body: dict[str, Any]) -> None:
        assert self.sandbox.post("/campaigns", body).status_code == 201

    def advance(self, seconds: float) -> None:
        self.sandbox.advance(seconds)

    def stop(self, identity: str) -> bool:
        """Whether it could be stopped."""
        return self.sandbox.post(f"/sandbox/campaigns/{identity}/stop").is_success

    def arrive(self, customer: str, line: str, text: str) -> None:
        message = {"sender": customer, "receiver": line, "message": text}
        assert self.sandbox.post("/sandbox/messages", message).is_success

    def read(self, identity: str) -> dict[str, Any]:
        """The campaign as it is now."""
        return dict(self.sandbox.get(f"/campaigns/{identity}").json())

    def throw_away(self) -> None:
        self.sandbox.world.close()
        shutil.rmtree(self._folder)

    def _open(self) -> None:
        options = SandboxOptions(data=self._folder / "data", crowd=False)
        self.sandbox = Sandbox(open_world(options, self.clock))


class PlatformInMemory(Platform):
    """The same for a script without restarts."""

    def __init__(self, settled: "Settled") -> None:
        self.clock = _still_clock(settled.now_ms)
        self.sandbox = Sandbox(world_in_memory(settled.content, self.clock))

    def throw_away(self) -> None:
        self.sandbox.world.close()


@dataclass(frozen=True)
class Settled:
    """A data folder in which nothing of the seed is under way, and what a script has to know of it.

    Attributes:
        content: the file of the folder.
    """

    folder: Path
    content: bytes
    now_ms: int
    opted_out: str


@dataclass(frozen=True)
class Expected:
    """What a campaign has to come to, known from what it was made of. None: not known."""

    runs: bool
    active: bool
    due_ms: int
    total: int | None = None
    duplicates: int = 0
    opted_out: int = 0


class CampaignMachine(RuleBasedStateMachine):
    """One script on one world."""

    campaigns = Bundle("campaigns")

    def __init__(self, settled: Settled) -> None:
        super().__init__()
        self._settled = settled
        self._platform = Platform(settled)
        self._expected: dict[str, Expected] = {}
        self._seen: dict[str, dict[str, Any]] = {}
        self._stopped: set[str] = set()
        self._holds = False
        self._script: list[tuple[Any, ...]] = []
        self._shown: list[dict[str, dict[str, Any]]] = []

    @initialize(target=campaigns)
    def begin_with_one_that_runs(self) -> str:
        people = [{"phoneNumberId": f"+97254{place:07d}"} for place in range(60)]
        return self._create(campaign(customerList=people), Expected(True, True, self._now(), 60))

    @precondition(lambda self: len(self._expected) < MAX_CAMPAIGNS)
    @rule(
        target=campaigns,
        who=st.lists(st.tuples(st.integers(0, _OPTED_OUT), st.integers(0, len(_WAYS) - 1)), max_size=14),
        more=st.sampled_from((0, 0, 30, 150)),
        line=st.sampled_from((FAST_LINE, FAST_LINE, SLOW_LINE)),
        workflow=st.sampled_from(("wf-early-access", "wf-survey", "wf-survey", "none")),
        delay=st.sampled_from((None, None, None, -60, 0, 3, 3600)),
        active=st.sampled_from((True, True, True, False)),
    )
    def create_from_a_list(
        self,
        who: list[tuple[int, int]],
        more: int,
        line: str,
        workflow: str,
        delay: int | None,
        active: bool,
    ) -> str:
        named = [(*_PEOPLE, self._settled.opted_out)[person] for person, _way in who]
        listed = [_WAYS[way](digits) for digits, (_person, way) in zip(named, who, strict=True)]
        listed += [{"phoneNumberId": f"+97253{place:07d}"} for place in range(more)]
        changes, due_ms = self._when(delay)
        body = campaign(
            **changes, customerList=listed, associatedToBusinessId=line, workflowId=workflow, isActive=active
        )
        expected = Expected(
            runs=workflow != "none" and bool(listed),
            active=active,
            due_ms=due_ms,
            total=len(listed),
            duplicates=len(named) - len(set(named)),
            opted_out=int(line == SLOW_LINE and self._settled.opted_out in named),
        )
        return self._create(body, expected)

    @precondition(lambda self: len(self._expected) < MAX_CAMPAIGNS)
    @rule(
        target=campaigns,
        tag=st.sampled_from(("tag-vip", "tag-late", "tag-nobody-has")),
        delay=st.sampled_from((None, None, -60, 3, 3600)),
    )
    def create_from_tags(self, tag: str, delay: int | None) -> str:
        changes, due_ms = self._when(delay)
        shown = {"id": tag, "title": tag, "color": "gold", "associatedTo": fixtures.ACCOUNT}
        body = tags_campaign(**changes, conversationTags=[shown])
        return self._create(body, Expected(tag != "tag-nobody-has", True, due_ms))

    @rule(seconds=st.sampled_from((0.03, 0.3, 0.3, 0.9, 3, 30, 600, 3 * 3600)))
    def advance(self, seconds: float) -> None:
        self._do("advance", seconds)
        now = self._now()
        found = self._read_all()
        for identity, expected in self._expected.items():
            status = found[identity]["status"]
            waits = status in ("scheduled", "pending")
            if expected.active and now >= expected.due_ms + LONGEST_START_SECONDS * 1000:
                assert not waits, f"{identity} was due: {status}"
            assert status != "scheduled" or now < expected.due_ms or not expected.active
        self._shown.append(found)

    @rule()
    def restart(self) -> None:
        self._holds = False
        before = self._read_all()
        self._platform.restart()
        assert self._read_all() == before, "a restart changes nothing (rule 235)"

    @rule(identity=campaigns)
    def stop(self, identity: str) -> None:
        before = self._platform.read(identity)
        could = self._do("stop", identity)
        assert could is (before["status"] in STATES)
        if could:
            self._stopped.add(identity)

    @rule(
        person=st.integers(0, _OPTED_OUT),
        line=st.sampled_from((FAST_LINE, SLOW_LINE)),
        text=st.sampled_from(("Yes, please", "STOP", "שלום")),
    )
    def a_customer_writes(self, person: int, line: str, text: str) -> None:
        self._do("arrive", (*_PEOPLE, self._settled.opted_out)[person], line, text)

    @invariant()
    def every_read_holds(self) -> None:
        for identity, found in self._read_all().items():
            self._check(identity, found)
            self._seen[identity] = found
        self._holds = True

    def teardown(self) -> None:
        try:
            if self._holds:
                self.advance(MONTH)
                self.every_read_holds()
                self._check_the_end()
                self._play_again()
        finally:
            self._platform.throw_away()

    def _check(self, identity: str, found: dict[str, Any]) -> None:
        expected = self._expected[identity]
        check_counters(found)
        if identity in self._seen:
            check_step(self._seen[identity], found)
        assert found["lastModified"] <= self._now(), f"6: from the future: {found}"
        assert (found["status"] == "stopped") is (identity in self._stopped), f"only the control stops: {found}"
        assert found["status"] != "failed" or not expected.runs, f"it could run: {found}"
        if "startedAt" not in found:
            return
        assert expected.runs, f"it could not run: {found}"
        assert expected.active, f"it isn't active: {found}"
        assert found["startedAt"] >= expected.due_ms, f"too early: {found}"
        if expected.total is not None:
            assert found["totalRecipients"] == expected.total, f"1: {found}"
            assert found["duplicateMessageCount"] == expected.duplicates, f"3: {found}"
            assert found["optOutCount"] >= expected.opted_out, f"3: {found}"

    def _check_the_end(self) -> None:
        """After a month every campaign has come to where it had to."""
        for identity, expected in self._expected.items():
            status = self._seen[identity]["status"]
            if identity not in self._stopped and expected.active:
                assert status == ("completed" if expected.runs else "failed"), self._seen[identity]

    def _play_again(self) -> None:
        """7: a second world that is never restarted, and that takes every jump in two, shows the same."""
        second = PlatformInMemory(self._settled)
        try:
            shown = iter(self._shown)
            for name, *values in self._script:
                if name == "advance":
                    second.advance(values[0] / 3)
                    second.advance(values[0] - values[0] / 3)
                    for identity, found in next(shown).items():
                        again = second.read(identity)
                        assert again == found, f"7: {identity} differs: {_differing(found, again)}"
                else:
                    getattr(second, name)(*values)
        finally:
            second.throw_away()

    def _create(self, body: dict[str, Any], expected: Expected) -> str:
        identity = f"made-{len(self._expected)}"
        self._expected[identity] = expected
        self._do("create", body | {"id": identity})
        return identity

    def _do(self, name: str, *values: Any) -> Any:
        self._holds = False
        self._script.append((name, *values))
        return getattr(self._platform, name)(*values)

    def _read_all(self) -> dict[str, dict[str, Any]]:
        return {identity: self._platform.read(identity) for identity in self._expected}

    def _when(self, delay: int | None) -> tuple[dict[str, Any], int]:
        """The fields that say when it begins, and the time at which it may."""
        now = self._now()
        if delay is None:
            return {}, now
        at = now + delay * 1000
        return {"whenToSendMessage": "future", "scheduledAt": at}, max(at, now)

    def _now(self) -> int:
        return self._platform.clock.now_ms()


@pytest.fixture(scope="module")
def settled(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Settled:
    """The small business after a month in which none of its campaigns went on."""
    folder = tmp_path_factory.mktemp("settled") / "data"
    shutil.copytree(seeded, folder)
    world = open_world(SandboxOptions(data=folder, crowd=False))
    sandbox = Sandbox(world)
    for identity in fixtures.CAMPAIGN_IDS:
        sandbox.post(f"/sandbox/campaigns/{identity}/stop")
    sandbox.advance(MONTH)
    opted_out = _find_opted_out(sandbox)
    now_ms = world.clock.now_ms()
    world.close()
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied)
    return Settled(folder, file_bytes(copied), now_ms + 1000, opted_out)


def test_the_counters_hold_whatever_happens(settled: Settled) -> None:
    """docs/interface.md, Campaign counters, 1 to 7; rules 73 to 78, 235."""
    run_state_machine_as_test(
        lambda: CampaignMachine(settled),
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            # A script is short as it is, and making it shorter would take longer than a test may.
            phases=[Phase.explicit, Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )


def _differing(first: dict[str, Any], second: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = {**first, **second}
    return {name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)}


def _still_clock(now_ms: int) -> Clock:
    """A clock that only `advance` moves."""
    return Clock(resume_ms=now_ms, wall=lambda: 0.0, steady=lambda: 0.0)


def _find_opted_out(sandbox: Sandbox) -> str:
    """Who of the delivery survey's list was not written to, though the survey has ended."""
    survey = sandbox.get("/campaigns/cmp-delivery-survey").json()
    line = survey["associatedToBusinessId"]
    assert (survey["status"], survey["optOutCount"], line) == ("completed", 1, SLOW_LINE)
    for person in survey["customerList"]:
        customer = person["phoneNumberId"].removeprefix("+")
        thread = {"phoneNumberId": line, "targetPhoneNumberId": customer}
        messages = sandbox.post("/getMessages", thread).json()["dbObject"]
        if not any(message["messageDirection"] == "outgoing" for message in messages):
            return str(customer)
    raise AssertionError("everybody was written to")
