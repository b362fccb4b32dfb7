"""A seeded sandbox process, a store already filled from it, and programs in terminals over both.

Seeding and filling are done once, in this process; a story gets copies, since it changes them.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.inbox.store import conversations, threads
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import open_world
from sandbox.asking import Sandbox
from sandbox.fixtures import seeded
from terminal.service import FRONTDESK, Home, Service, end_all, running
from terminal.terminal import Terminal

__all__ = ["seeded"]

LINE = fixtures.LINES[2].id
LONG_THREAD = 120
MINUTE_MS = 60_000

Open = Callable[..., Terminal]


@pytest.fixture(scope="session")
def business(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sandbox's data with the people of these stories, and a store in which all of it was read."""
    folder = tmp_path_factory.mktemp("business")
    data, store = folder / "data", folder / "store"
    shutil.copytree(seeded, data)
    world = open_world(SandboxOptions(data=data, crowd=False))
    sandbox = Sandbox(world)
    now = world.clock.now_ms()
    customer(sandbox, "Zelda Longthread", "C-zelda", "Numbered thread", now - LONG_THREAD * MINUTE_MS)
    sandbox.post(
        "/sandbox/messages",
        [
            {
                "messageId": f"long-{number:04}",
                "participantsIdentifiers": f"{LINE}#C-zelda",
                "message": f"number {number}",
                "createdAt": now - (LONG_THREAD - number + 10) * MINUTE_MS,
                "messageDirection": "incoming" if number % 3 else "outgoing",
            }
            for number in range(1, LONG_THREAD + 1)
        ],
    )
    # Due before all others, so that it is on top of its column.
    customer(sandbox, "Tess Statusstory", "C-tess", "Oak table arrived scratched", now, dueDate=1_600_000_000)
    for name in ("Uma", "Vera"):
        customer(sandbox, f"{name} Quickhand", f"C-{name}", f"Task of {name}", now - 90 * 86_400_000)
    fill(sandbox, store)
    world.close()
    return data, store


@pytest.fixture(scope="session")
def service(business: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The platform of all stories that don't mind what the others did."""
    data = tmp_path_factory.mktemp("platform") / "data"
    shutil.copytree(business[0], data)
    with running(data) as started:
        yield started


@pytest.fixture
def own_service(business: tuple[Path, Path], tmp_path: Path) -> Iterator[Service]:
    """A platform for one story alone."""
    data = tmp_path / "sandbox"
    shutil.copytree(business[0], data)
    with running(data) as started:
        yield started


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A person's folders, and no process left in them at the end."""
    made = Home(tmp_path / "home")
    made.folder.mkdir()
    # The default budget is made for the platform's sake; the sandbox can be asked as fast as it answers.
    made.settle(requests_per_second=1000, requests_per_minute=6000, hints=False)
    yield made
    end_all(made)


@pytest.fixture
def filled_home(home: Home, service: Service, business: tuple[Path, Path]) -> Home:
    """A home whose store knows all that the platform has."""
    home.fill(service, business[1])
    return home


@pytest.fixture
def opened(service: Service, home: Home) -> Iterator[Open]:
    """Opens `frontdesk` in a terminal, over the shared platform where no other is given."""
    terminals: list[Terminal] = []

    def open_one(*arguments: str, at: Service | None = service, columns: int = 120, rows: int = 36) -> Terminal:
        terminal = Terminal([FRONTDESK, *arguments], home.environment(at), columns, rows)
        terminals.append(terminal)
        return terminal

    yield open_one
    for terminal in terminals:
        terminal.close()


def customer(sandbox: Sandbox, name: str, identity: str, title: str, active_ms: int, **more: object) -> None:
    """A customer with an open task, active at that time."""
    sandbox.task(
        taskId=f"task-{identity}",
        title=title,
        **more,
        phoneNumberId=LINE,
        participantsIdentifiers=f"{LINE}#{identity}",
        customer={
            "phoneNumberId": identity,
            "customerName": name,
            "lastActiveAt": active_ms,
            "platform": "whatsapp",
        },
    )


def fill(sandbox: Sandbox, folder: Path) -> None:
    """Read all tasks and the newest page of all threads into a store, as the engine does in minutes."""
    with Store(folder) as store:
        cursor: object = {}
        while cursor is not None:
            page = sandbox.post("/tasks/list", {"limit": 100, "lastEvaluatedKey": cursor}).json()
            store.write(lambda db, page=page: task_store.put(db, page["dbObject"])).result()
            cursor = page.get("lastEvaluatedKey")
        store.write(note_listed).result()
        for conversation, line, other in conversations.never_read_threads(store.reading, 10_000):
            page = sandbox.post("/getMessages", {"phoneNumberId": line, "targetPhoneNumberId": other}).json()
            store.write(
                lambda db, page=page, conversation=conversation: threads.put_page(
                    db,
                    conversation,
                    page["dbObject"],
                    start=None,
                    has_more=page["hasMoreItemsToFetch"],
                    now=sandbox.world.clock.now_ms() / 1000,
                )
            ).result()
