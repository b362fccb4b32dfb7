"""Views that a team shares: whose are shown, what is told the relay, and what strangers' rows do."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.config.settings import Profile, SavedView
from frontdesk.inbox import filter_words
from frontdesk.inbox.saved_views import with_shared
from frontdesk.inbox.store import team_views
from frontdesk.inbox.store.team_views import TeamView
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts

ME = "agent-noa"
PROFILE = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agents={AgentId("agent-dan"): "Dan"})


def names(*shared: TeamView, own: tuple[SavedView, ...] = ()) -> list[str]:
    made = filter_words.views(own, PROFILE)
    return [each.name for each in with_shared(made, shared, PROFILE)][len(made) :]


def test_a_shared_view_is_marked_with_who_shares_it_also_where_an_own_one_has_its_name() -> None:
    late = TeamView("agent-dan", "late", "waiting>2h")
    assert names(late) == ["late · Dan"]
    assert names(late, TeamView("agent-x", "late", "is:unread")) == ["late · Dan", "late · agent-x"]
    assert names(late, own=(SavedView("Late", "is:unread"),)) == ["late · Dan"]
    assert names(late, own=(SavedView("Late", "waiting>2h"),)) == []
    assert names(TeamView("agent-dan", "mine", "is:mine")) == []


@pytest.mark.parametrize("match", ["", "is:nonsense", "waiting>", "   ", '"'])
def test_one_that_can_not_be_read_is_left_out(match: str) -> None:
    assert names(TeamView("agent-dan", "odd", match)) == []


@few
@given(st.text(max_size=60), st.text(max_size=60))
def test_hostile_names_and_queries_make_no_view_or_a_usable_one(name: str, match: str) -> None:
    made = filter_words.views((), PROFILE)
    for view in with_shared(made, [TeamView("agent-dan", name, match)], PROFILE)[len(made) :]:
        assert view.query.terms
        assert not view.query.faults


@pytest.mark.parametrize("body", [{}, {"name": " ", "match": "x"}, {"name": "x"}, {"name": 1, "match": 2}])
def test_a_row_that_is_no_view_is_refused(store: Store, body: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="isn't a view"):
        store.write(lambda db: team_views.apply(db, "v", "agent-dan", body)).result()


@pytest.mark.parametrize(
    ("kept", "sent", "left"), [("", "", {}), ("", "is:unread", {"late": ""}), ("is:late", "", {"late": "is:late"})]
)
def test_a_view_is_forgotten_once_the_relay_took_it_back_unless_it_is_shared_again(
    store: Store, kept: str, sent: str, left: dict[str, str]
) -> None:
    store.write(lambda db: team_views.share(db, "late", kept, 1.0)).result()
    store.write(lambda db: team_views.note_sent(db, "late", sent)).result()
    assert queue.all_kept(store.reading, team_views.SHARED_VIEW) == left


STEPS = st.lists(st.sampled_from(["share one", "share two", "take back", "send", "replay"]), max_size=12)


NUMBERS = count()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_relay_ends_with_what_was_shared_last(store: Store, steps: list[str]) -> None:
    late, relay, wanted = f"late {next(NUMBERS)}", "", ""

    def get(match: str) -> None:
        content = {"name": late, "match": match} if match else None
        store.write(lambda db: team_views.apply(db, f"id of {late}", ME, content)).result()

    def send() -> None:
        nonlocal relay
        for name, match in team_views.unsent(store.reading, ME).items():
            relay = match
            get(match)
            store.write(lambda db, n=name, m=match: team_views.note_sent(db, n, m)).result()

    for step in steps:
        if step == "send":
            send()
        elif step == "replay" and relay:  # as after the relay was restored
            get(relay)
        elif step != "replay":
            wanted = {"share one": "is:unread", "share two": "waiting>1h", "take back": ""}[step]
            store.write(lambda db, m=wanted: team_views.share(db, late, m, 1.0)).result()
        shown = [each.match for each in team_views.of_team(store.reading, ME) if each.name == late]
        assert shown == ([wanted] if wanted else [])
    send()
    assert relay == wanted
    assert team_views.unsent(store.reading, ME) == {}
