"""The queue of watched campaigns returns the same one as a look at each of them would."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.sync.poller import CampaignQueue
from frontdesk.sync.scheduler import REQUESTED, CampaignView, Job, PollKind, PollRun, Situation, campaign_poll
from frontdesk_api.contract.ids import CampaignId

NOW = 1_000_000.0
VIEWS = (CampaignView(True, 1.0), CampaignView(False, 1.0), CampaignView(False, 10.0))
NAMES = tuple("abcde")


def campaign(name: str, status: str = "inProgress") -> CampaignRecord:
    times = (None, NOW, NOW if status == "completed" else None, None)
    return CampaignRecord(
        CampaignId(name), name, status, Counters(*[None] * 9), *times, "", "", None, "", NOW, "", {}
    )


def first_of_all(
    campaigns: Mapping[str, CampaignRecord], view: CampaignView, situation: Situation, now: float
) -> str | None:
    """Look at each: an overdue deadline goes first, then what is due soonest."""
    found = {name: campaign_poll(each, view, situation, now) for name, each in campaigns.items()}
    polls = {name: poll for name, poll in found.items() if poll is not None}
    overdue = [(each.read_by, name) for name, each in polls.items() if each.read_by is not None]
    if overdue and min(overdue)[0] <= now:
        return min(overdue)[1]
    return min(((each.at, name) for name, each in polls.items()), default=(0.0, None))[1]


STEPS = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from(["inProgress", "scheduled", "completed"])),
    st.tuples(st.just("drop"), st.sampled_from(NAMES)),
    st.tuples(st.just("run"), st.sampled_from(NAMES), st.booleans(), st.floats(0, 1)),
    st.tuples(st.just("need"), st.sampled_from(NAMES), st.floats(-20, 20)),
    st.tuples(st.just("request"), st.sets(st.sampled_from(NAMES))),
    st.tuples(st.just("look"), st.sampled_from(VIEWS)),
    st.tuples(st.just("wait"), st.floats(0, 400)),
)


@settings(max_examples=40)
@given(st.lists(STEPS, max_size=25))
def test_after_any_changes_the_first_one_is_that_of_a_look_at_all(steps: list[tuple]) -> None:  # type: ignore[type-arg]
    queue, campaigns, runs, read_by = CampaignQueue(), dict[str, CampaignRecord](), dict[Job, PollRun](), {}
    view, now = VIEWS[0], NOW
    for what, *values in steps:
        match what, *values:
            case "put", name, status:
                campaigns[name] = campaign(name, status)
                queue.apply({name: campaigns[name]})
            case "drop", name:
                campaigns.pop(name, None)
                queue.apply({name: None})
            case "run", name, differed, chance:
                job = Job(PollKind.CAMPAIGN, name)
                slowdown = 1.0 if differed else 4.0
                runs[job] = PollRun(now, slowdown, chance, asked_at=now)
                queue.update(name)
            case "need", name, seconds:
                read_by[name] = now + seconds
                queue.update(name)
            case "request", names:
                runs |= {Job(PollKind.CAMPAIGN, name): REQUESTED for name in names}
                queue.update_all()
            case "look", looked_at:
                view = looked_at
            case "wait", seconds:
                now += seconds
        situation = Situation((), (), dict(runs), swept=True, read_by=dict(read_by))
        found = queue.first(view, situation, now)
        expected = first_of_all(campaigns, view, situation, now)
        assert (None if found is None else found.campaign_id) == expected
        assert found == (None if expected is None else campaigns[expected])


def test_a_record_that_changed_is_the_one_returned() -> None:
    queue, situation = CampaignQueue(), Situation((), (), {}, swept=True)
    assert queue.first(VIEWS[0], situation, NOW) is None
    queue.apply({"a": campaign("a"), "b": None})
    renamed = replace(campaign("a"), name="Spring")
    queue.apply({"a": renamed})
    assert queue.first(VIEWS[0], situation, NOW) is renamed
    queue.apply({"a": None})
    assert queue.first(VIEWS[0], situation, NOW) is None
