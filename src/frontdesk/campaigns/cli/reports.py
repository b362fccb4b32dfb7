"""What the store knows of watched campaigns, printed: samples, comparisons, and the shift report.

`frontdesk campaigns samples`, `compare` and `report` call it.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from frontdesk.app.services import Services
from frontdesk.app.store_session import with_services
from frontdesk.campaigns.history import read_course, report, samples_as_csv
from frontdesk.campaigns.metrics.comparison import CampaignHistory, CurveMeasure, predecessor
from frontdesk.campaigns.reports.export import as_csv as to_csv
from frontdesk.campaigns.reports.export import (
    comparison_columns,
    comparison_rows,
    comparison_times,
    counts_at,
    moment,
    sample_object,
)
from frontdesk.campaigns.view.charts import LETTERS
from frontdesk.campaigns.view.comparison import how_it_stands, length, table_values
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.cli.timezone import local_zone
from frontdesk.config.render_context import View
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.glyphs import ASCII
from frontdesk.text.redaction import redact

SHIFT_SECONDS = 12 * 3_600.0
ROWS = 10
"""Of a comparison for people; CSV and JSON have more."""


def print_samples(campaign_ids: Sequence[str], *, as_csv: bool, as_json: bool) -> int:
    """Prints every sample of these campaigns."""

    def work(services: Services) -> None:
        courses = _courses(services, campaign_ids)
        if as_csv:
            print(redact(samples_as_csv(courses)), end="")
        elif as_json:
            for course in courses:
                for sample in course.samples:
                    print_json(sample_object(course, sample))
        else:
            rows = [
                (course.record.campaign_id, moment(sample.at), *sample.counters)
                for course in courses
                for sample in course.samples
            ]
            print_table(("campaign", "at", *_COUNTER_HEADINGS), rows)

    return with_services(work)


def print_comparison(campaign_ids: Sequence[str], every: float | None, *, as_csv: bool, as_json: bool) -> int:
    """Prints campaigns beside each other at the same times since each one's start."""

    def work(services: Services) -> None:
        courses = _courses(services, campaign_ids)
        if len(courses) == 1:
            before = predecessor(courses[0].record, services.queries.campaigns())
            if before is None:
                raise CommandFailed(INPUT_WRONG, "no earlier one with its workflow or name is watched; name two")
            courses.append(read_course(services.queries, before, time.time()))
        if len(courses) > len(LETTERS):
            raise CommandFailed(INPUT_WRONG, f"{len(LETTERS)} at most are compared")
        if as_csv:
            print(redact(to_csv(comparison_columns(courses), comparison_rows(courses, every))), end="")
        elif as_json:
            print_json(_as_object(courses, every))
        else:
            _print_table(services, courses, every)

    return with_services(work)


def print_report(since: str | None) -> int:
    """Prints what the watched campaigns did since then."""
    now = time.time()
    begin = now - SHIFT_SECONDS
    if since is not None:
        try:
            found = parse_due(since, datetime.now(local_zone()))
        except DueNotUnderstood as error:
            raise CommandFailed(INPUT_WRONG, f"--since: {error}") from None
        begin = float(found.seconds)
        if not 0 < begin < now:
            raise CommandFailed(INPUT_WRONG, "--since has to lie in the past, as in 'today 6:00'")

    def work(services: Services) -> None:
        courses = [read_course(services.queries, each, now) for each in services.queries.campaigns()]
        text = report(
            services.queries, courses, profile=services.profile.name, since=begin, now=now, zone=local_zone()
        )
        print(redact(text), end="")

    return with_services(work)


_COUNTER_HEADINGS = (
    "total",
    "pending",
    "sent",
    "delivered",
    "read",
    "failed",
    "opted out",
    "duplicate",
    "throttled",
)


def _courses(services: Services, campaign_ids: Sequence[str]) -> list[CampaignHistory]:
    known = {str(each.campaign_id): each for each in services.queries.campaigns()}
    wanted = list(dict.fromkeys(campaign_ids))
    missing = [each for each in wanted if each not in known]
    if missing:
        raise CommandFailed(
            INPUT_WRONG,
            f"campaign {missing[0]} isn't watched here; w on the screen Campaigns watches one by its id",
        )
    return [read_course(services.queries, known[each], time.time()) for each in wanted]


def _as_object(courses: Sequence[CampaignHistory], every: float | None) -> dict[str, object]:
    told = [
        {
            "id": each.record.campaign_id,
            "name": each.record.name,
            "status": each.record.status,
            "startedAt": moment(each.record.started_at),
        }
        for each in courses
    ]
    points: list[dict[str, object]] = []
    for seconds in comparison_times(courses, every):
        counts = {each.record.campaign_id: counts_at(each, seconds) for each in courses}
        points.append({"secondsSinceStart": round(seconds, 3), "counts": counts})
    return {"campaigns": told, "points": points}


def _print_table(services: Services, courses: Sequence[CampaignHistory], every: float | None) -> None:
    lettered = list(zip(LETTERS, courses, strict=False))
    for letter, course in lettered:
        print_line(f"{letter}  {course.record.name or course.record.campaign_id}  ({course.record.campaign_id})")
    longest = max(each.length for each in courses)
    rows = []
    for seconds in comparison_times(courses, every or max(1.0, longest / ROWS)):
        cells = [values[label] for each in courses for values in [table_values(each, seconds)] for label in _TABLE]
        rows.append((length(seconds), *cells))
    print_table(("since start", *(f"{letter} {label}" for letter, _ in lettered for label in _TABLE)), rows)
    mine = courses[0]
    view = View(services.catalogue, ASCII, time.time(), local_zone())
    for letter, other in lettered[1:]:
        words = how_it_stands(mine, other, CurveMeasure.SENT, mine.length, view)
        print_line(f"A against {letter}, {length(mine.length)} in: {''.join(part.text.text for part in words)}")


_TABLE = ("sent", "delivered", "failed")
