"""The linear mode's numbers."""

from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.session import Session
from frontdesk.metrics.counts import count_all
from frontdesk.metrics.models import Dimension
from frontdesk.metrics.periods import PeriodNotUnderstood, parse_period
from frontdesk.metrics.report import MetricsReader
from frontdesk.metrics.view import breakdown_sentences, sentences


def stats(session: Session, words: str) -> None:
    """`stats`: the numbers of some days, and by one dimension."""
    days, has_by, dimension = f" {words} ".partition(" by ")
    by = [Dimension(find_choice(dimension.strip(), [*Dimension]))] if has_by else []
    store, view = session.store, session.view()
    try:
        period = parse_period(days, view.now, view.zone)
    except PeriodNotUnderstood as error:
        raise NotUnderstood(f"{error}.") from error
    count_all(store, period)
    report = MetricsReader(session.db, store.catalogue, view.now).report(period, by)
    said = sentences(report, view)
    for each in report.breakdowns:
        said = [f"By {each.by}, {period.name}:", *(breakdown_sentences(each, view) or ["Nothing."])]
    session.print(*said)


COMMANDS = (
    Command(
        "list.stats",
        stats,
        "stats",
        "[DAYS] [by WHAT]",
        LISTS,
        "Count messages, responses and tasks",
        more=(
            "DAYS is today, yesterday, a number of days, a day, or two as 2026-11-01..2026-11-15.",
            f"WHAT is {', '.join([*Dimension][:-1])} or {[*Dimension][-1]}.",
        ),
    ),
)
