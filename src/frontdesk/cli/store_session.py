"""Opens the profile's store for a command."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from frontdesk.cli.errors import INPUT_WRONG, print_error
from frontdesk.config import credentials, settings
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.database_files import StoreUnusable


@contextmanager
def open_store() -> Iterator[ProfileStore]:
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
        yield ProfileStore(store, profile, config.settings, time.time)


def with_store(work: Callable[[ProfileStore], None]) -> int:
    """Run the work on the store of the chosen profile; returns an exit status."""
    try:
        with open_store() as store:
            work(store)
    except (settings.ConfigError, settings.NoProfile, StoreUnusable, NotPossible) as error:
        print_error(error)
        return INPUT_WRONG
    return 0
