"""The linear mode's numbers."""

from collections.abc import Callable
from functools import partial

from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.session import Session
from frontdesk.metrics.facts import ReadCampaigns
from frontdesk.metrics.models import DIMENSIONS
from frontdesk.metrics.periods import PeriodNotUnderstood, parse_period
from frontdesk.metrics.promises import Promises
from frontdesk.metrics.report import MetricsReader, count_all
from frontdesk.metrics.view import breakdown_sentences, sentences
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.sql import snapshot
from frontdesk_lines.display_text import show_label

LoadPromises = Callable[[ProfileStore], tuple[Promises, str]]
"""Returns the promises of a profile, and a sentence where its policies can't be used."""


def stats(session: Session, words: str, *, load_promises: LoadPromises, read_campaigns: ReadCampaigns) -> None:
    days, has_by, dimension = f" {words} ".partition(" by ")
    by = [DIMENSIONS[find_choice(dimension.strip(), [*DIMENSIONS])]] if has_by else []
    store, view = session.store, session.view()
    try:
        period = parse_period(days, view.now, view.zone)
    except PeriodNotUnderstood as error:
        raise NotUnderstood(f"{error}.") from error
    count_all(store, period)
    promises, fault = load_promises(store)
    with snapshot(session.db) as db:
        report = MetricsReader(db, store.catalogue, view.now, promises, read_campaigns).report(period, by)
    said = sentences(report, view)
    for each in report.breakdowns:
        said = [f"By {each.by}, {period.name}:", *(breakdown_sentences(each, view) or ["Nothing."])]
    session.print(*said, *([show_label(f"{fault}.", 400)] if fault else []))


def make_commands(load_promises: LoadPromises, read_campaigns: ReadCampaigns) -> tuple[Command, ...]:
    return (
        Command(
            "list.stats",
            partial(stats, load_promises=load_promises, read_campaigns=read_campaigns),
            "stats",
            "[DAYS] [by WHAT]",
            LISTS,
            "Count messages, responses and tasks",
            more=(
                "DAYS is today, yesterday, a number of days, a day, or a range such as 2026-11-01..2026-11-15.",
                f"WHAT is {', '.join([*DIMENSIONS][:-1])} or {[*DIMENSIONS][-1]}.",
            ),
        ),
    )
