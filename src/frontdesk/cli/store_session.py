"""What commands share that work on the profile's store instead of the platform."""

import os
import time
from collections.abc import Callable

from frontdesk import config, secrets
from frontdesk.cli.failures import INPUT_WRONG, say
from frontdesk.desk.changes import NotPossible
from frontdesk.desk.desk import Desk
from frontdesk.store.files import StoreUnusable
from frontdesk.store.store import Store


def at_desk(work: Callable[[Desk], None]) -> int:
    """Do the work at the desk of the chosen profile; answers an exit status."""
    try:
        profile = config.resolve_profile(config.load_config(), os.environ)
        secrets.StoredCredentials(profile, os.environ).notice()  # an older store may hold them
        with Store(config.data_dir(profile), say) as store:
            work(Desk(store, profile, clock=time.time))
    except (config.ConfigError, config.NoProfile, StoreUnusable, NotPossible) as error:
        say(error)
        return INPUT_WRONG
    return 0
