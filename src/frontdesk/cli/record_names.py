"""Names beside ids in what commands print, from the profile and its store; a record without a name is its id."""

import os
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import TypeVar

import apsw

from frontdesk.config.file_access import OpenToOthers, require_own
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile, data_dir, load_config, resolve_profile
from frontdesk.storage import record_lookup
from frontdesk.storage.database_files import STORE_FILE, store_paths
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.fuzzy import fold_name
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId
from frontdesk_lines.display_text import show_line

T = TypeVar("T")

BUSY_MILLISECONDS = 200


def with_id(name: str | None, identity: str) -> str:
    """Return a name and its id: "Noa (agent-noa)"; the id alone if there is no other name."""
    return identity if not name or fold_name(name) == fold_name(identity) else f"{name} ({identity})"


class RecordNames:
    """The names that a profile has for agents, lines, statuses and tags, each with its id."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def agent(self, agent_id: str) -> str:
        return with_id(self._catalogue.person(AgentId(agent_id)), agent_id)

    def agents(self, agent_ids: Iterable[str]) -> str:
        return ", ".join(map(self.agent, agent_ids))

    def line(self, line_id: str | None) -> str:
        return with_id(self._catalogue.line(line_id), line_id or "")

    def status(self, status_id: str | None) -> str:
        return with_id(self._catalogue.status(StatusId(status_id or "")), status_id or "")

    def tag(self, tag_id: str) -> str:
        return with_id(self._catalogue.tag(TagId(tag_id)).title, tag_id)


def query_store(profile: Profile, query: Callable[[ReadConnection], T]) -> T:
    """Run a query on a profile's store without creating it, changing it or waiting for long.

    Raises:
        apsw.Error: there is no store, or it can't be read.
        OpenToOthers: another user could have changed it.
    """
    folder = data_dir(profile)
    path = folder / STORE_FILE
    if not path.is_file():
        raise apsw.CantOpenError(str(path))  # a pipe would wait for its other end
    require_own(store_paths(folder))
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        db.set_busy_timeout(BUSY_MILLISECONDS)
        return query(db)


def query_stored(query: Callable[[ReadConnection], T]) -> T | None:
    """Run a query on the store of the chosen profile; None if there is none that can be read and believed."""
    try:
        return query_store(resolve_profile(load_config(), os.environ), query)
    except (apsw.Error, OpenToOthers):
        return None


def stored_customer_name(conversation_id: str) -> str:
    """Return the name or number of a conversation's customer; empty if the profile's store hasn't loaded it."""
    record = query_stored(lambda db: record_lookup.conversation(db, ConversationId(conversation_id)))
    return "" if record is None else show_line(record.name or record.number, 60).text


def load_names() -> RecordNames:
    """Load the names of the chosen profile."""
    return RecordNames(Catalogue(resolve_profile(load_config(), os.environ)))
