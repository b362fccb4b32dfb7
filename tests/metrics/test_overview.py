"""What counts now, by line and by person: each number is as many as the records behind it."""

import itertools
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.store import campaigns
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.inbox.store import conversations, threads
from frontdesk.metrics import view
from frontdesk.metrics.aggregation import GroupFilter
from frontdesk.metrics.facts import RunningCampaign
from frontdesk.metrics.models import CUSTOMERS, Breakdown, Dimension, Measure, MeasuredNumber
from frontdesk.metrics.periods import parse_period
from frontdesk.metrics.promises import Promises
from frontdesk.metrics.report import MetricsReader
from frontdesk.registry.running_campaigns import read_campaigns
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy
from frontdesk.storage import coverage
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import CampaignId, ConversationId
from frontdesk_lines.glyphs import ASCII
from kit import profile
from new_store import open_store
from sample_json import raw_message, raw_task

NOW = 1_790_000_000.0
HOUR = 3_600.0
TODAY = parse_period("today", NOW, ZoneInfo("UTC"))
PROMISES = Promises(
    (Policy("always", "", BusinessHours(ZoneInfo("UTC"), [[(0, 86_400)]] * 7), {ClockKind.FIRST: HOUR}),)
)


class Known(NamedTuple):
    """A conversation in a test, with one open task.

    Attributes:
        waits: hours since which its customer waits; None where its thread wasn't read.
        late: hours since its service clock ended; None where that isn't known.
    """

    line: str
    assigned: tuple[str, ...]
    waits: float | None
    overdue: float
    late: float | None = -1.0


_KNOWN = st.builds(
    Known,
    st.sampled_from(["L1", "L2"]),
    st.sampled_from([(), ("noa",), ("dan",), ("dan", "noa")]),
    st.sampled_from([None, 0.0, 0.5, 3.0, 30.0]),
    st.sampled_from([-1.0, 2.0]),
    st.sampled_from([None, -1.0, 2.0]),
)


def fill(store: Store, known: list[Known]) -> None:
    def put(db: Any) -> None:
        for number, each in enumerate(known):
            name = ConversationId(f"{each.line}#C{number}")
            task = raw_task(
                number,
                phoneNumberId=each.line,
                participantsIdentifiers=name,
                assignedAgentIds=[*each.assigned],
                dueDate=NOW - each.overdue * HOUR,
            )
            task_store.put(db, [task | {"createdAt": NOW - 9 * HOUR, "updatedAt": NOW - 9 * HOUR}])
            conversations.add_by_pair(db, name, each.line, f"C{number}")
            if each.waits is not None:
                said = raw_message(1, messageId=f"m{number}") | {"createdAt": (NOW - each.waits * HOUR) * 1000}
                page = [said] if each.waits else []
                threads.put_page(db, name, page, start=None, has_more=False, now=NOW)
            db.execute(
                "UPDATE conversations SET service_due_at = ?, service_unknown = ? WHERE conversation_id = ?",
                (None if each.late is None else NOW - each.late * HOUR, each.late is None, name),
            )
        clock_store.put_position(db, {"walked": None})
        coverage.note_listed(db)

    store.write(put).result()


def reader(store: Store, *campaigns_found: RunningCampaign) -> MetricsReader:
    return MetricsReader(store.reading, Catalogue(profile()), NOW, PROMISES, lambda _db, _now: campaigns_found)


def numbers(found: Breakdown) -> dict[str, dict[Measure, MeasuredNumber]]:
    return {each.key: each.numbers for each in found.groups}


@few
@given(st.lists(_KNOWN, max_size=8))
def test_each_number_is_as_many_as_the_records_behind_it(
    tmp_path_factory: pytest.TempPathFactory, known: list[Known]
) -> None:
    with open_store(Path(tmp_path_factory.mktemp("overview")) / "profile") as store:
        fill(store, known)
        found = reader(store)
        for table in found.overview(TODAY):
            for group, measure in itertools.product(table.groups, (*CUSTOMERS, Measure.OVERDUE, Measure.BACKLOG)):
                at = GroupFilter(table.by, group.key)
                listed: list[Any] = (
                    found.list_conversations(TODAY, measure, at)
                    if measure in CUSTOMERS
                    else found.list_tasks(TODAY, measure, at)
                )
                assert group.numbers[measure].counted == len(listed), (table.by, group.key, measure)
        hours = {each.key: each.numbers for each in found.report(TODAY, [Dimension.HOUR]).breakdowns[0].groups}
        for measure in (Measure.WAITING, Measure.WAITING_LONG):
            by_hour = [each[measure].counted or 0 for each in hours.values()]
            assert sum(by_hour) == len(found.list_conversations(TODAY, measure))
            for key in hours:
                listed = found.list_conversations(TODAY, measure, GroupFilter(Dimension.HOUR, key))
                assert hours[key][measure].counted == len(listed)


def test_who_is_in_trouble_comes_first_and_a_customer_belongs_to_each_who_is_assigned(store: Store) -> None:
    fill(
        store,
        [
            Known("L1", ("dan",), 0.0, overdue=2, late=-1),
            Known("L1", ("dan", "noa"), 3.0, overdue=-1, late=-1),
            Known("L2", ("noa",), 0.5, overdue=-1, late=2),
            Known("L2", (), 30.0, overdue=-1, late=-1),
        ],
    )
    lines, people = map(numbers, reader(store).overview(TODAY))
    assert [*people] == ["noa", "dan", ""], "late before waiting, and waiting with an overdue task before without"
    assert [*lines] == ["L2", "L1"]
    columns = (Measure.LATE, Measure.WAITING_LONG, Measure.WAITING, Measure.OVERDUE, Measure.BACKLOG)
    assert [people["noa"][each].value for each in columns] == [1, 1, 2, 0, 2]
    assert [people["dan"][each].value for each in columns] == [0, 1, 1, 1, 2]
    assert [people[""][each].value for each in columns] == [0, 1, 1, 0, 1]


def test_what_was_not_read_is_a_question_mark_and_never_zero(store: Store) -> None:
    fill(store, [Known("L1", ("dan",), None, 2, late=None), Known("L1", ("noa",), 3.0, 2)])
    unwatched = RunningCampaign("c1", "Sale", "L1", is_known=False, is_throttled=False, pace=None)
    running = RunningCampaign("c2", "News", "L2", is_known=True, is_throttled=True, pace=40.0)
    lines, people = map(numbers, reader(store, unwatched, running).overview(TODAY))

    def shown(of: dict[Measure, MeasuredNumber], *measures: Measure) -> list[str]:
        return [view.value(each, of[each]) for each in measures]

    assert shown(people["dan"], *CUSTOMERS, Measure.OVERDUE) == ["?", "?", "?", "1"]
    assert shown(people["noa"], *CUSTOMERS) == ["0", "1", "1"]
    assert shown(lines["L1"], Measure.WAITING, Measure.LATE) == ["1+", "?"]
    assert shown(lines["L1"], Measure.RUNNING, Measure.THROTTLED, Measure.PACE) == ["?", "?", "?"]
    assert shown(lines["L2"], Measure.RUNNING, Measure.THROTTLED, Measure.PACE) == ["1", "1", "40"]
    found = reader(store, unwatched, running)
    assert [each.name for each in found.list_campaigns(Measure.RUNNING)] == ["News", "Sale"]
    assert [each.name for each in found.list_campaigns(Measure.THROTTLED, GroupFilter(Dimension.LINE, "L2"))] == [
        "News"
    ]
    nowhere = unwatched._replace(line_id="")
    lines, _ = map(numbers, reader(store, nowhere).overview(TODAY))
    assert shown(lines["L1"], Measure.RUNNING) == ["?"], "a campaign that was never read may be of any line"


def test_only_those_who_wait_have_an_hour_before_the_period(store: Store) -> None:
    fill(store, [Known("L1", ("noa",), 30.0, 2), Known("L1", ("noa",), 3.0, 2)])
    (by_hour,) = reader(store).report(TODAY, [Dimension.HOUR]).breakdowns
    assert [
        each.numbers[Measure.WAITING].value for each in by_hour.groups if each.numbers[Measure.WAITING].value
    ] == [
        1,
        1,
    ]
    assert by_hour.groups[-1].numbers[Measure.INCOMING].counted is None
    names = RenderContext(Catalogue(profile()), ASCII, NOW, ZoneInfo("UTC"))
    assert "earlier" in view.BarChart(by_hour, Measure.WAITING, names, ("", "")).keys
    assert "earlier" not in view.BarChart(by_hour, Measure.INCOMING, names, ("", "")).keys


def test_before_all_is_listed_and_all_clocks_are_computed_nothing_is_known(store: Store) -> None:
    fill(store, [Known("L1", ("noa",), 3.0, 2)])
    store.write(lambda db: clock_store.put_position(db, {"walked": ["conversations", 0]})).result()
    lines, _ = map(numbers, reader(store).overview(TODAY))
    assert (lines["L1"][Measure.LATE].value, lines["L1"][Measure.OVERDUE].value) == (None, 1)
    store.write(lambda db: db.execute("DELETE FROM meta WHERE key = 'tasks listed'")).result()
    lines, _ = map(numbers, reader(store).overview(TODAY))
    assert [lines["L1"][each].value for each in (Measure.OVERDUE, Measure.WAITING)] == [None, None]


def test_without_a_service_clock_nothing_is_late(store: Store) -> None:
    fill(store, [Known("L1", ("noa",), 3.0, 2, late=2)])
    for table in MetricsReader(store.reading, Catalogue(profile()), NOW).overview(TODAY):
        assert Measure.LATE not in table.measures
        assert Measure.WAITING in table.measures


def test_a_campaign_counts_while_it_is_watched_and_runs(store: Store) -> None:
    counts = {"totalRecipients": 1_000, "sentCount": 100, "tooManyRequestsCount": 0, "pendingCount": 900}
    started = {"startedAt": (NOW - 120) * 1000, "associatedToBusinessId": "L1"}
    running = {**counts, **started, "id": "c1", "name": "Sale", "status": "inProgress"}

    def put(db: Any) -> None:
        for name in ("c1", "c2", "c3", "c4"):
            campaigns.watch(db, [CampaignId(name)], NOW - 120)
        campaigns.put(db, CampaignId("c1"), running, NOW - 60)
        later = {"sentCount": 150, "tooManyRequestsCount": 50, "pendingCount": 800}
        campaigns.put(db, CampaignId("c1"), running | later, NOW)
        campaigns.put(db, CampaignId("c2"), running | {"id": "c2"}, NOW - 3_600)
        campaigns.put(db, CampaignId("c3"), running | {"id": "c3", "status": "completed"}, NOW)
        to_come = {"id": "c5", "status": "scheduled", "scheduledAt": (NOW + 60) * 1000}
        campaigns.put(db, CampaignId("c4"), to_come, NOW - 3_600)

    store.write(put).result()
    first, outdated = read_campaigns(store.reading, NOW)
    assert (first.campaign_id, first.line_id, first.is_known, first.is_throttled) == ("c1", "L1", True, True)
    assert first.pace == pytest.approx(50)
    assert (outdated.campaign_id, outdated.is_known, outdated.pace) == ("c2", False, None)
    # Once its time has come, it may be running.
    assert [each.is_known for each in read_campaigns(store.reading, NOW + 300)] == [False, False, False]


@pytest.mark.parametrize(
    ("share", "of", "words"),
    [
        (1 / 3, 6, "2 of 6"),
        (0.0, 1, "0 of 1"),
        (8 / 9, 9, "8 of 9"),
        (0.5, 10, "50% of 10"),
        (1.0, 24, "100% of 24"),
    ],
)
def test_below_ten_a_share_in_time_has_no_percent(share: float, of: int, words: str) -> None:
    assert view.value(Measure.FIRST_KEPT, MeasuredNumber(share, of=of)) == words


def test_of_a_count_that_is_only_a_part_there_may_be_more(store: Store) -> None:
    assert view.value(Measure.WAITING, MeasuredNumber(7, 0.9)) == "7+"
    assert view.value(Measure.WAITING, MeasuredNumber(0, 0.9)) == "?"
    assert view.value(Measure.INCOMING, MeasuredNumber(0, 0.9)) == "0"
