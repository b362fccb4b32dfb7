"""Whether new credentials open the account that a profile's store holds, for `login` and for signing in again.

A store of two accounts would show both in one list, and send the changes of one to the other.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import ApiError, RateLimited, Refused
from frontdesk.api.client.retries import ONCE
from frontdesk.api.contract.base import MAX_TASKS_LIMIT
from frontdesk.api.contract.ids import TaskId
from frontdesk.api.contract.tasks import TaskQuery
from frontdesk.cli.errors import print_error
from frontdesk.storage.database_files import OUTBOX_FILE, STORE_FILE, StoreUnusable, open_reader
from frontdesk.tasks import store as task_store

if TYPE_CHECKING:
    from frontdesk.config.credentials import CredentialSet
    from frontdesk.config.settings import Profile, Settings


def looks_like_another_account(
    profile: "Profile",
    credentials: "CredentialSet",
    settings: "Settings",
    folder: Path,
    report: Callable[[str], object] = print_error,
) -> bool:
    """Return whether the store has tasks, and neither a page of the account's nor a read by id finds one of them.

    False where that can't be found out, which is reported.
    """
    if not all((folder / name).is_file() for name in (STORE_FILE, OUTBOX_FILE)):
        return False
    try:
        with closing(open_reader(folder)) as db:
            newest = task_store.newest_id(db)
            if newest is None:
                return False
            listed, can_read = asyncio.run(_ask(profile, credentials, settings, newest))
            return not can_read and not task_store.among(db, listed)
    except (StoreUnusable, ApiError) as error:
        report(f"couldn't check whether it is the same account as before: {error}")
        return False


async def _ask(
    profile: "Profile", credentials: "CredentialSet", settings: "Settings", known: TaskId
) -> tuple[list[TaskId], bool]:
    """Return the ids of a page of tasks, and whether the known task can be read."""
    async with PlatformClient(
        profile.hosts, credentials, retry=ONCE, ca_file=settings.ca_file, proxy=settings.proxy
    ) as client:
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
