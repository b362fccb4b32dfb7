"""Completion of ids and names from the profile's store and config, for bash, zsh and fish; never from the network.

Nobody sees an error here: without a profile or a store there is nothing to offer. zsh evaluates what completion
prints, so only harmless characters of a name get out, and an id with any other character isn't offered.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontdesk.config.settings import Profile


@dataclass(frozen=True, slots=True)
class Offer:
    """An id to complete to, as the shells' formats read it; `help` is its name."""

    value: str
    help: str = ""
    type: str = "plain"


Completer = Callable[[Any, Any, str], Any]
"""Called with the context, the parameter and what was typed; typer's `autocompletion` could match no names."""

MAX_OFFERS = 200
MAX_NAME = 60
BUSY_MILLISECONDS = 200

_SAFE_ID = re.compile(r"[\w./#@+:=-]+", re.ASCII)


def _from_store(sql: str) -> Completer:
    """Complete ids from a query for ids and names, the most likely first."""

    def complete(context: Any, _parameter: Any, incomplete: str) -> Any:
        def read(profile: "Profile") -> Iterable[tuple[object, object]]:
            import apsw

            from frontdesk.config.settings import data_dir

            path = data_dir(profile) / "store.db"
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                db.set_busy_timeout(BUSY_MILLISECONDS)
                return [(row[0], row[1]) for row in db.execute(sql)]
            finally:
                db.close()

        return _offers(context, incomplete, read)

    return complete


def _from_profile(read: "Callable[[Profile], Iterable[tuple[object, object]]]") -> Completer:
    """Complete ids that the config knows."""

    def complete(context: Any, _parameter: Any, incomplete: str) -> Any:
        return _offers(context, incomplete, read)

    return complete


def complete_profile(_context: Any, _parameter: Any, incomplete: str) -> Any:
    """Complete the names of profiles."""
    from frontdesk.config.settings import load_config

    try:
        names = sorted(load_config().profiles)
    except Exception:  # any failure means nothing to offer
        return []
    return [Offer(name) for name in names if name.startswith(incomplete) and _SAFE_ID.fullmatch(name)]


complete_task = _from_store(
    "SELECT task_id, title || ' ' || customer_name FROM tasks ORDER BY status = 'completed', updated_at DESC"
)
complete_conversation = _from_store("SELECT conversation_id, name FROM conversations ORDER BY active_at DESC")
complete_customer = _from_store(
    "SELECT DISTINCT customer_id, name FROM conversations WHERE customer_id IS NOT NULL ORDER BY active_at DESC"
)
complete_campaign = _from_store("SELECT campaign_id, raw ->> 'name' FROM campaigns ORDER BY read_at DESC")
complete_workflow = _from_store("SELECT document_id, name FROM documents WHERE kind = 'workflow' ORDER BY name")
complete_ai_agent = _from_store("SELECT document_id, name FROM documents WHERE kind = 'ai_agent' ORDER BY name")
complete_agent = _from_profile(lambda profile: profile.agents.items())
complete_line = _from_profile(lambda profile: profile.lines.items())
complete_tag = _from_profile(lambda profile: ((tag.id, tag.title) for tag in profile.tags))
complete_status = _from_profile(
    lambda profile: (
        dict.fromkeys(("open", "standby", "completed"), "") | {each.id: each.name for each in profile.statuses}
    ).items()
)


def _offers(
    context: Any, incomplete: str, read: "Callable[[Profile], Iterable[tuple[object, object]]]"
) -> list[Offer]:
    from frontdesk.config.settings import load_config, resolve_profile

    try:
        # The command's other options aren't run, so `--profile` has not reached the environment yet.
        profile = resolve_profile(load_config(), os.environ, context.find_root().params.get("profile"))
        known = [(str(each), _safe_name(name)) for each, name in read(profile)]
    except Exception:  # any failure means nothing to offer
        return []
    # In a list of ids the last one is completed.
    start, comma, typed = incomplete.rpartition(",")
    known = [each for each in known if _SAFE_ID.fullmatch(each[0])]
    found = [each for each in known if each[0].startswith(typed)]
    if not found:
        words = typed.strip("'\"").casefold()
        found = [each for each in known if any(_begins(part, words) for part in each[1].split())]
    return [Offer(f"{start}{comma}{each}", name) for each, name in found[:MAX_OFFERS]]


def _begins(part: str, words: str) -> bool:
    return part.casefold().startswith(words)


def _safe_name(raw: object) -> str:
    """Leave letters, digits and a few signs of a name; the shell gets it."""
    text = "".join(each if each.isalnum() or each in "-_.,+@" else " " for each in str(raw or "")[: 4 * MAX_NAME])
    return " ".join(text.split())[:MAX_NAME]
