"""The questions of `frontdesk login`; each is asked again until its answer can be used."""

import getpass
from collections.abc import Sequence

import typer

from frontdesk.api.contract.ids import AgentId, LineId
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.hosts import check_url
from frontdesk.config.settings import check_agent_id

QUESTIONS = {
    "base_url": "Platform address (messages, tags, webhooks)",
    "campaigns_url": "Address for campaigns",
    "workflows_url": "Address for workflows",
    "business_url": "Address for tasks",
    "ai_url": "Address for AI agents",
}
LABELS = {
    "cookie": "Cookie header (name=token)",
    "api_key": "x-api-key",
    "bearer": "Bearer token, only for deleting webhooks (optional)",
}
_WHERE_AGENT_ID = (
    "To find your agent id, look at a task assigned to you: assignedAgentIds in `frontdesk tasks list --json`."
)


def ask(question: str, default: str, is_tty: bool) -> str:
    """Ask for a text; without a terminal, the default is the answer."""
    if not is_tty:
        return default
    return str(typer.prompt(question, default=default, show_default=bool(default))).strip()


def check_address(key: str, found: dict[str, str]) -> None:
    """Ask again until an address that was typed can be used; errors name it as the prompt does."""
    asked = QUESTIONS[key].partition(" (")[0]
    while True:
        try:
            if found[key] or key == "base_url":
                check_url(found[key], asked)
        except config_settings.ConfigError as error:
            print_error(error)
            found[key] = ask(QUESTIONS[key], "", is_tty=True)
        else:
            return


def ask_secret(
    kind: str, kept: config_credentials.Secret | None, kept_words: str
) -> config_credentials.Secret | None:
    """Ask for a secret without showing it; an empty answer keeps `kept`, whose place `kept_words` name."""
    while True:
        typed = getpass.getpass(f"{LABELS[kind]}{f' [keep {kept_words}]' if kept is not None else ''}: ")
        if not typed.strip() and (kept is not None or kind == "bearer"):
            return kept
        try:
            return config_credentials.check_secret(kind, typed)
        except config_credentials.SecretError as error:
            print_error(error)


def ask_agent_id(stored: AgentId | None, is_tty: bool) -> AgentId | None:
    """Ask for the agent id; None for an empty answer."""
    if not is_tty:
        return parse_agent_id(stored or "")
    print(_WHERE_AGENT_ID)
    while True:
        try:
            return parse_agent_id(ask("Your agent id (optional)", stored or "", is_tty))
        except CommandFailed as error:
            print_error(error)


def parse_agent_id(typed: str) -> AgentId | None:
    """Return the agent id; None for an empty text.

    Raises:
        CommandFailed: it isn't one.
    """
    try:
        return check_agent_id(typed, remedy=_WHERE_AGENT_ID)
    except config_settings.ConfigError as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None


def ask_labels(is_tty: bool) -> dict[LineId, str]:
    """Ask for the labels of lines; none without a terminal."""
    while True:
        try:
            return parse_labels(ask("Lines as id=label, separated by commas (optional)", "", is_tty).split(","))
        except CommandFailed as error:
            print_error(error)


def parse_labels(pairs: Sequence[str]) -> dict[LineId, str]:
    """Return the labels of lines by id, from texts such as `972501234567=Support`; empty ones are passed over.

    Raises:
        CommandFailed: one isn't `id=label`.
    """
    labels: dict[LineId, str] = {}
    for pair in pairs:
        line_id, _, label = pair.partition("=")
        if pair.strip() and not (line_id.strip() and label.strip()):
            raise CommandFailed(INPUT_WRONG, f"{pair.strip()!r}: write a line as id=label; nothing was saved")
        if pair.strip():
            labels[LineId(line_id.strip())] = label.strip()
    return labels
