"""Opens the profile's store for a command, for a dry run too."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import apsw

from frontdesk.cli.errors import INPUT_WRONG, print_error
from frontdesk.cli.output import print_json, print_line
from frontdesk.config import credentials, settings
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import Job, Prepare, ProfileStore, Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change, ChangeState
from frontdesk.storage.sql import rows

T = TypeVar("T")
StoreT = TypeVar("StoreT", bound=ProfileStore)

TEAM_LATER = "It reaches your team when frontdesk runs."
NOTHING_CHANGED = "Nothing was changed: this is a dry run."


class _RolledBack(Exception):
    """Ends the transaction of a dry run, so that nothing of it is kept."""

    def __init__(self, result: object) -> None:
        super().__init__()
        self.result = result


class DryRunStore(ProfileStore):
    """A store of which every write is rolled back.

    Attributes:
        changes: what the writes would have left in the outbox, as it would be there.
    """

    changes: Sequence[Change] = ()

    def write(self, job: Job[T], prepare: Prepare = None) -> "Future[T]":
        """Run `job(db)` and undo it; returns when it is undone."""

        def rehearse(db: apsw.Connection) -> object:
            sql = "SELECT change_id, state FROM outbox.changes ORDER BY change_id"
            before: dict[int, str] = dict(rows(db, sql))
            result = job(db)
            after = [change_id for change_id, state in rows(db, sql) if before.get(change_id) != state]
            self.changes = [*self.changes, *(found for each in after if (found := queue.change(db, each)))]
            raise _RolledBack(result)

        done: Future[T] = Future()
        error = self._store.write(rehearse, prepare).exception()
        if isinstance(error, _RolledBack):
            done.set_result(error.result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)
        return done


class CommandStore(ProfileStore):
    """A store whose changes are sent at once, without the time for an undo.

    Attributes:
        made: the ids of the changes that were added by it.
    """

    made: tuple[int, ...] = ()

    @property
    def base(self) -> Store:
        return self._store

    def write(self, job: Job[T], prepare: Prepare = None) -> "Future[T]":
        def write(db: apsw.Connection) -> T:
            newest, now = queue.newest(db), self.clock()
            result = job(db)
            made = queue.made_after(db, newest)
            queue.move_all(db, made, ChangeState.QUEUED, expected=(ChangeState.HELD,), now=now, send_after=now)
            self.made += tuple(each.change_id for each in made)
            return result

        return super().write(write, prepare)


def open_store() -> AbstractContextManager[ProfileStore]:
    """Open the store of the chosen profile as `open_store_as` does."""
    return open_store_as(ProfileStore)


@contextmanager
def open_store_as(kind: type[StoreT]) -> Iterator[StoreT]:
    """Open the store of the chosen profile.

    Raises:
        ConfigError, NoProfile: no profile can be used.
        StoreUnusable: the store can't be opened.
    """
    local_zone()  # a time zone that isn't known is reported before anything is done
    config = settings.load_config()
    profile = settings.resolve_profile(config, os.environ)
    credentials.CredentialsWatch(profile, os.environ).notice()  # an older store may hold them
    with Store(settings.data_dir(profile), print_error) as store:
        yield kind(store, profile, config.settings, time.time)


def with_store(
    work: Callable[[ProfileStore], int | None], *, dry_run: bool = False, kind: type[ProfileStore] = ProfileStore
) -> int:
    """Run the work on the store of the chosen profile; returns an exit status."""
    try:
        with open_store_as(DryRunStore if dry_run else kind) as store:
            return work(store) or 0
    except (settings.ConfigError, settings.NoProfile, StoreUnusable, NotPossible) as error:
        print_error(error)
        return INPUT_WRONG


def print_local(store: ProfileStore, fields: Mapping[str, object], sentence: str, *, as_json: bool) -> None:
    """Print what was changed on this machine alone, or would be in a dry run, once it is written."""
    store.flush().result()
    is_dry = isinstance(store, DryRunStore)
    if as_json:
        print_json({**fields, "dryRun": is_dry})
    else:
        print_line(NOTHING_CHANGED if is_dry else sentence)
