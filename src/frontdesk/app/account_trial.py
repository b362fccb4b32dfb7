"""Tries an account that is being set up: reads once from each address, on a thread of its own."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.app.account_form import AccountTrial, TrialResult
from frontdesk.text.display_text import show_error

if TYPE_CHECKING:
    from frontdesk.config.settings import Settings

TryAccount = Callable[[AccountTrial, Callable[[AccountTrial, TrialResult], None]], None]
"""Starts a trial; the function is called with its result, on another thread."""


def start_trial(
    settings: "Settings",
    trial: AccountTrial,
    report: Callable[[AccountTrial, TrialResult], None],
    *,
    folder: Path | None = None,
) -> None:
    """Try an account and report the result; a thread that still waits doesn't keep the program from ending.

    Args:
        folder: the store of an account that is signed in to again; another account's data must not get there.
    """

    def run() -> None:
        try:
            result = _try(settings, trial, folder)
        except Exception as error:  # whatever it is belongs on the screen, not in a thread that nobody sees
            result = TrialResult(failure=f"couldn't be tried: {show_error(error).text}")
        report(trial, result)

    threading.Thread(target=run, name="account trial", daemon=True).start()


def _try(settings: "Settings", trial: AccountTrial, folder: Path | None) -> TrialResult:
    from frontdesk.app.account_check import looks_like_another_account
    from frontdesk.app.host_checks import DECIDING, HostFault, check_hosts

    checks = check_hosts(trial.profile, trial.credentials, settings)
    is_accepted = any(each.key == DECIDING and each.fault is HostFault.NONE for each in checks)
    is_accepted &= trial.has_credentials
    asks = is_accepted and trial.profile.agent_id is not None
    is_other = (
        is_accepted
        and folder is not None
        and looks_like_another_account(trial.profile, trial.credentials, settings, folder, report=lambda _: None)
    )
    return TrialResult(
        checks, asyncio.run(_has_tasks(settings, trial)) if asks else None, is_other_account=is_other
    )


async def _has_tasks(settings: "Settings", trial: AccountTrial) -> bool | None:
    """Return whether a task is assigned to the agent; None where that can't be read."""
    from frontdesk.api.client.client import PlatformClient
    from frontdesk.api.client.errors import ApiError
    from frontdesk.api.client.retries import ONCE
    from frontdesk.api.contract.tasks import TaskQuery

    profile = trial.profile
    async with PlatformClient(
        profile.hosts, trial.credentials, retry=ONCE, ca_file=settings.ca_file, proxy=settings.proxy
    ) as client:
        try:
            page = await client.list_tasks(TaskQuery(agentId=profile.agent_id, limit=1))
        except ApiError:
            return None
    return bool(page.items)
