"""Full-text search over the store: what is typed finds what was written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import threads
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.inbox.view.highlights import excerpt, match_ranges
from frontdesk.storage import full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.text.normalize import fts_expression, normalize
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message, raw_task
from services import Services

HERE = ConversationId("L1#C1")


def put(store: Store, *texts: str) -> None:
    """Messages with these texts, the last one the newest, indexed."""
    raws = [raw_message(number, message=text) for number, text in enumerate(texts, 1)]
    store.write(lambda db: threads.put_page(db, HERE, raws[::-1], start=None, has_more=False, now=1.0)).result()
    index(store)


def index(store: Store) -> None:
    while store.write(lambda db: full_text.index_batch(db, 7)).result():
        pass


def ids_with(services: Services, order: ConversationOrder, words: str) -> list[ConversationId]:
    return conversation_store.ids(services.store.reading, order, -1, [QueryTerm(ConditionField.WORDS, words)])


def texts_with(store: Store, words: str) -> list[str]:
    return [hit.text for hit in full_text.find_messages(store.reading, words, 100)]


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Où est ma commande ?", "ou COMMANDE"),
        ("Straße gesperrt", "strasse"),
        ("שָׁלוֹם לכולם", "שלום"),
        ("أَيْنَ طَلَبِي؟", "اين طلبي"),
        ("مـــرحبا بكم", "مرحبا"),
        ("我的订单在哪里", "订单"),
        ("สวัสดีครับ", "สวัสดี"),
        ("thanks 👍🏽 a lot", "👍"),
        ("it's late, order #A-1029", "order a-1029"),
        ("İstanbul", "istanbul"),
    ],
)
def test_a_word_is_found_however_it_was_typed(store: Store, written: str, typed: str) -> None:
    put(store, "something else", written)
    assert texts_with(store, typed) == [written]


def test_all_words_have_to_be_there_each_as_the_beginning_of_one(store: Store) -> None:
    put(store, "late delivery of a table", "late delivery", "the table is here")
    assert texts_with(store, "tab del") == ["late delivery of a table"]


def test_hits_are_the_newest_first_whenever_their_page_was_loaded(store: Store) -> None:
    new = [raw_message(number, message=f"same word {number}") for number in (9, 8)]
    old = [raw_message(number, message=f"same word {number}") for number in (3, 2)]
    for page in (new, old):
        store.write(
            lambda db, page=page: threads.put_page(db, HERE, page, start=None, has_more=True, now=1.0)
        ).result()
    index(store)
    assert [each[-1] for each in texts_with(store, "same")] == ["9", "8", "3", "2"]


def test_what_was_changed_or_is_gone_is_found_by_its_old_words_no_more(store: Store) -> None:
    put(store, "before")
    put(store, "after")
    assert (texts_with(store, "before"), texts_with(store, "after")) == ([], ["after"])
    store.write(lambda db: task_store.put(db, [raw_task(1, title="Broken leg")])).result()
    index(store)
    assert [hit.task_id for hit in full_text.find_tasks(store.reading, "leg", 9)] == ["t1"]
    store.write(lambda db: task_store.remove(db, "t1")).result()  # type: ignore[arg-type]
    index(store)
    assert full_text.find_tasks(store.reading, "leg", 9) == []


@pytest.mark.parametrize(
    "typed", ['"', 'a"b AND (', "NEAR(x", "*", "^", "col:", "-", "' OR 1=1 --", "\x00", "%", ""]
)
def test_what_is_typed_is_never_read_as_a_query_language(store: Store, services: Services, typed: str) -> None:
    put(store, "nothing of the kind")
    assert full_text.find(store.reading, typed, 5) == []
    assert ids_with(services, ConversationOrder.NAME, typed) == []


@settings(max_examples=40)
@given(st.text())
def test_no_text_breaks_the_folding(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
    fts_expression(text)
    for hit in match_ranges(text, text):
        assert 0 <= hit.start < hit.stop <= len(text)


def test_a_customer_is_found_by_a_part_of_the_name_or_number(store: Store, services: Services) -> None:
    customer = {"phoneNumberId": "C1", "customerName": "Ángela Levi", "parsedPhoneNumber": "+972 52-123-4567"}
    store.write(lambda db: task_store.put(db, [raw_task(1, customer=customer), raw_task(2)])).result()
    for typed in ("ngel lev", "0521234567"[1:], "52-123", "l1#c1"):
        assert ids_with(services, ConversationOrder.NAME, typed) == ["L1#C1"], typed


@pytest.mark.parametrize(
    "typed",
    ["053-602-2473", "0536022473", "053 602 2473", "(053) 602.2473", "+972 (0)53-602-2473", "00972536022473"],
)
def test_a_number_is_found_in_every_notation(store: Store, services: Services, typed: str) -> None:
    customer = {"phoneNumberId": "972536022473", "customerName": "Dana", "parsedPhoneNumber": "+972 53-602-2473"}
    store.write(lambda db: task_store.put(db, [raw_task(1, customer=customer), raw_task(2)])).result()
    db = services.store.reading
    for words in (typed, f"dana {typed}"):
        assert ids_with(services, ConversationOrder.NAME, words) == ["L1#C1"]
        assert [hit.name for hit in full_text.jump(db, words, 10)] == ["Dana"]
        assert [hit.name for hit in full_text.find_customers(db, words, 10)] == ["Dana"]
    assert [hit.name for hit in full_text.jump(db, typed[:9], 10)] == ["Dana"], "while it is typed"


def test_one_jumps_to_who_is_called_so_best_first(store: Store, services: Services) -> None:
    people = ("Dana Levi", "Jordan Daniels", "Yehudan", "Zoë", "Dee Ann")
    raws = [
        raw_task(number, customer={"customerName": name, "parsedPhoneNumber": f"+972 52-000-000{number}"})
        for number, name in enumerate(people, 1)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()

    def called(typed: str) -> list[str]:
        return [hit.name for hit in full_text.jump(services.store.reading, typed, 10)]

    assert called("dan") == ["Dana Levi", "Jordan Daniels", "Yehudan"]
    assert called("dean") == ["Dee Ann"]
    assert called("dan jo") == ["Jordan Daniels"]
    assert called("mar") == called("eev") == called("5201") == []
    assert called("zoe") == ["Zoë"]
    assert called("dnlv") == ["Dana Levi"]
    assert called("052 0000004"[1:]) == ["Zoë"]
    assert called("l1#c5")[0] == "Dee Ann"
    assert called("+") == []
    assert (
        full_text.jump(services.store.reading, "dan", 2) == full_text.jump(services.store.reading, "dan", 10)[:2]
    )
    assert record_lookup.lines_seen(services.store.reading) == ["L1"]


def test_the_filter_finds_what_was_said_and_what_tasks_are_about(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(2, body="A wobbly chair")])).result()
    put(store, "my sofa came late")
    assert ids_with(services, ConversationOrder.ACTIVITY, "sofa") == ["L1#C1"]
    assert ids_with(services, ConversationOrder.ACTIVITY, "wobb") == ["L1#C2"]


def test_an_excerpt_shows_the_word_that_was_searched_for() -> None:
    text = "Hello there, " + "and so on " * 20 + "the Café was closed " + "and so on " * 20
    shown = excerpt(text, "cafe", 50)
    assert "Café" in shown
    assert len(shown) <= 52
    assert match_ranges("Café, straße", "strasse cafe") == [range(4), range(6, 12)]


def test_a_page_that_was_pasted_by_mistake_is_searched_for_by_its_first_words(
    store: Store, services: Services
) -> None:
    page = " ".join(f"word{number}" for number in range(2_000))
    put(store, page)
    assert len(full_text.find_messages(services.store.reading, page, 5)) == 1
    assert (
        full_text.jump(services.store.reading, page, 5)
        == full_text.find_customers(services.store.reading, page, 5)
        == []
    )
    assert conversation_store.ids(
        services.store.reading, ConversationOrder.NAME, -1, [QueryTerm(ConditionField.WORDS, page)]
    ) == [HERE]
    assert (
        conversation_store.ids(
            services.store.reading, ConversationOrder.NAME, -1, [QueryTerm(ConditionField.FUZZY, "x" * 70_000)]
        )
        == []
    )
