"""Completion of ids from the profile's store and config, with their names as help; never from the network.

typer leaves out values that don't start with what was typed, so an id isn't found by its name. Nobody sees an
error here: without a profile or a store there is nothing to offer. zsh evaluates what completion prints, so only
harmless characters of a name get out, and an id with any other character isn't offered.
"""

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frontdesk.config.actions import RunCommand

if TYPE_CHECKING:
    from frontdesk.config.settings import Profile
    from frontdesk.outbox.changes import ChangeHandlers
    from frontdesk.outbox.sender import Sender
    from frontdesk.storage.database import ProfileStore
    from frontdesk.storage.sql import ReadConnection

IdName = tuple[object, object]

NameQuery = Callable[["ReadConnection"], Iterable[IdName]]
"""A feature's query for ids and names in the store, the most likely first."""

Completer = Callable[[typer.Context, str], list[tuple[str, str]]]
"""Called with the context and what was typed, for typer's `autocompletion`."""

MAX_OFFERS = 200
MAX_NAME = 60

_SAFE_ID = re.compile(r"[\w./#@+:=-]+", re.ASCII)


class StoredKind(StrEnum):
    """A kind of records whose ids are completed from the store."""

    TASK = "task"
    CONVERSATION = "conversation"
    CUSTOMER = "customer"
    CAMPAIGN = "campaign"
    WORKFLOW = "workflow"
    AI_AGENT = "AI agent"


@dataclass(frozen=True, slots=True)
class CommandServices:
    """What the app hands to its commands as `typer.Context.obj`; each is loaded by whom it serves.

    Attributes:
        name_queries: loads the features' queries for completion.
        workflow_source: loads the workflow checks for `campaigns create`.
        load_promises: reads what `stats` needs of the service policies, and a sentence where they can't be used.
        read_campaigns: reads the campaigns that `stats` counts, at a moment.
        run_command: runs a command line in this process, for the linear mode.
        load_handlers: loads the handlers of all kinds of changes.
        make_sender: makes a sender with the delivery of each kind; see `engine.features`.
    """

    name_queries: Callable[[], Mapping[StoredKind, NameQuery]]
    workflow_source: Callable[[], Any]
    load_promises: Callable[["ProfileStore"], tuple[Any, str]]
    read_campaigns: Callable[[Any, float], Sequence[Any]]
    run_command: RunCommand
    load_handlers: Callable[[], "ChangeHandlers"]
    make_sender: Callable[..., "Sender"]


class Shell(StrEnum):
    """A shell that completion works in."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def print_completion(
    context: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="The shell: bash, zsh or fish.")],
) -> None:
    """Print a script that completes commands and ids."""
    program = context.find_root()
    # The variable by which the script itself asks; typer answers with the script for `source`.
    os.environ["_FRONTDESK_COMPLETE"] = f"source_{shell}"
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        program.command.main([], prog_name="frontdesk", obj=program.obj)
    print(printed.getvalue().strip())  # zsh looks at a file's first line, so none may stand before the script


def _from_store(kind: StoredKind) -> Completer:
    """Complete the ids of these records in the store."""

    def complete(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        def read(profile: "Profile") -> Iterable[IdName]:
            from frontdesk.cli.record_names import query_store

            services: CommandServices = context.obj
            query = services.name_queries()[kind]
            return query_store(profile, lambda db: list(query(db)))

        return _offers(context, incomplete, read)

    return complete


def _from_profile(read: "Callable[[Profile], Iterable[IdName]]") -> Completer:
    """Complete ids that the config knows."""

    def complete(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        return _offers(context, incomplete, read)

    return complete


def complete_profile(incomplete: str) -> list[str]:
    """Complete the names of profiles."""
    from frontdesk.config.settings import load_config

    try:
        names = sorted(load_config().profiles)
    except Exception:  # any failure means nothing to offer
        return []
    return [name for name in names if name.startswith(incomplete) and _SAFE_ID.fullmatch(name)]


complete_task = _from_store(StoredKind.TASK)
complete_conversation = _from_store(StoredKind.CONVERSATION)
complete_customer = _from_store(StoredKind.CUSTOMER)
complete_campaign = _from_store(StoredKind.CAMPAIGN)
complete_workflow = _from_store(StoredKind.WORKFLOW)
complete_ai_agent = _from_store(StoredKind.AI_AGENT)
complete_agent = _from_profile(lambda profile: profile.agents.items())
complete_line = _from_profile(lambda profile: profile.lines.items())
complete_tag = _from_profile(lambda profile: ((tag.id, tag.title) for tag in profile.tags))
complete_status = _from_profile(
    lambda profile: (
        dict.fromkeys(("open", "standby", "completed"), "") | {each.id: each.name for each in profile.statuses}
    ).items()
)


def _offers(
    context: typer.Context, incomplete: str, read: "Callable[[Profile], Iterable[IdName]]"
) -> list[tuple[str, str]]:
    from frontdesk.config.settings import load_config, resolve_profile

    try:
        # The command's other options aren't run, so `--profile` has not reached the environment yet.
        profile = resolve_profile(load_config(), os.environ, context.find_root().params.get("profile"))
        known = [(str(each), _safe_name(name)) for each, name in read(profile)]
    except Exception:  # any failure means nothing to offer
        return []
    # In a list of ids the last one is completed.
    start, comma, typed = incomplete.rpartition(",")
    found = [each for each in known if each[0].startswith(typed) and _SAFE_ID.fullmatch(each[0])]
    return [(f"{start}{comma}{each}", name) for each, name in found[:MAX_OFFERS]]


def _safe_name(raw: object) -> str:
    """Leave letters, digits and a few signs of a name; the shell gets it."""
    text = "".join(each if each.isalnum() or each in "-_.,+@" else " " for each in str(raw or "")[: 4 * MAX_NAME])
    return " ".join(text.split())[:MAX_NAME]
