"""What other processes get from this one: the environment of its children."""

from collections.abc import Mapping

_PREFIX = "FRONTDESK_"


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a browser, an alert's program or a helper: without any FRONTDESK_ variable.

    The engine is the exception: it works with the account of its parent.
    """
    return {name: value for name, value in environ.items() if not name.startswith(_PREFIX)}
