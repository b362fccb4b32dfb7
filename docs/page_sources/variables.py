"""Environment variables that frontdesk reads, with their meaning.

`config.ignored_variables` has those that it ignores on purpose.
"""

from dataclasses import dataclass
from enum import StrEnum

from frontdesk.config.hosts import HostKeys, environment_name
from frontdesk.config.tables import Key, keys_of


class VariableGroup(StrEnum):
    """The heading of a variable in the reference, in order."""

    ACCOUNT = "Profile and credentials"
    PLACES = "Folders and time"
    TERMINAL = "Terminal"
    PROGRAMS = "Programs that frontdesk starts"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable.

    Attributes:
        means: its effect, in one or more sentences.
        reader: the library that reads it; empty if frontdesk does.
        see: the page that explains it, from docs/.
    """

    name: str
    group: VariableGroup
    means: str
    reader: str = ""
    see: str = ""


_ACCOUNT, _PLACES, _TERMINAL, _PROGRAMS = VariableGroup


def _of_host(key: Key) -> Variable:
    default = f" Default: `{key.without}`." if key.without else ""
    return Variable(environment_name(key.name), _ACCOUNT, f"{key.text.partition(',')[0]}.{default}")


VARIABLES = (
    Variable("FRONTDESK_PROFILE", _ACCOUNT, "The profile to use, instead of `default_profile`."),
    *(_of_host(each) for each in keys_of(HostKeys).values()),
    Variable("FRONTDESK_COOKIE", _ACCOUNT, "The whole value of the Cookie header."),
    Variable("FRONTDESK_API_KEY", _ACCOUNT, "The x-api-key."),
    Variable("FRONTDESK_BEARER", _ACCOUNT, "The Bearer token."),
    Variable("FRONTDESK_AGENT_ID", _ACCOUNT, "Your agent id."),
    Variable("FRONTDESK_TEAM_URL", _ACCOUNT, "`url` of the profile's team.", see="configuration.md#a-team"),
    Variable("FRONTDESK_TEAM_ACCOUNT", _ACCOUNT, "`account` of the profile's team."),
    Variable(
        "FRONTDESK_TEAM_PASSWORD",
        _ACCOUNT,
        "The team's password. It overrides `PGPASSWORD`.",
    ),
    Variable("PGPASSWORD", _ACCOUNT, "The team's password, if the profile has a team."),
    Variable(
        "KEYRING_PROPERTY_*",
        _ACCOUNT,
        "Properties of the keyring's backend; one may be its password.",
        "keyring",
    ),
    Variable(
        "KEYRING_CRYPTFILE_PASSWORD",
        _ACCOUNT,
        "The password of an encrypted keyring file.",
        "keyrings.cryptfile",
    ),
    Variable(
        "FRONTDESK_READ_ONLY",
        _ACCOUNT,
        "The setting `read_only`: `1` or `0`. Any other value is refused.",
        see="command-line.md#what-all-commands-share",
    ),
    Variable("HOME", _PLACES, "Your home folder, which holds the folders below.", "Python"),
    Variable(
        "XDG_CONFIG_HOME",
        _PLACES,
        "Sets the parent of the config folder (default `~/.config`).",
        "platformdirs",
        "reference/files.md",
    ),
    Variable("XDG_DATA_HOME", _PLACES, "Moves the data folder.", "platformdirs", "reference/files.md"),
    Variable("XDG_STATE_HOME", _PLACES, "Moves the state folder.", "platformdirs", "reference/files.md"),
    Variable("TMPDIR", _PLACES, "The folder of temporary files.", "Python"),
    Variable(
        "TZ",
        _PLACES,
        "The time zone: a name (`Europe/Rome`), a file, or a POSIX rule (`<+03>-3`), as your C library reads it. "
        "If it is unknown, frontdesk doesn't start, because due dates would be wrong.",
    ),
    Variable("TZDIR", _PLACES, "The folder with the files of time zones."),
    Variable("TERM", _TERMINAL, "What the terminal can show.", see="configuration.md#terminal"),
    Variable("COLORTERM", _TERMINAL, "Whether it has all colors: `truecolor` or `24bit`."),
    Variable("NO_COLOR", _TERMINAL, "Sends no colors and uses bold, underline, reverse and signs instead."),
    Variable(
        "LC_ALL",
        _TERMINAL,
        "The locale, which says whether the terminal takes UTF-8.",
        see="configuration.md#terminal",
    ),
    Variable("LC_CTYPE", _TERMINAL, "The locale, if `LC_ALL` isn't set."),
    Variable("LANG", _TERMINAL, "The locale, if neither is set."),
    Variable("TERM_PROGRAM", _TERMINAL, "Whether the terminal can copy (Apple's Terminal can't)."),
    Variable("VTE_VERSION", _TERMINAL, "Whether the terminal can copy (VTE from 0.76 on)."),
    Variable("KONSOLE_VERSION", _TERMINAL, "Whether the terminal can copy (Konsole from 24.12 on)."),
    Variable("TMUX", _TERMINAL, "frontdesk runs in tmux, and passes titles and copies through it."),
    Variable("STY", _TERMINAL, "frontdesk runs in screen."),
    Variable("SSH_TTY", _TERMINAL, "frontdesk runs over SSH: links and pages are copied, not opened there."),
    Variable("SSH_CONNECTION", _TERMINAL, "The same."),
    Variable("SSH_CLIENT", _TERMINAL, "The same."),
    Variable(
        "TEXTUAL_DRIVER", _TERMINAL, "Set by `textual serve`, which draws the inbox itself; no terminal is needed."
    ),
    Variable("COLUMNS", _TERMINAL, "The width of `--help`, if the terminal doesn't report one.", "Python"),
    Variable("VISUAL", _PROGRAMS, "Your editor, for `ctrl+e`, `config edit` and long texts."),
    Variable(
        "EDITOR",
        _PROGRAMS,
        "Your editor, if `VISUAL` isn't set. Without both, `sensible-editor`, `nano`, `vim` or `vi`.",
    ),
    Variable("PAGER", _PROGRAMS, "The command with which `frontdesk docs` shows a page. Default: `less`."),
    Variable("LESS", _PROGRAMS, "Options of `less`. Default: `FRX`, as git sets them."),
    Variable("BROWSER", _PROGRAMS, "The browser that opens links and the platform's pages.", "Python"),
    Variable("PATH", _PROGRAMS, "Where programs are found."),
    Variable(
        "_FRONTDESK_COMPLETE",
        _PROGRAMS,
        "Set by the script of tab completion: prints completions instead of opening the inbox.",
    ),
)
