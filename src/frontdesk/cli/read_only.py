"""The refusal of `--read-only`: commands that change something don't run."""

import functools
from collections.abc import Callable
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.config.settings import IS_READ_ONLY, load_config


def unless_read_only(callback: Callable[..., object]) -> Callable[..., object]:
    """Refuse a command in a read-only run, before it asks or reads anything; a dry run is none."""

    @functools.wraps(callback)
    def run(**values: Any) -> object:
        if not values.get("dry_run") and load_config().settings.read_only:
            raise CommandFailed(INPUT_WRONG, f"{IS_READ_ONLY}; nothing was changed")
        return callback(**values)

    return run
