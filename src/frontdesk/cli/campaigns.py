"""`frontdesk campaigns`: create one, read one, watch them until they end, compare and report."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import AsJson, group

if TYPE_CHECKING:
    from frontdesk.contract.campaigns import Campaign
    from frontdesk.contract.decode import Item

app = group("Create, read, watch and compare campaigns.")


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
) -> int:
    """A line each time a counter or the status changes, until all have ended.

    Ends with 0 when all completed and with 1 when one failed or was stopped. That a campaign stalled is
    said on standard error.
    """
    from frontdesk.cli.campaign_watch import watch_campaigns
    from frontdesk.cli.session import talk
    from frontdesk.contract.ids import CampaignId

    ids = [CampaignId(one) for one in dict.fromkeys(campaigns)]
    return talk(lambda client: watch_campaigns(client, ids, every, as_json))


_AsCsv = Annotated[bool, typer.Option("--csv", help="CSV, for a spreadsheet; no cell is a formula.")]


@app.command("samples")
def samples(
    campaigns: Annotated[list[str], typer.Argument(metavar="CAMPAIGN...", help="Ids of watched campaigns.")],
    as_csv: _AsCsv = False,
    as_json: AsJson = False,
) -> int:
    """Every kept sample of the counters, from the store; nothing is asked of the platform."""
    from frontdesk.cli.campaign_store import print_samples

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
    from frontdesk.cli.campaign_store import print_comparison

    return print_comparison(campaigns, every, as_csv=as_csv, as_json=as_json)


@app.command("report")
def report(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="'today 6:00', Unix seconds or ISO 8601; else 12 hours ago."),
    ] = None,
) -> int:
    """The shift report of the watched campaigns as Markdown, from the store."""
    from frontdesk.cli.campaign_store import print_report

    return print_report(since)


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
