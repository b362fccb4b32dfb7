"""The language of views and of the filter: what is written is what is wanted, and nothing breaks it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.config.settings import ConfigError, Profile, SavedView, StatusLabel
from frontdesk.inbox.filter_words import (
    AGES,
    ALL,
    FLAGS,
    NAMED,
    NEVER,
    Query,
    QueryField,
    ViewTerm,
    parse,
    unknown_names,
    views,
    wanted,
)
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.text.normalize import split_words
from frontdesk_api.contract.ids import AgentId, LineId, StatusId
from frontdesk_api.hosts import Hosts

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
    st.builds(
        ViewTerm, st.sampled_from([QueryField.TEXT, QueryField.FUZZY]), _values.filter(split_words), st.booleans()
    ),
    st.builds(ViewTerm, st.just(QueryField.IS), st.sampled_from(FLAGS), st.booleans()),
    st.builds(ViewTerm, st.sampled_from(NAMED), _values.filter(bool), st.booleans()),
    st.builds(
        ViewTerm,
        st.sampled_from(AGES),
        st.builds("{}{}{}".format, st.sampled_from("<>"), st.integers(0, 99999), st.sampled_from("mhdw")),
        st.booleans(),
    ),
)


def test_of_a_page_that_was_pasted_by_mistake_the_first_terms_are_looked_at() -> None:
    query = parse(" ".join(f"!w{number}" for number in range(2_000)))
    assert (len(query.terms), query.faults) == (60, ("only the first 60 terms are used",))


@settings(max_examples=40)
@given(st.lists(_terms, unique=True, max_size=20).map(lambda terms: Query(tuple(terms))))
def test_a_query_reads_back_as_it_was_written(query: Query) -> None:
    assert parse(str(query)) == query


def test_a_word_with_a_sign_in_front_does_not_become_a_comparison() -> None:
    query = parse('window "<1h" waiting ">2d"')
    assert [each.what for each in query.terms] == [QueryField.TEXT] * 4
    assert parse(str(query)) == query


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text('!-~":<> isagewtn1h', max_size=40))
def test_nothing_that_is_typed_fails(text: str) -> None:
    query = parse(text)
    assert parse(str(query)) == Query(query.terms)
    wanted(query, PROFILE, NOW)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("is:unread", (QueryTerm(ConditionField.UNREAD),)),
        ("-is:unread", (QueryTerm(ConditionField.UNREAD, inverse=True),)),
        (
            "is:mine !is:pending",
            (QueryTerm(ConditionField.PERSON, ids=("me",)), QueryTerm(ConditionField.PENDING, inverse=True)),
        ),
        ("is:overdue", (QueryTerm(ConditionField.DUE, until=NOW),)),
        ("is:task IS:Unassigned", (QueryTerm(ConditionField.TASK), QueryTerm(ConditionField.NOBODY))),
        ("waiting > 1h", (QueryTerm(ConditionField.WAITING, until=NOW - 3600),)),
        ("Waiting>1H", (QueryTerm(ConditionField.WAITING, until=NOW - 3600),)),
        ("dana - levi & co", (QueryTerm(ConditionField.WORDS, "dana levi co"),)),
        ('"a>b" <3', (QueryTerm(ConditionField.WORDS, "a>b <3"),)),
        ("waiting<10m", (QueryTerm(ConditionField.WAITING, after=NOW - 600),)),
        ("due<2d", (QueryTerm(ConditionField.DUE, until=NOW + 172_800),)),
        ("due>1w", (QueryTerm(ConditionField.DUE, after=NOW + 604_800),)),
        ("active>3d", (QueryTerm(ConditionField.ACTIVE, until=NOW - 259_200),)),
        ("window<2h", (QueryTerm(ConditionField.HEARD, after=NOW - 86_400, until=NOW - 79_200),)),
        ("window>2h", (QueryTerm(ConditionField.HEARD, after=NOW - 79_200),)),
        ("line:9722", (QueryTerm(ConditionField.LINE, "9722", ("9722",)),)),
        ('line:"tel aviv"', (QueryTerm(ConditionField.LINE, "tel aviv", ("9721",)),)),
        ("line:447", (QueryTerm(ConditionField.LINE, "447"),)),
        ("agent:noa", (QueryTerm(ConditionField.PERSON, "noa", ("noa",)),)),
        ("agent:NOAM", (QueryTerm(ConditionField.PERSON, "NOAM", ("n2",)),)),
        ("agent:me", (QueryTerm(ConditionField.PERSON, ids=("me",)),)),
        ("status:waiting", (QueryTerm(ConditionField.STATUS, "waiting", ("st-1",)),)),
        ("tag:vip", (QueryTerm(ConditionField.TAG, "vip"),)),
        ("late table", (QueryTerm(ConditionField.WORDS, "late table"),)),
        (
            'late "the table" !spam',
            (
                QueryTerm(ConditionField.WORDS, "late the-table"),
                QueryTerm(ConditionField.WORDS, "spam", inverse=True),
            ),
        ),
        ("~dnl", (QueryTerm(ConditionField.FUZZY, "dnl"),)),
        ("שלום is:unread", (QueryTerm(ConditionField.WORDS, "שלום"), QueryTerm(ConditionField.UNREAD))),
        (
            "https://example.com/a 12:30 052-123",
            (QueryTerm(ConditionField.WORDS, "https://example.com/a 12:30 052-123"),),
        ),
        ("waiting", (QueryTerm(ConditionField.WORDS, "waiting"),)),
        (" ", ()),
    ],
)
def test_what_is_written_is_what_is_asked_for(written: str, means: tuple[QueryTerm, ...]) -> None:
    query = parse(written)
    assert wanted(query, PROFILE, NOW) == means
    assert not query.faults


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("is:unred", "is:unred: did you mean is:unread?"),
        ("is:un", "is:un: did you mean is:unassigned or is:unread?"),
        ("is:latte", "is:latte isn't one of mine, "),
        ("lyne:1", "lyne: did you mean line:? "),
        ("waiting:1h", "waiting:1h: write waiting<30m, waiting>1h or waiting>2d"),
        ("waiting>abc", "waiting>abc: write waiting<30m, waiting>1h or waiting>2d"),
        ("due<foo", "due<foo: write due<30m, due>1h or due>2d"),
        ("window > x", "window > x: write window<30m, "),
        ("waiting>1h30", "waiting>1h30: write "),
        ("wait>1h", "wait>1h: write waiting<30m, "),
        ("price>5", "price>5: only waiting, active, due, window, sla compare; quote text"),
        ("!", "!: type letters or digits"),
        ("~", "~: type letters or digits"),
        ("-", "-: type letters or digits"),
        ('""', '"": type letters or digits'),
        ("colour:1", "colour: isn't one of is:, line:, "),
        ("is:", "is: isn't one"),
        ("lin:1", "lin: "),
        ("line:", "line: "),
    ],
)
def test_what_cannot_be_used_is_said_and_the_rest_holds(written: str, says: str) -> None:
    query = parse(f"{written} is:unread")
    assert query.terms == (ViewTerm(QueryField.IS, "unread"),)
    assert query.faults[0].startswith(says)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("line:sails", ("line:sails: no line has that name; did you mean Sales?",)),
        ("agent:noma", ("agent:noma: no agent has that name; did you mean Noa or Noam?",)),
        ("agent:xyz is:unread", ("agent:xyz: no agent has that name; choose from Noa and Noam",)),
        ("!status:done", ("status:done: no status has that name; choose from Waiting for customer",)),
        ("line:972 line:4477 line:tel agent:me agent:no agent:agent-9 status:wait tag:vip words", ()),
    ],
)
def test_a_name_that_nothing_known_has_is_said_with_close_ones(written: str, says: tuple[str, ...]) -> None:
    assert unknown_names(parse(written), PROFILE, {LineId("447700900123"): ""}) == says


def test_a_line_without_a_name_is_offered_with_its_channel() -> None:
    channels = {LineId("972737001200"): "whatsapp", LineId("1047"): "instagram", LineId("web-1"): "web"}
    offered = "972737001200 (WhatsApp), 1047 (Instagram), web-1, "
    (why,) = unknown_names(parse("line:xyz"), PROFILE, channels)
    assert why.startswith(f"line:xyz: no line has that name; choose from {offered}")
    (why,) = unknown_names(parse("line:insta"), PROFILE, channels)
    assert "1047 (Instagram)" in why


@settings(max_examples=40)
@given(st.text(st.sampled_from('!-~:<>=isagewtndu1h"é…&'), min_size=1, max_size=12))
def test_each_term_is_understood_or_refused(word: str) -> None:
    query = parse(word)
    assert query.terms or query.faults
    compares = [term for term in query.terms if term.what is QueryField.TEXT and term.value.startswith(AGES)]
    assert all("<" not in each.value and ">" not in each.value for each in compares) or '"' in word


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
        ("", "settings.views[1].match: nothing to search for"),
        ("mine", "settings.views[1].match: 'mine' searches for that word; write is:mine"),
        ("lin:972", "settings.views[1].match: lin:"),
    ],
)
def test_a_view_that_cannot_be_used_is_refused_by_its_key(match: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        views((SavedView("good", '"mine"'), SavedView("bad", match)), PROFILE)
    assert str(refused.value).startswith(says)
