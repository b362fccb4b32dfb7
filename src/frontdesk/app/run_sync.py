"""`frontdesk sync`: the engine in the foreground, without a screen."""

import sys


def run_sync(profile: str | None = None) -> int:
    """Keep the profile's store fresh until interrupted. Answers an exit status."""
    from frontdesk.app.engine_main import main

    print("frontdesk: keeping the store fresh; ctrl+c ends it", file=sys.stderr)
    return main([] if profile is None else ["--profile", profile])
