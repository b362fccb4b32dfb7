"""How well a name fits what was typed; the queries over names say the same as the pure measure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.inbox.store import conversations
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.text.fuzzy import MAX_LEFT_OUT, Fit, fit, rank_matches
from frontdesk.text.normalize import normalize, normalize_name, split_words
from sample_json import raw_task
from services import Services

WORDS = st.text("abcde", min_size=1, max_size=6)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


def measured(typed: str, name: str) -> Fit | None:
    return fit(split_words(typed), normalize(name))


@pytest.mark.parametrize(
    ("typed", "name", "expected"),
    [
        ("dana l", "Dana Levi", Fit.BEGINS),
        ("lev", "Dana Levi", Fit.WORDS_BEGIN),
        ("lev dan", "Dana Levi", Fit.EACH_BEGINS),
        ("ana", "Dana Levi", Fit.HELD),
        ("dnlv", "Dana Levi", Fit.SCATTERED),
        ("dnlv", "Dana Maria Levi", Fit.SCATTERED),
        ("dnlv", "Dana Maria de Levi", None),
        ("smth", "Leo Smith", Fit.SCATTERED),
        ("mth", "Leo Smith 15 m1a2r3", None),
        ("mar", "Leo Smith 15 xm1ar m1a2r3", None),
        ("mar", "Leo Smith", None),
        ("mt", "Margaret", None),
        ("זוא", "זואי", Fit.BEGINS),
        ("", "Dana", None),
    ],
)
def test_how_a_name_holds_what_was_typed(typed: str, name: str, expected: Fit | None) -> None:
    assert measured(typed, name) is expected


@given(NAMES, st.data())
def test_what_begins_a_name_or_stands_in_it_is_never_scattered(name: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(name) - 1))
    typed = name[start : data.draw(st.integers(start + 1, len(name)))]
    expected = measured(typed, name)
    assert not typed.strip() or (expected is not None and expected < Fit.SCATTERED)
    if start == 0:
        assert expected is Fit.BEGINS


@given(WORDS, NAMES)
def test_scattered_letters_stand_in_this_order_begin_words_and_leave_few_out(typed: str, name: str) -> None:
    """Against a plain search of all ways to lay the letters over the name."""

    def ways(left: str, at: int) -> bool:
        if not left:
            return True
        return any(
            name[next_at] == left[0] and may_follow(at, next_at) and ways(left[1:], next_at)
            for next_at in range(at + 1, len(name))
        )

    def may_follow(at: int, next_at: int) -> bool:
        begins = next_at == 0 or name[next_at - 1] == " "
        if at < 0:
            return begins
        blanks = name[at:next_at].count(" ")
        return (begins and blanks <= 2) if blanks else next_at - at <= MAX_LEFT_OUT + 1

    found = measured(typed, name)
    assert (found is not None) == (typed in name or ways(typed, -1))


@given(st.text(max_size=8), st.lists(st.text(max_size=12), max_size=5))
def test_the_best_come_first_each_once_and_nothing_scattered_beside_what_holds_it(
    typed: str, names: list[str]
) -> None:
    listed = rank_matches(typed, list(enumerate(names)))
    assert len(set(listed)) == len(listed)
    fits = [measured(typed, names[each]) for each in listed]
    if split_words(typed):
        assert fits == sorted(each for each in fits if each is not None)
        assert len(set(fits) & {Fit.SCATTERED}) == 0 or set(fits) == {Fit.SCATTERED}
        assert set(listed) >= {
            place for place, each in enumerate(names) if split_words(typed)[0] == normalize(each)
        }


def test_equally_good_matches_stay_in_their_order() -> None:
    named = [
        ("z", "Dana"),
        ("b", "Omar Dan"),
        ("a", "Danny"),
        ("c", "Jordan"),
        ("y", "Dan Levi"),
        ("d", "Yehudan"),
    ]
    assert rank_matches("dan", named) == ["z", "a", "y", "b", "c", "d"]


def test_signs_alone_are_found_as_they_stand() -> None:
    assert rank_matches("!!", [("a", "a"), ("b", "b !!!")]) == ["b"]
    assert rank_matches("§", [("a", "a § B"), ("b", "b")]) == ["a"]


def test_the_store_says_the_same_of_its_customers(store: Store, services: Services) -> None:
    names = ("Dana Levi", "Jordan Daniels", "Yehudan", "Dee Ann", "Ana Edna", "Nadav D", "Zoë 34")
    ids = {f"L1#C{number}": name for number, name in enumerate(names, 1)}
    people = {each: (name, f"+972 52-000-000{each[-1]}", each) for each, name in ids.items()}
    raws = [
        raw_task(number, customer={"customerName": name, "parsedPhoneNumber": phone})
        for number, (name, phone, _) in enumerate(people.values(), 1)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    for typed in (
        "d",
        "an",
        "dan",
        "dean",
        "dnlv",
        "ed an",
        "d lev",
        "dn 7252",
        "zoe",
        "34",
        "l1#c2",
        "anedna",
        "x",
    ):
        wanted = split_words(typed)
        fits = {each: fit(wanted, normalize_name(*parts)) for each, parts in people.items()}
        whole = {each: found for each, found in fits.items() if found not in (None, Fit.SCATTERED)}
        expected = whole or {each: found for each, found in fits.items() if found is not None}
        jumped = [str(hit.conversation_id) for hit in full_text.jump(services.store.reading, typed, 10)]
        assert set(jumped) == set(expected), typed
        assert [expected[each] for each in jumped] == sorted(expected[each] for each in jumped), typed
        filtered = conversations.ids(
            services.store.reading, ConversationOrder.NAME, -1, [QueryTerm(ConditionField.FUZZY, words=typed)]
        )
        assert set(filtered) == set(expected), typed
