"""`frontdesk stats`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, cast

import typer

from frontdesk.cli.completion import CommandServices
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import print_json, print_line, print_table, when
from frontdesk.metrics.models import CUSTOMERS, DIMENSIONS, Dimension, Measure

if TYPE_CHECKING:
    from frontdesk.config.render_context import RenderContext
    from frontdesk.metrics.models import NumbersReport
    from frontdesk.metrics.periods import Period
    from frontdesk.metrics.report import MetricsReader

MIN_REPORTED = 400
"""Quarters of an hour to count from which progress is reported: so many take seconds."""


class Counted(StrEnum):
    """A number whose records can be listed."""

    MESSAGES_IN = "messages-in"
    MESSAGES_OUT = "messages-out"
    AUTOMATIC = "automatic"
    FIRST_RESPONSES = "first-responses"
    NEXT_RESPONSES = "next-responses"
    LATE_FIRST_RESPONSES = "late-first-responses"
    LATE_NEXT_RESPONSES = "late-next-responses"
    OPENED = "opened"
    CLOSED = "closed"
    CLOSED_LATE = "closed-late"
    BACKLOG = "backlog"
    ALERTS = "alerts"
    OVERDUE = "overdue"
    LATE = "late"
    WAITING_LONG = "waiting-over-hour"
    WAITING = "waiting"
    RUNNING = "running-campaigns"
    THROTTLED = "throttled-campaigns"


_MEASURES = {
    Counted.MESSAGES_IN: Measure.INCOMING,
    Counted.MESSAGES_OUT: Measure.ANSWERS,
    Counted.AUTOMATIC: Measure.AUTOMATIC,
    Counted.FIRST_RESPONSES: Measure.FIRST_RESPONSES,
    Counted.NEXT_RESPONSES: Measure.NEXT_RESPONSES,
    Counted.LATE_FIRST_RESPONSES: Measure.FIRST_KEPT,
    Counted.LATE_NEXT_RESPONSES: Measure.NEXT_KEPT,
    Counted.OPENED: Measure.OPENED,
    Counted.CLOSED: Measure.CLOSED,
    Counted.CLOSED_LATE: Measure.RESOLUTIONS_KEPT,
    Counted.BACKLOG: Measure.BACKLOG,
    Counted.ALERTS: Measure.ALERTS,
    Counted.OVERDUE: Measure.OVERDUE,
    Counted.LATE: Measure.LATE,
    Counted.WAITING_LONG: Measure.WAITING_LONG,
    Counted.WAITING: Measure.WAITING,
    Counted.RUNNING: Measure.RUNNING,
    Counted.THROTTLED: Measure.THROTTLED,
}


def _dimension(typed: str) -> Dimension:
    if typed not in DIMENSIONS:
        raise typer.BadParameter(f"{typed[:40]!r} isn't one of {', '.join(DIMENSIONS)}")
    return DIMENSIONS[typed]


def show_stats(
    context: typer.Context,
    days: Annotated[
        str,
        typer.Argument(
            metavar="[DAYS]",
            help="today, yesterday, a number of days up to today, a day, or a range: 2026-11-01..2026-11-15.",
        ),
    ] = "today",
    since: Annotated[
        str | None, typer.Option("--from", metavar="WHEN", help="The first day, instead of DAYS.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="WHEN", help="The last day, with --from. Default: today.")
    ] = None,
    by: Annotated[
        list[Dimension] | None,
        typer.Option(
            "--by",
            metavar="WHAT",
            parser=_dimension,
            autocompletion=lambda: [*DIMENSIONS],
            help=f"Break the numbers down by {', '.join(DIMENSIONS)}; may be repeated. Default: status and age.",
        ),
    ] = None,
    listed: Annotated[
        Counted | None,
        typer.Option(
            "--list",
            metavar="NUMBER",
            help=f"List the records behind one number instead: {', '.join(Counted)}.",
        ),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one number a row.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a message.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --list, one object per line.")
    ] = False,
) -> int:
    """Count messages, responses, tasks and waiting customers.

    Compares each number with the days before. Reads the profile's store: a number is unknown (a question mark)
    if less than half of its data was loaded.
    """
    from frontdesk.cli.store_session import with_store
    from frontdesk.config.render_context import RenderContext
    from frontdesk.config.time_zone import local_zone
    from frontdesk.metrics import view as text
    from frontdesk.metrics.periods import PeriodNotUnderstood, parse_period
    from frontdesk.metrics.report import MetricsReader, count_all
    from frontdesk.metrics.store import stale
    from frontdesk.storage.database import ProfileStore
    from frontdesk.storage.sql import snapshot
    from frontdesk_api.redaction import redact
    from frontdesk_lines.glyphs import ASCII

    if until is not None and since is None:
        raise CommandFailed(INPUT_WRONG, "--to needs --from; give both, or the days as 2026-11-01..2026-11-15")
    if since is not None and days != "today":
        raise CommandFailed(INPUT_WRONG, "choose either DAYS or --from")
    if as_csv + as_markdown + as_json > 1:
        raise CommandFailed(INPUT_WRONG, "choose one of --csv, --markdown and --json")
    if listed is not None and (as_csv or as_markdown or by):
        raise CommandFailed(INPUT_WRONG, "--list can only be combined with --json")

    services = cast(CommandServices, context.obj)

    def show(store: ProfileStore) -> None:
        promises, fault = services.load_promises(store)
        if fault:
            print_error(fault)
        now = store.clock()
        view = RenderContext(store.catalogue, ASCII, now, local_zone())
        try:
            period = parse_period(days if since is None else f"{since}..{until or ''}", now, view.zone)
        except PeriodNotUnderstood as error:
            raise CommandFailed(INPUT_WRONG, str(error)) from None
        if (left := stale(store.reading, period.before.start, period.end)) >= MIN_REPORTED:
            print_error(f"counting the stored messages, which happens only once; {left:,} quarter-hours left")
        count_all(store, period)
        with snapshot(store.reading) as db:
            reader = MetricsReader(db, store.catalogue, now, promises, services.read_campaigns)
            if listed is not None and _MEASURES[listed] not in reader.measures:
                raise CommandFailed(INPUT_WRONG, f"{listed}: no [[sla]] in config.toml sets a target for it")
            if listed is not None:
                _print_list(reader, period, _MEASURES[listed], view, as_json=as_json)
                return
            report = reader.report(period, list(dict.fromkeys(by or (Dimension.STATUS, Dimension.AGE))))
        if as_json:
            print_json(text.as_json(report, view))
        elif as_csv:
            print(redact(text.as_csv(report, view)), end="")
        elif as_markdown:
            print(redact(text.as_markdown(report, view)), end="")
        else:
            _print_report(report, view)
        _note_freshness(reader.fresh_at)

    return with_store(show)


def _print_report(report: "NumbersReport", view: "RenderContext") -> None:
    from frontdesk.metrics import view as text

    print_line(text.title(report, view))
    headings = ("NUMBER", "NOW", report.before.short_name.upper(), "CHANGE", "COUNTED FROM")
    print_table(headings, text.report_cells(report, view))
    for each in report.breakdowns:
        if not each.groups:
            continue
        print()
        print_table(text.breakdown_headings(each), text.breakdown_cells(each, view))


def _print_list(
    reader: "MetricsReader", period: "Period", measure: Measure, view: "RenderContext", *, as_json: bool
) -> None:
    from frontdesk.metrics.aggregation import RESPONSE_KIND
    from frontdesk.metrics.view import campaign_note, wait_heading
    from frontdesk.text.relative_time import duration_words

    if measure is Measure.ALERTS:
        from frontdesk.metrics.view import alert_cells

        alerts = reader.alerts(period)
        if as_json:
            for alert in alerts:
                print_json(alert._asdict())
        elif alerts:
            cells = [(each.record_id, *alert_cells(each, view)) for each in alerts]
            print_table(("RECORD", "SHOWN", "NAME", "ALERT", "ENDED"), cells)
        else:
            print_line("No alerts.")
        return
    if measure.thing == "campaign":
        campaigns = reader.list_campaigns(measure)
        if as_json:
            for one in campaigns:
                print_json(one._asdict())
        elif campaigns:
            print_table(
                ("CAMPAIGN", "NAME", "LINE", "PACE"),
                [
                    (one.campaign_id, one.name, view.line(one.line_id).text, campaign_note(one))
                    for one in campaigns
                ],
            )
        else:
            print_line("No campaigns.")
        return
    if measure.thing == "conversation":
        found = reader.list_conversations(period, measure)
        if as_json:
            for each in found:
                print_json(each._asdict())
        elif found:
            rows = [
                (each.conversation_id, each.name, view.line(each.line_id).text, each.records, each.seconds)
                for each in found
            ]
            waits = (wait_heading(measure),) if measure in RESPONSE_KIND or measure in CUSTOMERS else ()
            print_table(
                ("CONVERSATION", "CUSTOMER", "LINE", "COUNT", *waits),
                [(*row, *("" if wait is None else duration_words(wait) for _ in waits)) for *row, wait in rows],
            )
        else:
            print_line("No conversations.")
        return
    tasks = reader.list_tasks(period, measure)
    titles = reader.titles([task for task, _ in tasks])
    if as_json:
        for task, seconds in tasks:
            title, customer = titles.get(task.task_id, ("", ""))
            lasts = "overdue_seconds" if measure is Measure.OVERDUE else "open_seconds"
            print_json({**task._asdict(), "title": title, "customer": customer, lasts: seconds})
    elif tasks:
        print_table(
            ("TASK", "TITLE", "CUSTOMER", "STATUS", "CREATED", wait_heading(measure)),
            [
                (
                    task.task_id,
                    *titles.get(task.task_id, ("", "")),
                    view.status(task.status).text,
                    when(task.created_at),
                    "" if seconds is None else duration_words(seconds),
                )
                for task, seconds in tasks
            ],
        )
    else:
        print_line("No tasks.")


def _note_freshness(fresh_at: float | None) -> None:
    if fresh_at is None:
        print_error("this profile's data has never been fully loaded; run `frontdesk sync` or open the inbox")
    else:
        print_error(f"data as of {when(fresh_at)}")
