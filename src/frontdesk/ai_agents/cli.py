"""`frontdesk agents`: the AI agents, which are not people and can't be assigned."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.options import AsJson, Limit, group

if TYPE_CHECKING:
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.ai_agents import AiAgent, AiAgentQuery
    from frontdesk_api.contract.decode import Item

app = group("Show AI agents.")


@app.command("list")
def list_agents(
    files: Annotated[bool, typer.Option("--files", help="Also load vector store files.")] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List AI agents."""
    from frontdesk.cli.session import print_pages
    from frontdesk_api.contract.ai_agents import AiAgentQuery
    from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT

    fields: dict[str, object] = {"flat": True}
    if files:
        fields["getFiles"] = True
    if limit is not None and limit < DEFAULT_AI_AGENTS_LIMIT:
        fields["limit"] = limit
    query = AiAgentQuery.model_validate(fields)
    print_pages(
        lambda client: client.iter_ai_agent_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda agent: agent.id,
        headings=("AI AGENT", "NAME", "ACTIVE", "ROLES", "FILES", "TOKENS USED"),
        row=_row,
        nothing="No AI agents.",
    )


@app.command("show")
def show_agent(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="An AI agent's id or unique name.", autocompletion=completion.complete_ai_agent
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show an AI agent with its roles, tools and vector store files."""
    from frontdesk.ai_agents.view import about
    from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
    from frontdesk.cli.output import print_facts, print_json
    from frontdesk.cli.session import run_with_client
    from frontdesk.storage.records import AiAgentListing, DocumentRecord

    found = run_with_client(_all_agents)
    named = [each for each in found if each.value.id == agent]
    named = named or [each for each in found if (each.value.name or "").casefold() == agent.strip().casefold()]
    if not named:
        raise CommandFailed(REFUSED, f"no AI agent has the id or name {agent!r}; see `frontdesk agents list`")
    if len(named) > 1:
        raise CommandFailed(INPUT_WRONG, f"{len(named)} AI agents are named {agent!r}; use an id")
    if as_json:
        print_json(named[0].raw)
    else:
        shown = named[0]
        print_facts(about(DocumentRecord(shown.value.id, shown.value.name or "", shown.raw), AiAgentListing()))


async def _all_agents(client: "PlatformClient") -> "list[Item[AiAgent]]":
    from frontdesk.cli.errors import print_error
    from frontdesk_api.client.errors import HttpError, RateLimited, Redirected
    from frontdesk_api.contract.ai_agents import AiAgentQuery

    try:
        return await _read_all(client, AiAgentQuery(flat=True, getFiles=True))
    except HttpError as error:
        if isinstance(error, RateLimited | Redirected):
            raise
        found = await _read_all(client, AiAgentQuery(flat=True))
        print_error(f"{error}; loaded without files")
        return found


async def _read_all(client: "PlatformClient", query: "AiAgentQuery") -> "list[Item[AiAgent]]":
    return [item async for page in client.iter_ai_agent_pages(query) for item in page.items]


def _row(item: "Item[AiAgent]") -> tuple[object, ...]:
    from frontdesk.cli.output import count

    agent = item.value
    files = None if agent.vectorStore is None or agent.vectorStore.files is None else len(agent.vectorStore.files)
    roles = ", ".join(role.name for role in agent.roles or () if role.name)
    return (agent.id, agent.name, agent.isActive, roles, files, count(agent.tokensUsed))
