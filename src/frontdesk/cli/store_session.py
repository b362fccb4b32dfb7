"""Runs a command on the profile's store instead of the platform."""

import os
import time
from collections.abc import Callable

from frontdesk.cli.errors import INPUT_WRONG, print_error
from frontdesk.config import credentials, settings
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.database_files import StoreUnusable


def with_store(work: Callable[[ProfileStore], None]) -> int:
    """Run the work on the store of the chosen profile; returns an exit status."""
    try:
        local_zone()
        profile = settings.resolve_profile(settings.load_config(), os.environ)
        credentials.StoredCredentials(profile, os.environ).notice()  # an older store may hold them
        with Store(settings.data_dir(profile), print_error) as store:
            work(ProfileStore(store, profile, clock=time.time))
    except (settings.ConfigError, settings.NoProfile, StoreUnusable, NotPossible) as error:
        print_error(error)
        return INPUT_WRONG
    return 0
