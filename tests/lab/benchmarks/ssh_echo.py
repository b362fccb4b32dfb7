"""How a key feels over SSH on a slow, lossy line, beside neomutt, aerc and `cat`.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.ssh_echo --out DIR [--keys 100] [--loss 0.02]

Each program runs in a terminal of 120x36 behind a real sshd on loopback and `slow_link`'s proxy of 200 ms a round
trip, on lists of the same length; `j` and `k` are pressed in turns, when the screen is still. Prints a
Markdown table and writes DIR/ssh_echo.md and DIR/ssh_echo.jsonl, a line a key. What isn't installed is named as
not tried.

- first byte: from the key to the first byte of its answer at the terminal.
- complete: to the last byte of that answer, which ends where the server sends nothing for `PAUSE_SECONDS`.
- bytes: of SSH, encrypted, without TCP's and IP's headers; up is the key, down the answer.

The floor is `cat`, whose letter the server's kernel echoes: the line and SSH, without a program.
"""

import argparse
import json
import mailbox
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from frontdesk.inbox.store import conversations
from frontdesk.storage.database import Store
from lab.benchmarks import large
from lab.benchmarks.slow_link import Line, Segment, SlowLink, slow_link
from terminal import sshd
from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.sshd import SshServer, ssh_server
from terminal.terminal import Terminal

DELAY_SECONDS, LOSS, KEYS, SEED = 0.1, 0.02, 100, 1
PAUSE_SECONDS = 0.08
"""A server that sends nothing for so long has sent its answer to a key."""
STILL_SECONDS, MAX_SECONDS = 0.15, 20.0
FLOOR = "cat (floor)"
KEYS_PRESSED = "jjjjjjjjkkkkkkkk"

NEOMUTT = """\
set folder="{folder}"
set spoolfile="{box}"
set mbox_type=Maildir
set sleep_time=0
set mail_check=60
set sort=reverse-date
"""
AERC = """\
[mail]
source = maildir://{folder}
default = mail
from = Noa <noa@example.com>
"""


@dataclass(frozen=True)
class Echo:
    """The answer to one key: milliseconds, bytes and segments, and whether one of them was lost."""

    program: str
    key: str
    first_ms: float
    complete_ms: float
    bytes_up: int
    bytes_down: int
    segments_down: int
    was_lost: bool


@dataclass(frozen=True)
class Program:
    """A program to measure: its command line, and what its screen shows once it can be used."""

    name: str
    argv: Sequence[str]
    ready: str


def main(out: Path, keys: int = KEYS, loss: float = LOSS, data: Path | None = None) -> str:
    """Measure all that is installed, write both files, and return the table."""
    if sshd.MISSING:
        return f"SSH: not tried, since {', '.join(sshd.MISSING)} isn't installed.\n"
    line = Line(DELAY_SECONDS, loss)
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        with _desk(scratch, data or scratch / "desk") as (home, service, count):
            programs, missing = _programs(scratch, count)
            with ssh_server(scratch / "ssh", _variables(home, service), "restrict,pty") as server:
                echoes = _measure(programs, server, line, keys)
    table = format_table(echoes, line, count, missing)
    out.mkdir(parents=True, exist_ok=True)
    (out / "ssh_echo.md").write_text(table)
    (out / "ssh_echo.jsonl").write_text("".join(f"{json.dumps(asdict(each))}\n" for each in echoes))
    return table


def format_table(echoes: Sequence[Echo], line: Line, count: int, missing: Sequence[str]) -> str:
    """Lay out the figures of each program beside the floor's."""
    trip = 1000 * line.round_trip
    rows = [
        f"Through a proxy (`slow_link.py`): {trip:.0f} ms a round trip, {line.loss:.0%} of segments lost in each"
        f" direction; lists of {count:,} rows.",
        "",
        "| program | first byte p50 | p95 | complete p50 | p95 | keys with a loss | first byte p95 of the others"
        " | over a round trip | over the floor | bytes up | down | segments |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    floor = percentile(_unharmed(echoes, FLOOR))
    for name in dict.fromkeys(each.program for each in echoes):
        mine = [each for each in echoes if each.program == name]
        first, complete = [each.first_ms for each in mine], [each.complete_ms for each in mine]
        up, down = [each.bytes_up for each in mine], [each.bytes_down for each in mine]
        unharmed = _unharmed(echoes, name)
        segments = statistics.mean(each.segments_down for each in mine)
        figures = [
            *(
                f"{value:.0f} ms"
                for each in (first, complete)
                for value in (statistics.median(each), percentile(each))
            ),
            f"{sum(each.was_lost for each in mine)} of {len(mine)}",
            f"{percentile(unharmed):.0f} ms",
            *(f"{percentile(unharmed) - each:+.0f} ms" for each in (trip, floor)),
            *(f"{statistics.median(each):.0f}" for each in (up, down)),
            f"{segments:.1f}",
        ]
        rows.append(f"| {name} | {' | '.join(figures)} |")
    rows += [f"| {name} | not installed, not tried | | | | | | | |" for name in missing]
    return "\n".join([*rows, ""])


def _unharmed(echoes: Sequence[Echo], name: str) -> list[float]:
    """Return the first bytes of the keys of which nothing was lost: a loss is the line's, not the program's."""
    return [each.first_ms for each in echoes if each.program == name and not each.was_lost]


def percentile(values: Sequence[float], share: float = 0.95) -> float:
    """Return the value that this share of them doesn't exceed."""
    return sorted(values)[max(0, round(len(values) * share) - 1)]


def _measure(programs: Sequence[Program], server: SshServer, line: Line, keys: int) -> list[Echo]:
    """Press each key in one program after the other, so that all have the same moments of a busy machine."""
    environment = {"TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "HOME": str(server.folder)}
    found: list[Echo] = []
    with ExitStack() as open_ones:
        running: list[tuple[Program, Terminal, SlowLink]] = []
        for program in programs:
            link = open_ones.enter_context(slow_link(server.port, line, SEED))
            command = " ".join(["exec", *program.argv])
            terminal = open_ones.enter_context(Terminal(server.login(command, port=link.port), environment))
            terminal.wait_for(program.ready, 120)
            running.append((program, terminal, link))
        for number in range(keys):
            for program, terminal, link in running:
                _wait_until_still(terminal)
                found.append(_press(program.name, terminal, link, KEYS_PRESSED[number % len(KEYS_PRESSED)]))
    return found


def _press(name: str, terminal: Terminal, link: SlowLink, key: str) -> Echo:
    """Press a key on a still screen, and find its answer; nothing can be one before a round trip is over."""
    up, down = len(link.up.segments), len(link.down.segments)
    began = time.monotonic()
    terminal.press(key)
    reads: list[float] = []
    answer: Sequence[Segment] = ()
    while not answer or not _is_over(answer, reads):
        if time.monotonic() - began > MAX_SECONDS:
            raise TimeoutError(f"{name} didn't answer {key!r}:\n{terminal.text}")
        if terminal.read(0.02):
            reads.append(time.monotonic())
        asked = link.up.segments[up:]
        answer = _answer(link.down.segments[down:], asked[0].arrives_at) if asked else ()
    first = next(at for at in reads if at >= answer[0].arrives_at)
    last = next(at for at in reads if at >= answer[-1].arrives_at)
    return Echo(
        name,
        key,
        round(1000 * (first - began), 2),
        round(1000 * (last - began), 2),
        sum(each.size for each in asked),
        sum(each.size for each in answer),
        len(answer),
        any(each.is_lost for each in (*asked, *answer)),
    )


def _answer(sent: Sequence[Segment], asked_at: float) -> list[Segment]:
    """Return the segments that the server sent after the key reached it, up to its first pause."""
    answer: list[Segment] = []
    for each in sent:
        if each.sent_at < asked_at:
            continue
        if answer and each.sent_at - answer[-1].sent_at > PAUSE_SECONDS:
            break
        answer.append(each)
    return answer


def _is_over(answer: Sequence[Segment], reads: Sequence[float]) -> bool:
    """Whether the server has paused after its answer, and the last of it was read at the terminal."""
    is_read = bool(reads) and reads[-1] >= answer[-1].arrives_at
    return is_read and time.monotonic() > answer[-1].sent_at + PAUSE_SECONDS


def _wait_until_still(terminal: Terminal) -> None:
    """Read what came since the last key, or give up on a screen that always changes."""
    with suppress(TimeoutError):
        terminal.wait_for_quiet(STILL_SECONDS, 10)


def _variables(home: Home, service: Service) -> dict[str, str]:
    return {name: value for name, value in home.environment(service).items() if name not in ("TERM", "PATH")}


@contextmanager
def _desk(scratch: Path, data: Path) -> Iterator[tuple[Home, Service, int]]:
    """A person with all of an account loaded, and how many conversations that is."""
    large.make(data, "small")
    shutil.copytree(data / "sandbox", scratch / "platform")
    service = Service(scratch / "platform")
    home = Home(scratch / "home")
    try:
        home.folder.mkdir()
        home.settle(requests_per_second=1000, requests_per_minute=6000, hints=False)
        home.fill(service, data / "profile")
        with Store(home.store(service)) as store:
            count = conversations.count(store.reading)
        yield home, service, count
    finally:
        end_all(home)
        service.kill()


def _programs(scratch: Path, count: int) -> tuple[list[Program], list[str]]:
    """Return those that are installed, set up, and the names of the others."""
    box, rc, config = scratch / "mail", scratch / "neomuttrc", scratch / "config" / "aerc"
    _fill_mailbox(box, count)
    rc.write_text(NEOMUTT.format(folder=scratch, box=box))
    config.mkdir(parents=True)
    for shared in Path("/usr/share/aerc").glob("*.conf"):
        shutil.copy(shared, config)
    accounts = config / "accounts.conf"
    accounts.write_text(AERC.format(folder=scratch))
    accounts.chmod(0o600)
    peers = [
        Program("neomutt", ["neomutt", "-n", "-F", str(rc)], r"Subject \d"),
        Program("aerc", ["env", f"XDG_CONFIG_HOME={scratch}/config", "aerc"], r"Subject \d"),
    ]
    ours = [
        Program(FLOOR, ["sh", "-c", "'echo ready; exec cat'"], "ready"),
        Program("frontdesk", [FRONTDESK], r"Conversations · [1-9][\s\S]*▌[\s\S]*● live"),
    ]
    there = [each for each in peers if shutil.which(each.name)]
    return [*ours, *there], [each.name for each in peers if each not in there]


def _fill_mailbox(folder: Path, count: int) -> None:
    """Write as many letters as the inbox has conversations, the first the newest."""
    box = mailbox.Maildir(folder, create=True)
    now = datetime.now(UTC)
    for number in range(1, count + 1):
        letter = EmailMessage()
        letter["From"], letter["To"] = f"Customer {number} <c{number}@example.com>", "noa@example.com"
        letter["Subject"], letter["Message-ID"] = f"Subject {number}", f"<{number}@example.com>"
        letter["Date"] = format_datetime(now - timedelta(minutes=number))
        letter.set_content(f"Where is order {number}?\n")
        box.add(letter)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--out", type=Path, required=True, help="the folder for ssh_echo.md and ssh_echo.jsonl")
    options.add_argument("--keys", type=int, default=KEYS, help="keys a program")
    options.add_argument("--loss", type=float, default=LOSS, help="share of segments lost in each direction")
    options.add_argument("--data", type=Path, help="a folder that large.py made; by default a small one is made")
    given = options.parse_args()
    print(main(given.out, given.keys, given.loss, given.data))
