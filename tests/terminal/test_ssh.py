"""A person who works over SSH, loses the line in the middle of an edit, and logs in again.

The login is docs/administrators.md's: a forced command in `authorized_keys`, here of a server on loopback.
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.commands import VIEW
from frontdesk.outbox.dialog_drafts import DIALOG_DRAFT
from frontdesk.storage.database import Store
from terminal import sshd
from terminal.service import FRONTDESK, Home, Service, end_all, wait_until_nothing_runs
from terminal.sshd import SshServer, ssh_server
from terminal.terminal import ENTER, Terminal
from terminal.test_stories import LIVE, complete, find

pytestmark = [
    pytest.mark.pty,
    pytest.mark.slow,
    pytest.mark.xdist_group("pty"),
    pytest.mark.skipif(bool(sshd.MISSING), reason=f"not installed: {', '.join(sshd.MISSING)}"),
]

DOCS = Path(__file__).parents[2] / "docs" / "administrators.md"
FORCED_COMMAND = re.compile(r'^ *(command="(/usr/local/bin/frontdesk)",\S+) ', re.MULTILINE)
TITLE = "Oak table arrived scratched"


def documented_options() -> str:
    """What docs/administrators.md puts before a key, with the program of these tests."""
    found = FORCED_COMMAND.search(DOCS.read_text())
    assert found is not None
    return found.group(1).replace(found.group(2), FRONTDESK)


@pytest.fixture
def server(own_service: Service, home: Home, business: tuple[Path, Path], tmp_path: Path) -> Iterator[SshServer]:
    home.fill(own_service, business[1])
    variables = home.environment(own_service)
    for each in ("TERM", "PATH"):  # the client's, and the system's
        del variables[each]
    with ssh_server(tmp_path / "ssh", variables, documented_options()) as started:
        yield started


def log_in(server: SshServer) -> Terminal:
    environment = {"TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "HOME": str(server.folder)}
    return Terminal(server.login("echo", "a shell would say this"), environment, columns=160)


def is_written(folder: Path, cursor: str, typed: str) -> bool:
    """Whether the store has what a lost line must not lose: the cursor, and what is typed."""
    with Store(folder) as store:
        view = queue.kept(store.reading, VIEW, "inbox")
        drafts = queue.all_kept(store.reading, DIALOG_DRAFT).values()
        return cursor in str(view) and any(typed in str(each) for each in drafts)


def test_work_outlives_a_lost_line(server: SshServer, own_service: Service, home: Home) -> None:
    store = home.store(own_service)
    with log_in(server) as terminal:
        find(terminal, "Tess Statusstory")
        terminal.wait_for(LIVE)
        own_service.kill()
        complete(terminal)
        terminal.wait_for("1 to send")
        terminal.press("e")
        terminal.wait_for("Edit · ")
        terminal.press(*" in transit")
        terminal.wait_for(lambda: is_written(store, "C-tess", " in transit"))
        os.kill(terminal.pid, signal.SIGKILL)  # the client, as a laptop that is closed
    wait_until_nothing_runs(home)

    with log_in(server) as terminal:
        terminal.wait_for(r"▌ (?:\S )?Tess Statusstory")
        assert "a shell would say this" not in terminal.text
        terminal.wait_for("1 to send")
        terminal.press("e")
        terminal.wait_for(f"{TITLE} in transit")
        terminal.wait_for("Restored the text you typed before")
        terminal.press(*", then")
        terminal.wait_for(f"{TITLE} in transit, then")
        terminal.wait_for(lambda: is_written(store, "C-tess", " in transit, then"))
        end_all(home)  # with SIGKILL, as a machine that is out of memory
        terminal.wait_for_end()
    wait_until_nothing_runs(home)

    own_service.start()
    with log_in(server) as terminal:
        terminal.wait_for(r"▌ (?:\S )?Tess Statusstory")
        terminal.press("e")
        terminal.wait_for(f"{TITLE} in transit, then")
        terminal.press(ENTER)
        terminal.wait_for(lambda: own_service.task("task-C-tess")["title"] == f"{TITLE} in transit, then")
        terminal.wait_for(lambda: own_service.task("task-C-tess")["statusCase"] == "completed")
        terminal.wait_for(lambda: "to send" not in terminal.text)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(home)
    assert not server.sessions()
