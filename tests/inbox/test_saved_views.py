"""The language of views and of the filter: what is written is what is wanted, and nothing breaks it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.api.contract.ids import AgentId, LineId, StatusId
from frontdesk.config.settings import ConfigError, Hosts, Profile, SavedView, StatusLabel
from frontdesk.inbox.saved_views import AGES, ALL, FLAGS, NAMED, NEVER, Query, Term, What, parse, views, wanted
from frontdesk.inbox.store.conditions import Field, Wanted
from frontdesk.text.normalize import pieces

NOW = 1_700_000_000.0
PROFILE = Profile(
    "test",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agent_id=AgentId("me"),
    lines={LineId("9721"): "Service Tel Aviv", LineId("9722"): "Sales"},
    agents={AgentId("noa"): "Noa", AgentId("n2"): "Noam"},
    statuses=(StatusLabel(StatusId("st-1"), "Waiting for customer"),),
)

_values = st.text(st.characters(exclude_characters='"', exclude_categories=["Cs"]), min_size=1, max_size=20).map(
    lambda text: " ".join(text.split())
)
_terms = st.one_of(
    st.builds(Term, st.sampled_from([What.TEXT, What.FUZZY]), _values.filter(pieces), st.booleans()),
    st.builds(Term, st.just(What.IS), st.sampled_from(FLAGS), st.booleans()),
    st.builds(Term, st.sampled_from(NAMED), _values.filter(bool), st.booleans()),
    st.builds(
        Term,
        st.sampled_from(AGES),
        st.builds("{}{}{}".format, st.sampled_from("<>"), st.integers(0, 99999), st.sampled_from("mhdw")),
        st.booleans(),
    ),
)


def test_of_a_page_that_was_pasted_by_mistake_the_first_terms_are_looked_at() -> None:
    query = parse(" ".join(f"!w{number}" for number in range(2_000)))
    assert (len(query.terms), query.faults) == (60, ("only the first 60 terms are looked at",))


@given(st.lists(_terms, unique=True, max_size=20).map(lambda terms: Query(tuple(terms))))
def test_a_query_reads_back_as_it_was_written(query: Query) -> None:
    assert parse(str(query)) == query


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text('!-~":<> isagewtn1h', max_size=40))
def test_nothing_that_is_typed_fails(text: str) -> None:
    query = parse(text)
    assert parse(str(query)) == Query(query.terms)
    wanted(query, PROFILE, NOW)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("is:unread", (Wanted(Field.UNREAD),)),
        ("-is:unread", (Wanted(Field.UNREAD, inverse=True),)),
        ("is:mine !is:pending", (Wanted(Field.PERSON, ids=("me",)), Wanted(Field.PENDING, inverse=True))),
        ("is:overdue", (Wanted(Field.DUE, until=NOW),)),
        ("is:task IS:Unassigned", (Wanted(Field.TASK), Wanted(Field.NOBODY))),
        ("waiting > 1h", (Wanted(Field.WAITING, until=NOW - 3600),)),
        ("waiting<10m", (Wanted(Field.WAITING, after=NOW - 600),)),
        ("due<2d", (Wanted(Field.DUE, until=NOW + 172_800),)),
        ("due>1w", (Wanted(Field.DUE, after=NOW + 604_800),)),
        ("active>3d", (Wanted(Field.ACTIVE, until=NOW - 259_200),)),
        ("window<2h", (Wanted(Field.HEARD, after=NOW - 86_400, until=NOW - 79_200),)),
        ("window>2h", (Wanted(Field.HEARD, after=NOW - 79_200),)),
        ("line:9722", (Wanted(Field.LINE, "9722", ("9722",)),)),
        ('line:"tel aviv"', (Wanted(Field.LINE, "tel aviv", ("9721",)),)),
        ("line:447", (Wanted(Field.LINE, "447"),)),
        ("agent:noa", (Wanted(Field.PERSON, "noa", ("noa",)),)),
        ("agent:NOAM", (Wanted(Field.PERSON, "NOAM", ("n2",)),)),
        ("agent:me", (Wanted(Field.PERSON, ids=("me",)),)),
        ("status:waiting", (Wanted(Field.STATUS, "waiting", ("st-1",)),)),
        ("tag:vip", (Wanted(Field.TAG, "vip"),)),
        ("late table", (Wanted(Field.WORDS, "late table"),)),
        (
            'late "the table" !spam',
            (Wanted(Field.WORDS, "late the-table"), Wanted(Field.WORDS, "spam", inverse=True)),
        ),
        ("~dnl", (Wanted(Field.FUZZY, "dnl"),)),
        ("שלום is:unread", (Wanted(Field.WORDS, "שלום"), Wanted(Field.UNREAD))),
        ("https://example.com/a 12:30 052-123", (Wanted(Field.WORDS, "https://example.com/a 12:30 052-123"),)),
        ("waiting", (Wanted(Field.WORDS, "waiting"),)),
        ('! - ~ " :', ()),
    ],
)
def test_what_is_written_is_what_is_asked_for(written: str, means: tuple[Wanted, ...]) -> None:
    query = parse(written)
    assert wanted(query, PROFILE, NOW) == means
    assert not query.faults


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("is:unred", "is:unred: did you mean is:unread?"),
        ("is:un", "is:un: did you mean is:unassigned or is:unread?"),
        ("is:latte", "is:latte is not one of mine, "),
        ("lyne:1", "lyne: did you mean line:? "),
        ("waiting:1h", "waiting: is written waiting<1h or waiting>1h"),
        ("colour:1", "colour: is not one of is:, line:, "),
        ("is:", "is: is not one"),
        ("lin:1", "lin: "),
        ("line:", "line: "),
    ],
)
def test_what_cannot_be_used_is_said_and_the_rest_holds(written: str, says: str) -> None:
    query = parse(f"{written} is:unread")
    assert query.terms == (Term(What.IS, "unread"),)
    assert query.faults[0].startswith(says)


def test_the_views_that_come_with_it_and_those_of_the_config() -> None:
    made = views((SavedView("overdue", "is:overdue is:mine"), SavedView("VIP", "tag:vip")), PROFILE)
    assert [each.name for each in made] == ["all", "mine", "unassigned", "overdue", "waiting > 1h", "VIP"]
    assert made[0] is ALL
    assert str(made[3].query) == "is:overdue is:mine"
    assert not any(each.off for each in made)


def test_mine_is_off_until_it_is_known_who_that_is() -> None:
    nobody = Profile("test", PROFILE.hosts)
    made = {each.name: each for each in views((SavedView("later", "agent:me due>1d"),), nobody)}
    assert {each.name for each in made.values() if each.off} == {"mine", "later"}
    assert "agent_id" in made["mine"].off
    assert wanted(made["mine"].query, nobody, NOW) == (NEVER,)


@pytest.mark.parametrize(
    ("match", "says"),
    [
        ("is:unred", "settings.views[1].match: is:unred"),
        ("", "settings.views[1].match: says nothing"),
        ("mine", "settings.views[1].match: 'mine' is a word to look for; write is:mine"),
        ("lin:972", "settings.views[1].match: lin:"),
    ],
)
def test_a_view_that_cannot_be_used_is_refused_by_its_key(match: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        views((SavedView("good", '"mine"'), SavedView("bad", match)), PROFILE)
    assert str(refused.value).startswith(says)
