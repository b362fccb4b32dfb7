"""Tries an account that is being set up or signed in to again: `login` waits for it, the page doesn't."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.accounts.account_form import AccountTrial, TrialResult
from frontdesk.config.hosts import LOGIN
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.display_text import show_error

if TYPE_CHECKING:
    from frontdesk.config.settings import Settings
    from frontdesk_api.client.client import PlatformClient

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
            result = try_account(settings, trial, folder)
            if result.is_accepted and trial.has_credentials and trial.profile.agent_id is not None:
                result = replace(result, has_tasks=asyncio.run(_has_tasks(settings, trial)))
        except Exception as error:  # whatever it is belongs on the screen, not in a thread that nobody sees
            result = TrialResult(failure=f"couldn't be tried: {show_error(error).text}")
        report(trial, result)

    threading.Thread(target=run, name="account trial", daemon=True).start()


def try_account(
    settings: "Settings",
    trial: AccountTrial,
    folder: Path | None,
    report: Callable[[str], object] = lambda _: None,
) -> TrialResult:
    """Read once from each address, and compare the account with the store in a folder, if one is given.

    Args:
        report: told why the accounts can't be compared.
    """
    from frontdesk.accounts.host_checks import check_hosts

    result = TrialResult(check_hosts(trial.profile, trial.credentials, settings))
    if folder is None or not result.is_accepted or not trial.has_credentials:
        return result
    return replace(result, is_other_account=_is_another_account(settings, trial, folder, report))


def _is_another_account(
    settings: "Settings", trial: AccountTrial, folder: Path, report: Callable[[str], object]
) -> bool:
    """Return whether the store has tasks, and neither a page of the account's nor a read by id finds one of them.

    A store of two accounts would show both in one list, and send the changes of one to the other. False where that
    can't be found out.
    """
    from frontdesk.storage.database_files import OUTBOX_FILE, STORE_FILE, StoreUnusable, open_reader
    from frontdesk.tasks import store as task_store
    from frontdesk_api.client.errors import ApiError

    if not all((folder / name).is_file() for name in (STORE_FILE, OUTBOX_FILE)):
        return False
    try:
        with closing(open_reader(folder)) as db:
            newest = task_store.newest_id(db)
            if newest is None:
                return False
            listed, can_read = asyncio.run(_ask(settings, trial, newest))
            return not can_read and not task_store.among(db, listed)
    except (StoreUnusable, ApiError) as error:
        report(f"couldn't check whether it is the same account as before: {error}")
        return False


async def _ask(settings: "Settings", trial: AccountTrial, known: TaskId) -> tuple[list[TaskId], bool]:
    """Return the ids of a page of tasks, and whether the known task can be read."""
    from frontdesk_api.client.errors import RateLimited, Refused
    from frontdesk_api.contract.base import MAX_TASKS_LIMIT
    from frontdesk_api.contract.tasks import TaskQuery

    async with _client(settings, trial) as client:
        page = await client.list_tasks(TaskQuery(limit=MAX_TASKS_LIMIT))
        ids = [TaskId(each.raw["taskId"]) for each in page.items]
        if known in ids:
            return ids, True
        # After months, a page may well hold only tasks that the store doesn't have yet.
        try:
            await client.get_task(known)
        except RateLimited:
            raise
        except Refused:
            return ids, False
        return ids, True


async def _has_tasks(settings: "Settings", trial: AccountTrial) -> bool | None:
    """Return whether a task is assigned to the agent; None where that can't be read."""
    from frontdesk_api.client.errors import ApiError
    from frontdesk_api.contract.tasks import TaskQuery

    async with _client(settings, trial) as client:
        try:
            page = await client.list_tasks(TaskQuery(agentId=trial.profile.agent_id, limit=1))
        except ApiError:
            return None
    return bool(page.items)


def _client(settings: "Settings", trial: AccountTrial) -> "PlatformClient":
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.client.transport import ONCE

    hosts, ca_file, proxy = trial.profile.hosts, settings.ca_file, settings.proxy
    return PlatformClient(hosts, trial.credentials, retry=ONCE, ca_file=ca_file, proxy=proxy, remedy=LOGIN)
