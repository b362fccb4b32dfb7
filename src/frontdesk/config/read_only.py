"""Read-only use: the setting, the variable and the option with which frontdesk changes nothing on the platform."""

from collections.abc import Mapping

from frontdesk.config.tables import ConfigError

OPTION = "--read-only"
VARIABLE = "FRONTDESK_READ_ONLY"

IS_READ_ONLY = f"frontdesk is read-only ({OPTION}, {VARIABLE} or the setting read_only)"
"""The text shown when a change is refused."""

_VALUES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def is_read_only(setting: bool, environ: Mapping[str, str]) -> bool:
    """Return whether this run is read-only; the environment overrides the setting.

    Raises:
        ConfigError: the variable is neither yes nor no; a misspelt one mustn't let a change through.
    """
    given = environ.get("FRONTDESK_READ_ONLY", "").strip().lower()
    if not given:
        return setting
    if given not in _VALUES:
        raise ConfigError(f"{VARIABLE}: expected 1 or 0")
    return _VALUES[given]
