"""`frontdesk sync`: the engine in the foreground, without a screen."""

import subprocess
import sys


def run_sync(profile: str | None = None) -> int:
    """Keep the profile's store fresh until interrupted. Answers an exit status."""
    named = [] if profile is None else ["--profile", profile]
    print("frontdesk: keeping the store fresh; ctrl+c ends it", file=sys.stderr)
    try:
        return subprocess.run([sys.executable, "-m", "frontdesk.sync", *named], check=False).returncode
    except KeyboardInterrupt:
        return 130
