"""Numbers from a store that has read all of a sandbox, against the truth counted from the sandbox itself."""

import json
import shutil
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import apsw
import pytest

from frontdesk.metrics import store as metrics
from frontdesk.metrics.aggregation import GroupFilter
from frontdesk.metrics.models import EARLIER, Dimension, Measure, NumbersReport
from frontdesk.metrics.periods import parse_period
from frontdesk.metrics.report import MetricsReader
from frontdesk.storage import clients, coverage
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk_sandbox.fixtures import ACCOUNT
from lab.benchmarks import large
from lab.sample import cases
from metrics.true_numbers import true_numbers
from sample_records import NAMES

ZONE = timezone(timedelta(hours=5, minutes=45))
BARS = 8
"""Of a breakdown, whose records are counted one by one: listing a bar reads its whole period."""


@pytest.fixture(scope="module")
def folder(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox and the store of somebody who has loaded all of it."""
    folder = tmp_path_factory.mktemp("truth")
    shutil.copytree(seeded, folder / "sandbox")
    large.make(folder, "small")
    return folder


def kept(folder: Path, table: str) -> list[dict[str, Any]]:
    (file,) = (folder / "sandbox").glob("*.db")
    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    found = [json.loads(row[0]) for row in db.execute(f"SELECT json FROM {table} WHERE account = ?", (ACCOUNT,))]
    db.close()
    return found


def assert_lists_are_what_was_counted(reader: MetricsReader, report: NumbersReport) -> None:
    """Each number, and each bar of a breakdown (some of many bars), lists as many records as it says."""
    of_messages = (Measure.INCOMING, Measure.ANSWERS, Measure.AUTOMATIC, Measure.FIRST_RESPONSES)
    period = report.period
    for measure in (*of_messages, Measure.NEXT_RESPONSES):
        for found in report.breakdowns:
            for group in cases(found.groups, BARS):
                if measure not in group.numbers or group.key == EARLIER or not group.numbers[measure].is_known:
                    continue
                listed = reader.list_conversations(period, measure, GroupFilter(found.by, group.key))
                assert sum(each.records for each in listed) == group.numbers[measure].value, (found.by, group.key)
    for measure in (Measure.OPENED, Measure.BACKLOG):
        for found in report.breakdowns:
            for group in cases(found.groups, BARS):
                if measure in group.numbers and group.key != EARLIER:
                    tasks = reader.list_tasks(period, measure, GroupFilter(found.by, group.key))
                    assert len(tasks) == group.numbers[measure].counted, (found.by, group.key)


@pytest.mark.lab
def test_what_the_sandbox_has_is_what_the_numbers_say_for_days_weeks_and_months(folder: Path) -> None:
    messages, tasks = kept(folder, "messages"), kept(folder, "tasks")
    now = max(each["createdAt"] for each in messages) / 1000

    def know(db: apsw.Connection) -> None:
        coverage.note_listed(db)
        clients.write_health(db, Health(Connection.LIVE, since=now, fresh_at=now, heard_at=now))

    with Store(folder / "profile") as store:
        store.write(know).result()
        while store.write(lambda db: metrics.count_batch(db, 500)).result():
            pass
        reader = MetricsReader(store.reading, NAMES, now)
        for days in cases(("today", "yesterday", "7", "28", "90"), 3):
            period = parse_period(days, now, ZONE)
            report = reader.report(period, [*Dimension])
            assert report.sources.threads == 1.0
            said = {row.measure: row.now.value for row in report.rows}
            before = {row.measure: row.before.value for row in report.rows}
            expected, then = (true_numbers(messages, tasks, each) for each in (period, period.before))
            for measure, count in expected.items():
                assert said[measure] == (None if count is None else pytest.approx(count, abs=0.01)), (
                    days,
                    measure,
                )
                if measure is not Measure.BACKLOG:
                    was = then[measure]
                    assert before[measure] == (None if was is None else pytest.approx(was, abs=0.01)), measure
            assert_lists_are_what_was_counted(reader, report)
            for found in report.breakdowns:
                if found.by in (Dimension.DAY, Dimension.WEEKDAY, Dimension.HOUR, Dimension.LINE):
                    summed = sum(each.numbers[Measure.INCOMING].value or 0 for each in found.groups)
                    assert summed == expected[Measure.INCOMING]
        assert said[Measure.INCOMING]
        assert said[Measure.FIRST_RESPONSES]
        assert said[Measure.NEXT_RESPONSES]
