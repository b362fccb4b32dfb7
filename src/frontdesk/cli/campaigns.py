"""`frontdesk campaigns`: create one, read one, watch them until they end."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import AsJson, group

if TYPE_CHECKING:
    from frontdesk.contract.campaigns import Campaign
    from frontdesk.contract.decode import Item

app = group("Create, read and watch campaigns.")


@app.command("create")
def create(
    file: Annotated[
        str, typer.Option("--file", metavar="FILE", help="The campaign as JSON; - is standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Create a campaign; what was created can't be taken back."""
    from frontdesk.cli.campaign_creation import create_campaign
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import read_json_file

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
    from frontdesk.cli.output import print_json, print_record
    from frontdesk.cli.session import talk
    from frontdesk.contract.ids import CampaignId

    item = talk(lambda client: client.get_campaign(CampaignId(campaign)))
    if as_json:
        print_json(item.raw)
    else:
        print_record(_readable(item).items())


@app.command("watch")
def watch(
    campaigns: Annotated[list[str], typer.Argument(metavar="CAMPAIGN...", help="Campaign ids.")],
    every: Annotated[float, typer.Option("--every", min=0.1, metavar="SECONDS", help="How often to look.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """A line each time a counter or the status changes, until all have ended."""
    from frontdesk.cli.campaign_watch import watch_campaigns
    from frontdesk.cli.session import talk
    from frontdesk.contract.ids import CampaignId

    ids = [CampaignId(one) for one in dict.fromkeys(campaigns)]
    talk(lambda client: watch_campaigns(client, ids, every, as_json))


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
        str | None, typer.Option("--delimiter", metavar="SIGN", help="What its columns are parted by; or 'tab'.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a list without sending anything: how many can be written to, and which rows can't and why."""
    from frontdesk.cli.campaign_audience import Asked, try_list

    columns = (number_column, name_column, country_column)
    try_list(Asked(file, country, *columns, sheet, encoding, delimiter), as_json)


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
    from frontdesk.cli.campaign_failures import print_failures

    print_failures(campaign, budget, export, as_json)


def _readable(item: "Item[Campaign]") -> dict[str, object]:
    from frontdesk.cli.output import when
    from frontdesk.contract.times import millis_to_seconds

    campaign = item.value
    shown: dict[str, object] = dict(item.raw)
    for name in ("scheduledAt", "created", "lastModified", "startedAt", "completedAt", "failedAt"):
        at = getattr(campaign, name)
        if at is not None:
            shown[name] = when(millis_to_seconds(at))
    if campaign.customerList is not None:
        shown["customerList"] = f"{len(campaign.customerList)} recipients (--json shows them)"
    return shown
