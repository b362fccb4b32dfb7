"""`frontdesk campaigns failures` against the sandbox."""

import asyncio
import csv
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk_api.client.client import PlatformClient

SURVEY = "cmp-delivery-survey"


def test_everybody_on_a_list_is_told_with_advice_and_the_failed_are_a_list(
    frontdesk: Frontdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontdesk.library.REQUESTS_A_SECOND", 10_000.0)
    path = tmp_path / "failed.csv"
    typed = frontdesk("campaigns", "failures", SURVEY, "--json", "--export", str(path))
    told = typed.row
    assert (typed.status, told["checked"], told["total"], told["complete"]) == (0, 240, 240, True)
    failed = [each for each in told["groups"] if each["how"] == "failed"]
    assert failed
    assert (
        told["failed"]["share"]
        == told["failed"]["low"]
        == pytest.approx(sum(each["count"] for each in failed) / 240, abs=1e-6)
    )
    assert all(each["code"] and each["advice"] and each["examples"] for each in failed)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(each["count"] for each in failed)
    assert set(failed[0]["examples"]) <= {row["phoneNumberId"] for row in rows}
    said = frontdesk.fails(2, "campaigns", "failures", SURVEY, "--export", str(path))
    assert "already exists; choose another file name; nothing was checked" in said


def test_within_a_budget_it_is_a_sample_and_says_how_sure_it_is(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    before = len(service.asked("POST"))
    typed = frontdesk("campaigns", "failures", SURVEY, "--budget", "20")
    assert typed.out.startswith("checked 20 of 240 · failed ")
    assert re.search(r"failed [\d.]+% \([\d.]+ to [\d.]+\)", typed.out.splitlines()[0])
    assert len(service.asked("POST")) - before == 20
    again = frontdesk("campaigns", "failures", SURVEY, "--budget", "20")
    assert again.out == typed.out, "the same people are looked at"


def test_of_tags_and_of_one_that_has_not_begun_it_says_why_not(frontdesk: Frontdesk) -> None:
    assert "tags" in frontdesk.fails(2, "campaigns", "failures", "cmp-back-in-stock")
    frontdesk.fails(1, "campaigns", "failures", "nobody's")


def test_ctrl_c_keeps_what_was_read_and_says_so(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    really, seen = PlatformClient.get_messages, []

    async def get_messages(self: PlatformClient, query: Any, **more: Any) -> Any:
        seen.append(query)
        if len(seen) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        return await really(self, query, **more)

    monkeypatch.setattr(PlatformClient, "get_messages", get_messages)
    typed = frontdesk("campaigns", "failures", SURVEY)
    assert typed.status == 130
    assert "showing results for 3 of 240" in typed.err
    assert typed.out.startswith("checked 3 of 240")


def test_a_platform_that_fails_in_the_middle_ends_it_with_what_was_read(
    frontdesk: Frontdesk, service: SandboxService, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, seen = PlatformClient.get_messages, []

    async def get_messages(self: PlatformClient, query: Any, **more: Any) -> Any:
        seen.append(query)
        if len(seen) == 4:
            service.faults({"path": "/getMessages", "kind": "status", "status": 401})
        return await really(self, query, **more)

    monkeypatch.setattr(PlatformClient, "get_messages", get_messages)
    typed = frontdesk("campaigns", "failures", SURVEY, "--json")
    assert (typed.status, typed.row["checked"]) == (3, 3)
    assert "cut short; showing results for" in typed.err
