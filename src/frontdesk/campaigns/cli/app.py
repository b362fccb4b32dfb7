"""`frontdesk campaigns`: create one, read one, watch them until they end, compare and report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frontdesk.campaigns.delivery_results import PORTION
from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsJson, AsLines, AsObject, DryRun, WriteOptions, group, writes

if TYPE_CHECKING:
    from frontdesk_api.contract.campaigns import Campaign
    from frontdesk_api.contract.decode import Item

app = group("Create, show, watch and compare campaigns.")


def _text(option: str, metavar: str, words: str, complete: Any = None) -> Any:
    return typer.Option(option, metavar=metavar, help=words, autocompletion=complete)


def _check_format(*, as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise CommandFailed(INPUT_WRONG, "choose one of --csv and --json")


def _campaign(words: str, metavar: str = "CAMPAIGN") -> Any:
    return typer.Argument(metavar=metavar, help=words, autocompletion=completion.complete_campaign)


_PHONES = "The list's column with phone numbers, counted from 1 or by its heading."
_PhoneColumn = Annotated[str | None, _text("--phone-column", "N|NAME", _PHONES)]
_CountryColumn = Annotated[
    str | None, _text("--country-column", "N|NAME", "The list's column with countries, or 'none'.")
]
_NameColumn = Annotated[str | None, _text("--name-column", "N|NAME", "The list's column with names, or 'none'.")]
_AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV for a spreadsheet; formulas are escaped.")]
_COUNTRY = _text("--country", "IL", "Country of numbers without a calling code, or 'none'.")


@app.command("create")
@writes()
def create(
    write: WriteOptions,
    file: Annotated[
        str | None, _text("--file", "FILE", "Read the campaign from a JSON file; - for standard input.")
    ] = None,
    name: Annotated[str, _text("--name", "NAME", "The campaign's name.")] = "",
    description: Annotated[str, _text("--description", "WORDS", "A note for colleagues.")] = "",
    workflow: Annotated[
        str, _text("--workflow", "ID|NAME", "The workflow to run.", completion.complete_workflow)
    ] = "",
    line: Annotated[str, _text("--line", "ID", "The line to send from.", completion.complete_line)] = "",
    folder: Annotated[str, _text("--folder", "ID", "The folder to put it in.")] = "",
    list_file: Annotated[str, _text("--list", "FILE", "Recipients: a list in a .csv or .xlsx file.")] = "",
    tag: Annotated[
        list[str] | None,
        _text("--tag", "ID", "Recipients: everyone with this tag. Can be repeated.", completion.complete_tag),
    ] = None,
    country: Annotated[str, _COUNTRY] = "",
    phone_column: _PhoneColumn = None,
    country_column: _CountryColumn = None,
    name_column: _NameColumn = None,
    skip_doubtful: Annotated[
        bool, typer.Option("--skip-doubtful", help="Leave out doubtful rows of the list.")
    ] = False,
    at: Annotated[str, _text("--at", "WHEN", "When to send: now (default) or 'tomorrow 9am'.")] = "",
    campaign_id: Annotated[str, _text("--id", "ID", "The campaign's id. Default: a new one.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Send without asking you to type the campaign's name.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Send it although the same campaign was sent in the last 7 days.")
    ] = False,
    like: Annotated[
        str,
        _text(
            "--like",
            "CAMPAIGN",
            "Copy options you don't set from this campaign: workflow, line, folder, tags, country.",
            completion.complete_campaign,
        ),
    ] = "",
) -> None:
    """Create a campaign from a JSON file or from options. This can't be undone."""
    if file is None:
        if write.is_direct:
            raise typer.BadParameter("--direct requires --file: the store knows whether this was sent before")
        from frontdesk.campaigns.cli.create import CreateOptions, create_from_options

        answers = {
            "name": name,
            "description": description,
            "workflow_id": workflow,
            "line_id": line,
            "folder_id": folder,
            "country": country,
        }
        options = CreateOptions(
            answers,
            list_file,
            tag or (),
            (phone_column, name_column, country_column),
            skips_doubtful=skip_doubtful,
            at=at,
            id=campaign_id,
            like=like,
            is_sure=yes,
            sends_again=again,
        )
        raise typer.Exit(create_from_options(options, write))
    if name or list_file or tag or like:
        raise typer.BadParameter("--file can't be combined with --name, --list, --tag or --like")
    from frontdesk.campaigns.cli.requests import create_campaign, print_answer, wants_rows
    from frontdesk.cli.json_files import read_json_file

    body = read_json_file(file)
    if write.dry_run and not yes and not wants_rows(body):
        return
    print_answer(*create_campaign(body, write), write)


@app.command("get")
def get(campaign: Annotated[str, _campaign("A campaign's id.")], as_json: AsJson = False) -> None:
    """Show a campaign with its status and counters."""
    from frontdesk.cli.output import print_json, print_record
    from frontdesk.cli.session import run_with_client
    from frontdesk_api.contract.ids import CampaignId

    item = run_with_client(lambda client: client.get_campaign(CampaignId(campaign)))
    if as_json:
        print_json(item.raw)
    else:
        print_record(_readable(item).items())


@app.command("watch")
def watch(
    campaigns: Annotated[list[str], _campaign("Campaign ids.", "CAMPAIGN...")],
    every: Annotated[
        float, typer.Option("--every", min=0.1, metavar="SECONDS", help="Time between checks.")
    ] = 2.0,
    add: Annotated[
        bool,
        typer.Option("--add", help="Only add them to the watched campaigns of the inbox and `sync`, and exit."),
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="With --json: print each line in full, with all recipients.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; only a campaign's first line has its recipients.")
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Print a line each time a counter or status changes, until all campaigns have ended.

    With --json, the first line for a campaign is complete. Later lines leave out unchanged fields that were set
    when the campaign was created, such as its recipients. --whole prints everything each time.

    Exits with 0 if all campaigns completed, and with 1 if any failed or was stopped. Reports a stalled campaign on
    standard error.
    """
    if add:
        from frontdesk.campaigns.cli.watched import watch_campaigns as add_campaigns

        return add_campaigns(campaigns, dry_run=dry_run, as_json=as_json)
    if dry_run:
        raise typer.BadParameter("--dry-run goes with --add; without it, nothing is changed")
    if whole and not as_json:
        raise typer.BadParameter("--whole requires --json")
    from frontdesk.campaigns.cli.reports import watch_campaigns
    from frontdesk.cli.session import run_with_client
    from frontdesk_api.contract.ids import CampaignId

    ids = [CampaignId(one) for one in dict.fromkeys(campaigns)]
    return run_with_client(lambda client: watch_campaigns(client, ids, every, as_json, whole=whole))


@app.command("unwatch")
def unwatch(
    campaigns: Annotated[list[str], _campaign("Campaign ids; - reads them from standard input.", "CAMPAIGN...")],
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Stop watching campaigns; they keep running."""
    from frontdesk.campaigns.cli.watched import unwatch_campaigns

    return unwatch_campaigns(campaigns, dry_run=dry_run, as_json=as_json)


@app.command("list")
def list_campaigns(as_csv: _AsCsv = False, as_json: AsLines = False) -> int:
    """List the watched campaigns as they were last loaded; the platform has no list of them.

    PER MIN is the number sent in the last minute, or the average of an ended campaign. END is when a campaign
    ended, or the range in which it is expected to end; `?` means unknown.
    """
    from frontdesk.campaigns.cli.watched import print_watched

    _check_format(as_csv=as_csv, as_json=as_json)
    return print_watched(as_csv=as_csv, as_json=as_json)


@app.command("alerts")
def alerts(
    dismiss: Annotated[bool, typer.Option("--dismiss", help="Hide them until they fire again.")] = False,
    dry_run: DryRun = False,
    as_json: AsLines = False,
) -> int:
    """List the alerts on watched campaigns that haven't been dismissed, newest first.

    The inbox and `frontdesk sync` raise them. Exits with 1 if there are any.
    """
    from frontdesk.campaigns.cli.watched import print_alerts

    return print_alerts(dismiss=dismiss, dry_run=dry_run, as_json=as_json)


@app.command("samples")
def samples(
    campaigns: Annotated[list[str], _campaign("Ids of watched campaigns.", "CAMPAIGN...")],
    as_csv: _AsCsv = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per sample.")] = False,
) -> int:
    """Print every stored sample of the counters, without contacting the platform."""
    from frontdesk.campaigns.cli.reports import print_samples

    _check_format(as_csv=as_csv, as_json=as_json)
    return print_samples(campaigns, as_csv=as_csv, as_json=as_json)


@app.command("compare")
def compare(
    campaigns: Annotated[
        list[str],
        typer.Argument(
            metavar="CAMPAIGN...", help="Ids of watched campaigns. A single one is compared with the previous one."
        ),
    ],
    every: Annotated[
        float | None,
        typer.Option(
            "--every",
            min=1,
            metavar="SECONDS",
            help="Seconds between rows. Default: enough for about 10 rows, or 60 with --csv or --json.",
        ),
    ] = None,
    as_csv: _AsCsv = False,
    as_json: AsObject = False,
) -> int:
    """Compare watched campaigns by time since each one started."""
    from frontdesk.campaigns.cli.reports import print_comparison

    _check_format(as_csv=as_csv, as_json=as_json)
    return print_comparison(campaigns, every, as_csv=as_csv, as_json=as_json)


@app.command("report")
def report(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="'today 6:00', Unix seconds or ISO 8601. Default: 12 h ago."),
    ] = None,
    as_html: Annotated[bool, typer.Option("--html", help="Print one page of HTML with pictures.")] = False,
) -> int:
    """Print a shift report on the watched campaigns as Markdown, from stored data.

    First totals, the three campaigns that reached the fewest, and how each alert ended; then every campaign.
    """
    from frontdesk.campaigns.cli.reports import print_report

    return print_report(since, as_html=as_html)


@app.command("audience")
def audience(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A list of recipients: .csv or .xlsx.")],
    country: Annotated[str | None, _COUNTRY] = None,
    phone_column: _PhoneColumn = None,
    number_column: Annotated[str | None, typer.Option(hidden=True)] = None,  # its first name
    name_column: _NameColumn = None,
    country_column: _CountryColumn = None,
    sheet: Annotated[str | None, _text("--sheet", "SHEET", "The sheet of a workbook.")] = None,
    encoding: Annotated[
        str | None, _text("--encoding", "ENCODING", "Text encoding, such as utf-8 or cp1255.")
    ] = None,
    delimiter: Annotated[str | None, _text("--delimiter", "CHARACTER", "Column separator, or 'tab'.")] = None,
    skip_doubtful: Annotated[bool, typer.Option("--skip-doubtful", help="Leave out doubtful rows.")] = False,
    as_json: AsObject = False,
) -> None:
    """Check a recipient list without sending: who can be messaged, which rows can't be used, and why."""
    from frontdesk.campaigns.cli.audience import ListRequest, print_list
    from frontdesk_lists.models import ListFile

    separator = "\t" if delimiter in ("tab", "\\t") else delimiter
    listed = ListFile(file, sheet, encoding, separator, country, skip_doubtful)
    print_list(ListRequest(listed, phone_column or number_column, name_column, country_column), as_json)


@app.command("failures")
def failures(
    campaign: Annotated[str, _campaign("The id of a campaign sent to a list.")],
    budget: Annotated[
        int,
        typer.Option("--budget", min=1, metavar="N", help="Check at most this many threads, one request each."),
    ] = PORTION,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Save failed recipients as a CSV list for a new campaign."),
    ] = None,
    as_json: AsObject = False,
) -> None:
    """Show delivery results from the recipients' threads: a random sample, or all."""
    from frontdesk.campaigns.cli.failures import print_failures

    print_failures(campaign, budget, export, as_json)


def _readable(item: "Item[Campaign]") -> dict[str, object]:
    from frontdesk.cli.output import when
    from frontdesk.cli.record_names import load_names
    from frontdesk_api.contract.values import millis_to_seconds
    from frontdesk_lines.display_text import counted

    campaign = item.value
    shown: dict[str, object] = dict(item.raw)
    for name in ("scheduledAt", "created", "lastModified", "startedAt", "completedAt", "failedAt"):
        at = getattr(campaign, name)
        if at is not None:
            shown[name] = when(millis_to_seconds(at))
    names = load_names()
    if campaign.associatedToBusinessId:
        shown["associatedToBusinessId"] = names.line(campaign.associatedToBusinessId)
    if campaign.conversationTags is not None:
        tags = [each.get("id") for each in campaign.conversationTags]
        if all(isinstance(each, str) for each in tags):
            shown["conversationTags"] = ", ".join(names.tag(str(each)) for each in tags)
    if campaign.customerList is not None:
        recipients = counted(len(campaign.customerList), "recipient")
        shown["customerList"] = f"{recipients} (--json shows them)"
    return shown
