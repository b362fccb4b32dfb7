"""Programs that people use in frontdesk's place in a terminal, over as many mails as it has conversations."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MAILS_A_FOLDER_MAX = 100_000


@dataclass(frozen=True)
class Program:
    """A program in a terminal.

    Attributes:
        ready: the pattern on the screen when it can be used.
        key: what moves its cursor one row down.
        mark: bytes that an answer to the key has.
        environment: all of it.
    """

    name: str
    argv: Sequence[str]
    ready: str
    environment: Mapping[str, str]
    key: str = "j"
    mark: bytes = b"\x1b["


def find_peers(folder: Path, mails: int) -> list[Program]:
    """Return the peers that are installed, over a maildir that is made in the folder."""
    found = []
    home = folder / "peers"
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    inbox = home / "mail" / "INBOX"
    if not inbox.exists() and (shutil.which("neomutt") or shutil.which("aerc")):
        _make_maildir(inbox, min(mails, MAILS_A_FOLDER_MAX))
    if path := shutil.which("neomutt"):
        config = home / "muttrc"
        (home / "cache").mkdir(exist_ok=True)
        config.write_text(
            f'set folder="{inbox.parent}"\nset spoolfile="{inbox}"\nset header_cache="{home}/cache/neomutt"\n'
            "set sort=reverse-date\nset mail_check=0\nset read_inc=0\nset confirmappend=no\nset quit=yes\n"
        )
        found.append(Program("neomutt", [path, "-F", str(config), "-f", str(inbox)], r"Customer \d", environment))
    if path := shutil.which("aerc"):
        config = home / "config" / "aerc"
        config.mkdir(parents=True, exist_ok=True)
        (config / "accounts.conf").write_text(
            f"[bench]\nsource = maildir://{inbox.parent}\ndefault = INBOX\nfrom = a@example.org\n"
        )
        (config / "accounts.conf").chmod(0o600)
        found.append(Program("aerc", [path], r"Customer \d", environment))
    return found


def _make_maildir(folder: Path, mails: int) -> None:
    for each in ("cur", "new", "tmp"):
        (folder / each).mkdir(parents=True)
    for number in range(mails):
        day, minute = 1 + number // 1440 % 28, number % 1440
        (folder / "cur" / f"{1_700_000_000 + number}.{number}.bench:2,S").write_text(
            f"From: Customer {number} <c{number}@example.org>\nTo: a@example.org\n"
            f"Subject: Where is my order {number}?\nMessage-ID: <{number}@example.org>\n"
            f"Date: {day:02} Nov 2025 {minute // 60:02}:{minute % 60:02}:00 +0000\n\n"
            "I have been waiting for two weeks.\n"
        )
