"""`frontdesk agents`: the AI agents, which are not people and can't be assigned."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import AsJson, Limit, group

if TYPE_CHECKING:
    from frontdesk.contract.ai_agents import AiAgent
    from frontdesk.contract.decode import Item

app = group("AI agents.")


@app.command("list")
def list_agents(
    files: Annotated[bool, typer.Option("--files", help="Load each one's vector store files too.")] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """All AI agents, page by page, or the first N."""
    from frontdesk.cli.listing import print_pages
    from frontdesk.contract.ai_agents import AiAgentQuery
    from frontdesk.contract.limits import AI_AGENTS_LIMIT_DEFAULT

    asked: dict[str, object] = {"flat": True}
    if files:
        asked["getFiles"] = True
    if limit is not None and limit < AI_AGENTS_LIMIT_DEFAULT:
        asked["limit"] = limit
    query = AiAgentQuery.model_validate(asked)
    print_pages(
        lambda client: client.iter_ai_agent_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda agent: agent.id,
        headings=("AI AGENT", "NAME", "ACTIVE", "ROLES", "FILES", "TOKENS USED"),
        row=_row,
        nothing="No AI agents.",
    )


def _row(item: "Item[AiAgent]") -> tuple[object, ...]:
    from frontdesk.cli.output import count

    agent = item.value
    files = None if agent.vectorStore is None or agent.vectorStore.files is None else len(agent.vectorStore.files)
    roles = ", ".join(role.name for role in agent.roles or () if role.name)
    return (agent.id, agent.name, agent.isActive, roles, files, count(agent.tokensUsed))
