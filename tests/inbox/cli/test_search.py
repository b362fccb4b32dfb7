"""`frontdesk search`: what the store knows, by any word of it."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.config.settings import data_dir, load_config, resolve_profile
from frontdesk.inbox.store import threads
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message, raw_task


@pytest.fixture
def labeled(frontdesk: Frontdesk) -> Frontdesk:
    """A profile in the config that labels a line; to be used before the store is filled."""
    folder = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    line = '[[profiles.acme.lines]]\nid = "L1"\nlabel = "Service"\n'
    (folder / "config.toml").write_text(f'[profiles.acme]\nbase_url = "http://127.0.0.1:9"\n{line}')
    frontdesk.environ["FRONTDESK_PROFILE"] = "acme"
    return frontdesk


@pytest.fixture
def filled(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> Frontdesk:
    """A profile whose store knows a task and two messages."""
    for name, value in frontdesk.environ.items():
        monkeypatch.setenv(name, value)
    with Store(data_dir(resolve_profile(load_config(), frontdesk.environ))) as store:
        store.write(lambda db: task_store.put(db, [raw_task(1, title="Sofa came late")])).result()
        page = [raw_message(number, message=f"Où est mon sofa {number}?") for number in (2, 1)]
        put = store.write(
            lambda db: threads.put_page(db, ConversationId("L1#C1"), page, start=None, has_more=False, now=1.0)
        )
        put.result()
    return frontdesk


def test_words_find_tasks_and_messages_however_they_are_typed(filled: Frontdesk) -> None:
    rows = filled("search", "OU", "sofa", "--json").rows
    assert [(row["kind"], row["text"]) for row in rows] == [
        ("message", "Où est mon sofa 2?"),
        ("message", "Où est mon sofa 1?"),
    ]
    assert {row["kind"] for row in filled("search", "sofa", "--json").rows} == {"task", "message"}
    assert [row["kind"] for row in filled("search", "customer", "1", "--json").rows] == ["customer", "task"]


def test_people_get_a_table_that_shows_the_words(filled: Frontdesk) -> None:
    typed = filled("search", "mon sofa", "--limit", "1")
    assert (typed.status, len(typed.out.splitlines())) == (0, 2)
    assert "mon sofa 2" in typed.out


def test_a_task_has_its_title_beside_its_id(filled: Frontdesk) -> None:
    out = filled("search", "sofa").out
    assert "Sofa came late (t1)" in out
    assert "  L1#C1 " in out, "the line has no label"


def test_a_conversation_has_its_line_beside_its_id(labeled: Frontdesk, filled: Frontdesk) -> None:
    assert filled is labeled
    assert "  Service (L1#C1)  " in filled("search", "mon sofa").out


def test_nothing_found_is_said_and_is_no_failure(filled: Frontdesk) -> None:
    typed = filled("search", "zebra")
    assert typed.status == 0
    assert "No match." in typed.out


def test_what_is_no_word_is_refused_with_a_line(filled: Frontdesk) -> None:
    typed = filled("search", "%&/")
    assert typed.status == 2
    assert typed.err.startswith("frontdesk: nothing to search for")


def test_an_empty_store_says_how_to_fill_it(frontdesk: Frontdesk, service: SandboxService, tmp_path: Path) -> None:
    typed = frontdesk("search", "sofa")
    assert typed.status == 0
    assert "never been fully loaded" in typed.err
