"""`frontdesk campaigns`: create one, read one, watch them until they end, compare and report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import AsJson, group

if TYPE_CHECKING:
    from frontdesk.api.contract.campaigns import Campaign
    from frontdesk.api.contract.decode import Item

app = group("Create, read, watch and compare campaigns.")


@app.command("create")
def create(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="The whole campaign as JSON; - is standard input."),
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What to call it.")] = "",
    description: Annotated[str, typer.Option("--description", metavar="WORDS")] = "",
    workflow: Annotated[str, typer.Option("--workflow", metavar="ID|NAME", help="What it runs.")] = "",
    line: Annotated[str, typer.Option("--line", metavar="ID", help="The line that it is sent from.")] = "",
    folder: Annotated[str, typer.Option("--folder", metavar="ID", help="The folder that it is put into.")] = "",
    list_file: Annotated[
        str, typer.Option("--list", metavar="FILE", help="Who is written to: a list, .csv or .xlsx.")
    ] = "",
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="ID", help="Who is written to: everybody with this tag; several may be said."
        ),
    ] = None,
    country: Annotated[
        str, typer.Option("--country", metavar="IL", help="The country of numbers without a calling code.")
    ] = "",
    at: Annotated[str, typer.Option("--at", metavar="WHEN", help="When, in words; now if nothing is said.")] = "",
    campaign_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="Its id; one is made if none is said.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Send it without asking for its name.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be sent; nothing is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a campaign, from a file of JSON or from options; what was created can't be taken back."""
    if file is None:
        from frontdesk.campaigns.cli.create import CreateOptions, create_from_options

        tags = tuple(tag or ())
        fields = (name, description, workflow, line, folder, list_file, tags, country, at, campaign_id)
        options = CreateOptions(*fields, is_sure=yes, is_trial=dry_run, as_json=as_json)
        raise typer.Exit(create_from_options(options, context.obj))
    if name or list_file or tag or dry_run:
        raise typer.BadParameter("--file has the whole campaign; the other options go without it")
    from frontdesk.campaigns.cli.create import create_campaign
    from frontdesk.cli.json_files import read_json_file
    from frontdesk.cli.output import print_json, print_line

    answer, sentence = create_campaign(read_json_file(file))
    if as_json:
        print_json(answer)
    else:
        print_line(sentence)


@app.command("get")
def get(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="A campaign's id.")], as_json: AsJson = False
) -> None:
    """The stored campaign with its status and counters."""
    from frontdesk.api.contract.ids import CampaignId
    from frontdesk.cli.output import print_json, print_record
    from frontdesk.cli.session import run_with_client

    item = run_with_client(lambda client: client.get_campaign(CampaignId(campaign)))
    if as_json:
        print_json(item.raw)
    else:
        print_record(_readable(item).items())


@app.command("watch")
def watch(
    campaigns: Annotated[list[str], typer.Argument(metavar="CAMPAIGN...", help="Campaign ids.")],
    every: Annotated[float, typer.Option("--every", min=0.1, metavar="SECONDS", help="How often to look.")] = 2.0,
    whole: Annotated[
        bool, typer.Option("--whole", help="With --json: the whole campaign in each line, its recipients too.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="JSON; a campaign's later lines leave out its recipients."),
    ] = False,
) -> int:
    """A line each time a counter or the status changes, until all have ended.

    With --json the first line of a campaign is whole. Later lines have its id and what can change: status,
    counters, times and any field that Create campaign doesn't write. --whole writes everything each time.

    Ends with 0 when all completed and with 1 when one failed or was stopped. That a campaign stalled is
    said on standard error.
    """
    if whole and not as_json:
        raise typer.BadParameter("--whole goes with --json")
    from frontdesk.api.contract.ids import CampaignId
    from frontdesk.campaigns.cli.reports import watch_campaigns
    from frontdesk.cli.session import run_with_client

    ids = [CampaignId(one) for one in dict.fromkeys(campaigns)]
    return run_with_client(lambda client: watch_campaigns(client, ids, every, as_json, whole=whole))


_AsCsv = Annotated[bool, typer.Option("--csv", help="CSV, for a spreadsheet; no cell is a formula.")]


@app.command("samples")
def samples(
    campaigns: Annotated[list[str], typer.Argument(metavar="CAMPAIGN...", help="Ids of watched campaigns.")],
    as_csv: _AsCsv = False,
    as_json: AsJson = False,
) -> int:
    """Every kept sample of the counters, from the store; nothing is asked of the platform."""
    from frontdesk.campaigns.cli.reports import print_samples

    return print_samples(campaigns, as_csv=as_csv, as_json=as_json)


@app.command("compare")
def compare(
    campaigns: Annotated[
        list[str],
        typer.Argument(metavar="CAMPAIGN...", help="Ids of watched campaigns; one alone meets the one before it."),
    ],
    every: Annotated[
        float | None, typer.Option("--every", min=1, metavar="SECONDS", help="Between two rows; else 60 in all.")
    ] = None,
    as_csv: _AsCsv = False,
    as_json: AsJson = False,
) -> int:
    """Campaigns beside each other by the time since each started, from the store."""
    from frontdesk.campaigns.cli.reports import print_comparison

    return print_comparison(campaigns, every, as_csv=as_csv, as_json=as_json)


@app.command("report")
def report(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="'today 6:00', Unix seconds or ISO 8601; else 12 hours ago."),
    ] = None,
) -> int:
    """The shift report of the watched campaigns as Markdown, from the store."""
    from frontdesk.campaigns.cli.reports import print_report

    return print_report(since)


@app.command("audience")
def audience(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A list of recipients: .csv or .xlsx.")],
    country: Annotated[
        str | None,
        typer.Option("--country", metavar="IL", help="The country of numbers without a calling code."),
    ] = None,
    number_column: Annotated[
        str | None, typer.Option("--number-column", metavar="N|NAME", help="The column with the numbers.")
    ] = None,
    name_column: Annotated[
        str | None, typer.Option("--name-column", metavar="N|NAME", help="The column with the names.")
    ] = None,
    country_column: Annotated[
        str | None, typer.Option("--country-column", metavar="N|NAME", help="The column with the countries.")
    ] = None,
    sheet: Annotated[str | None, typer.Option("--sheet", metavar="SHEET", help="A sheet of a workbook.")] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="ENCODING", help="Of a text file, such as utf-8 or cp1255.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="CHARACTER", help="Column separator, or 'tab'.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a list without sending anything: how many can be written to, and which rows can't and why."""
    from frontdesk.campaigns.audience.models import ListFile
    from frontdesk.campaigns.cli.audience import ListRequest, print_list

    separator = "\t" if delimiter in ("tab", "\\t") else delimiter
    listed = ListFile(file, sheet, encoding, separator, country)
    print_list(ListRequest(listed, number_column, name_column, country_column), as_json)


@app.command("failures")
def failures(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The id of a campaign from a list.")],
    budget: Annotated[
        int, typer.Option("--budget", min=1, metavar="N", help="Threads to read at most: one request each.")
    ] = 400,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the failed ones as a list (CSV) for a new campaign."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How recipients of a list fared, read out of their threads: a fair sample of them, or all."""
    from frontdesk.campaigns.cli.failures import print_failures

    print_failures(campaign, budget, export, as_json)


def _readable(item: "Item[Campaign]") -> dict[str, object]:
    from frontdesk.api.contract.values import millis_to_seconds
    from frontdesk.cli.output import when

    campaign = item.value
    shown: dict[str, object] = dict(item.raw)
    for name in ("scheduledAt", "created", "lastModified", "startedAt", "completedAt", "failedAt"):
        at = getattr(campaign, name)
        if at is not None:
            shown[name] = when(millis_to_seconds(at))
    if campaign.customerList is not None:
        shown["customerList"] = f"{len(campaign.customerList)} recipients (--json shows them)"
    return shown
