"""Files that frontdesk writes, and whether they may be deleted."""

from dataclasses import dataclass
from enum import StrEnum


class Folder(StrEnum):
    """The folders of `config.paths`, with their places on Linux."""

    CONFIG = "~/.config/frontdesk"
    DATA = "~/.local/share/frontdesk"
    STATE = "~/.local/state/frontdesk"
    TEMPORARY = "/tmp"

    @property
    def moved_by(self) -> str:
        """The environment variable that names the parent folder."""
        return {"DATA": "XDG_DATA_HOME", "CONFIG": "XDG_CONFIG_HOME", "STATE": "XDG_STATE_HOME"}.get(
            self.name, "TMPDIR"
        )


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file or folder.

    Attributes:
        name: below its folder; in capitals for a placeholder, with `*` for any text, and a comma between several.
        holds: the contents.
        deletion: the effect of deleting it while frontdesk isn't running.
        mode: the permissions; empty if a link or the person decides.
    """

    folder: Folder
    name: str
    holds: str
    deletion: str
    mode: str = "0600"


_CONFIG, _DATA, _STATE, _TEMPORARY = Folder

_ANY_TIME = "At any time."
_PROFILE = "profiles/NAME/"

KEPT_FILES = (
    KeptFile(
        _CONFIG,
        "config.toml",
        "Profiles and settings. frontdesk changes only what you change in it; comments stay. A file with "
        "an unusual layout is rewritten, and the old one is kept with `.bak` after its name.",
        "No: your profiles and settings would be lost.",
    ),
    KeptFile(
        _CONFIG,
        "credentials.toml",
        "Each profile's Cookie, x-api-key, Bearer token and team password, and the addresses they are for. "
        "frontdesk refuses it if others can read it.",
        "`frontdesk logout` removes those of a profile; without the file, `frontdesk login` asks again.",
    ),
    KeptFile(
        _DATA,
        f"{_PROFILE}outbox.db",
        "Your changes until the platform has confirmed them, what undo needs, drafts, saved filters, and the "
        "history of tasks.",
        "No: unsent changes and drafts would be lost. This is the file to back up.",
    ),
    KeptFile(
        _DATA,
        f"{_PROFILE}store.db",
        "What was loaded from the platform: customers, messages, tasks, campaigns, workflows; and earlier "
        "counters of campaigns.",
        "Yes: it is loaded again. Earlier counters, and messages that the platform no longer has, are lost.",
    ),
    KeptFile(
        _DATA,
        f"{_PROFILE}*.db-wal, *.db-shm",
        "SQLite's log and index of the two databases.",
        "Only together with its database: the log holds the newest changes.",
    ),
    KeptFile(_DATA, f"{_PROFILE}open.lock", "Held while the databases are created or upgraded.", _ANY_TIME),
    KeptFile(_DATA, f"{_PROFILE}leader.lock", "Held by the process that polls the platform.", _ANY_TIME),
    KeptFile(
        _DATA,
        f"{_PROFILE}writer.waiting",
        "Present while a process that sends changes waits for a read-only one.",
        _ANY_TIME,
    ),
    KeptFile(
        _DATA,
        f"{_PROFILE}damaged",
        "Present after a database was found damaged; the next start checks both.",
        "No.",
    ),
    KeptFile(
        _DATA,
        f"{_PROFILE}*.db.damaged-*",
        "A damaged database, set aside with its date. `frontdesk doctor` names it.",
        "Yes, when you don't need it to find the cause.",
    ),
    KeptFile(
        _DATA,
        "profiles/NAME@env-*/",
        "The same files, for a profile whose addresses the environment replaces.",
        "As in `profiles/NAME/`; `frontdesk forget NAME` deletes them too.",
        "0700",
    ),
    KeptFile(
        _DATA,
        "profiles/env-*/",
        "The same files, for a run without a profile, with addresses from the environment.",
        "As in `profiles/NAME/`.",
        "0700",
    ),
    KeptFile(
        _DATA,
        "demo/*",
        "The demo: `profile.toml`, its sandbox (`sandbox.db`, `sandbox.log`), its stores, and a team's "
        "PostgreSQL (`team.json`, `desk-*.lock`).",
        "Yes, or `frontdesk demo --fresh`: it starts over.",
        "0700",
    ),
    KeptFile(
        _DATA,
        "demo.lock, demo-sandbox.lock, demo.pipe",
        "How terminals with the demo find each other.",
        "Yes, when no demo is running.",
    ),
    KeptFile(
        _STATE,
        "frontdesk.log",
        "The log of the background process, without message texts and credentials; up to three older logs are "
        "next to it.",
        _ANY_TIME,
    ),
    KeptFile(_STATE, "crash.log", "Errors of frontdesk itself, without values and credentials.", _ANY_TIME),
    KeptFile(
        _STATE,
        "workflow-before-*.json",
        "A workflow's graph before an update in which the platform lost parts of it; a message names the file.",
        "When you're happy with the workflow.",
    ),
    KeptFile(
        _TEMPORARY,
        "frontdesk-*/",
        "A text or `config.toml` while you edit it in your own editor. It stays if it couldn't be saved, and a "
        "message says so.",
        "Once no editor has it open.",
        "0700",
    ),
    KeptFile(
        _TEMPORARY,
        "frontdesk-sandbox-*/",
        "The state of `frontdesk sandbox` without `--data`; deleted when the sandbox stops.",
        "While no sandbox runs.",
        "0700",
    ),
    KeptFile(
        _TEMPORARY,
        "frontdesk-postgres-*/",
        "The socket of the PostgreSQL of `frontdesk demo --team N`.",
        "Yes, when no demo is running.",
        "0700",
    ),
)
