"""What a conversation's row and facts say, and a task's card."""

import json
import re
from typing import Any

import pytest

from frontdesk.config.facts import lines as draw_facts
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import BUILT_IN_STATUSES, Profile, StatusLabel
from frontdesk.inbox.store.customer_history import CustomerHistory
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view import conversation_row
from frontdesk.inbox.view.conversation_row import (
    LABEL_CELLS,
    NO_FACTS,
    RowFacts,
    compact_row,
    row,
    target_line,
    task_row,
)
from frontdesk.outbox.change_view import added_tags
from frontdesk.outbox.snoozes import Snooze, SnoozeState
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.service_clocks.store import NearestClock
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ChangeState, ConversationOrder, ConversationRecord, TaskRecord
from frontdesk.storage.team_state import Colleague
from frontdesk.tasks.view import card
from frontdesk.text import relative_time
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId, StatusId, TagId, TaskId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.copied_text import Cell, selected_text
from frontdesk_lines.glyphs import ASCII, UNICODE, Glyphs
from frontdesk_lines.lines import Line, Role, width_of
from frontdesk_lines.privacy import set_private
from sample_records import NOW, PLAIN_VIEW, VIEW, at, words

HOUR = 3600.0

DANA = ConversationRecord(
    conversation_id=ConversationId("L1#C1"),
    line_id=LineId("L1"),
    customer_id=CustomerId("C1"),
    name="Dana Levi",
    number="+972 52-123-4567",
    platform="whatsapp",
    preview="Where is my order?",
    preview_direction="incoming",
    active_at=at(18, 9, 12),
)
NOTE = TeamNote("n1", DANA.conversation_id, NOW, AgentId("noa"), "Please call them")
LATE = TaskRecord(
    task_id=TaskId("t1"),
    title="Late delivery",
    body="",
    status=StatusId("open"),
    line_id=LineId("L1"),
    conversation_id=ConversationId("L1#C1"),
    customer_id=CustomerId("C1"),
    customer_name="Dana Levi",
    platform="whatsapp",
    due_at=NOW - 3 * HOUR,
    assigned=(AgentId("noa"), AgentId("me")),
    unread=0,
    created_at=at(10, 9),
    updated_at=at(18, 9, 12),
    pending={},
    raw_json=json.dumps({"statusCase": "open", "dueDate": NOW - 3 * HOUR, "assignedAgentIds": ["noa", "me"]}),
)


def customer_facts(
    record: ConversationRecord, width: int, view: RenderContext, history: CustomerHistory | None = None
) -> tuple[Line, ...]:
    return draw_facts(conversation_row.customer_facts(record, view, history), width, view, LABEL_CELLS)


def top(record: ConversationRecord) -> str:
    return words(row(record, 40, VIEW)[0])


def below(record: ConversationRecord, width: int = 60) -> str:
    return words(row(record, width, VIEW)[1])


def test_a_row_says_who_when_and_what_was_said_last() -> None:
    assert top(DANA).split() == ["Dana", "Levi", "09:12"]
    assert below(DANA).strip() == "Where is my order?"


def test_a_customer_without_a_name_is_called_by_number_then_by_id() -> None:
    assert customer_of(DANA._replace(name="")).text == "+972 52-123-4567"
    assert customer_of(DANA._replace(name="", number="")).text == "C1"
    assert customer_of(DANA._replace(name="", number="", customer_id=None)).text == "L1#C1"


def test_unread_is_a_number_and_bold_not_a_colour_alone() -> None:
    assert "●2" in top(DANA._replace(unread=2))
    assert Role.STRONG in {part.role for part in row(DANA._replace(unread=2), 40, VIEW)[0]}
    assert "●" not in top(DANA)


def test_what_is_not_confirmed_yet_has_a_mark() -> None:
    assert "⇅" in top(DANA._replace(pending=True))


@pytest.mark.parametrize(
    ("order", "changes", "shown"),
    [
        ("waiting", {"waiting_since": NOW - 60}, "1m wait"),
        ("waiting", {"waiting_since": NOW - 5 * HOUR}, "5h wait"),
        ("waiting", {"waiting_since": NOW - 5 * HOUR, "waiting_known": False}, "5h wait?"),
        ("waiting", {"waiting_known": False}, "? wait"),
        ("waiting", {}, "09:12"),
        ("activity", {"waiting_since": NOW - 5 * HOUR}, "09:12"),
        ("due", {"due_at": NOW - 2 * HOUR}, "! 2h late"),
        ("due", {"due_at": at(18, 17)}, "due 17:00"),
        ("due", {}, "no due date"),
    ],
)
def test_the_first_line_ends_with_the_time_that_the_list_is_sorted_by(
    order: str, changes: dict[str, Any], shown: str
) -> None:
    facts = RowFacts(ConversationOrder(order))
    first, second = row(DANA._replace(**changes), 40, VIEW, facts)
    assert words(first).endswith(f" {shown}")
    assert shown not in words(second), "once is enough"


def test_who_waits_is_shown_in_every_order() -> None:
    waits = DANA._replace(waiting_since=NOW - 5 * HOUR)
    assert words(row(waits, 40, VIEW, RowFacts(ConversationOrder.ACTIVITY))[0]).endswith("◷ 5h  09:12")
    assert one_line(waits, 75, RowFacts(ConversationOrder.ACTIVITY)).endswith("  ◷ 5h")


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_a_row_shows_the_status_of_its_task_by_shape_and_colour(glyphs: Glyphs) -> None:
    """Custom statuses too, of which four have shapes of their own and twelve a shape and colour."""
    custom = [StatusId(f"st-{place}") for place in range(12)]
    named = (*BUILT_IN_STATUSES, *(StatusLabel(each, f"Custom {each}") for each in custom))
    names = Catalogue(Profile("test", Hosts(*[""] * 5), statuses=named))
    view = VIEW._replace(names=names, glyphs=glyphs)
    signs = [row(DANA, 40, view, RowFacts(status=each.id))[0][0] for each in named]
    assert len({each.text.text for each in signs[:7]}) == 7
    assert len({(each.text.text, each.role) for each in signs}) == 15
    unnamed = [view.status_sign("st-unheard-of") for _ in range(2)]
    assert unnamed[0] == unnamed[1]
    assert words(row(DANA, 40, VIEW)[0]).startswith("  Dana"), "no task"


LINES = RowFacts(names_line=True)


def columns(record: ConversationRecord, width: int, facts: RowFacts = LINES) -> list[str]:
    """The second line's text, line, people and due time."""
    return [each.strip() for each in re.split(r"  +|(?<=…) ", words(row(record, width, VIEW, facts)[1]).strip())]


def test_the_second_line_has_columns_for_text_line_people_and_due_time() -> None:
    busy = DANA._replace(open_tasks=1, assigned=(AgentId("noa"),), due_at=at(20, 9))
    late = busy._replace(preview="ok", assigned=(), due_at=NOW - 2 * HOUR)
    assert columns(busy, 75) == ["Where is my order?", "Acme Home", "Noa", "due Fri 09:00"]
    assert columns(late, 75) == ["ok", "Acme Home", "unassigned", "! 2h late"]
    assert columns(busy, 47) == ["Where is m…", "Acme Home", "Noa", "Fri 09:00"]
    for width in (47, 51, 75, 195):
        lines = [words(row(each, width, VIEW, RowFacts(names_line=True))[1]) for each in (busy, late)]
        assert len({line.index("Acme") for line in lines}) == 1, "columns begin at one place"
        assert lines[0].index("Noa") == lines[1].index("unassigned")
        assert lines[0].endswith("Fri 09:00")
        assert lines[1].endswith("! 2h late")


def test_columns_have_roles_of_their_own() -> None:
    busy = DANA._replace(open_tasks=1, assigned=(AgentId("noa"),), due_at=NOW - 2 * HOUR)

    def role(record: ConversationRecord, shown: str) -> Role:
        line = row(record, 75, VIEW, RowFacts(names_line=True))[1]
        return next(each.role for each in line if shown in each.text.text)

    roles = [role(busy, each) for each in ("Where", "Acme", "Noa", "late")]
    assert roles == [Role.DIM, Role.LINE, Role.AGENT, Role.BAD]
    assert role(busy._replace(assigned=(AgentId("noa"), AgentId("me"))), "me,") is Role.ACCENT


def test_people_are_named_as_there_is_room_the_reader_first() -> None:
    tom, ida = AgentId("tom"), AgentId("ida")
    named = Profile(
        "test", Hosts(*[""] * 5), agent_id=AgentId("me"), agents={tom: "Tom Fletcher", ida: "Ida Noor Lund"}
    )
    view = VIEW._replace(names=Catalogue(named))

    def people(width: int, *assigned: AgentId) -> str:
        record = DANA._replace(open_tasks=1, assigned=assigned, preview=":", due_at=at(20, 9))
        return re.split(" +(due )?Fri", words(row(record, width, view)[1]))[0].strip(" :")

    assert people(75, tom) == "Tom Fletcher"
    assert people(47, tom) == "Tom Fletcher"
    assert people(75, ida, tom) == "Ida L., Tom F."
    assert people(47, ida, tom) == "Ida L. +1"
    assert people(47, tom, AgentId("me")) == "me, Tom F."
    assert people(47) == "unassigned"
    assert words(row(DANA, 75, view)[1]).strip() == "Where is my order?", "no open task: nobody is missing"


def test_a_long_deadline_shortens_the_names_beside_it_and_moves_no_column() -> None:
    clock = ServiceClock(ClockKind.NEXT, "p", ClockState.RUNNING, NOW + 2 * 86_400, NOW + 9 * 86_400, None)
    busy = DANA._replace(open_tasks=1)
    shown = [
        words(row(busy, 47, VIEW, LINES._replace(clock=NearestClock(clock, more)))[1]) for more in (False, True)
    ]
    assert [line.index("unas") for line in shown] == [25, 25]
    assert [line.endswith(end) for line, end in zip(shown, ("by ~Fri 14:30", "by ~Fri 14:30 ?"), strict=True)]


def test_a_row_names_its_line_where_there_are_several() -> None:
    assert "Acme Home" in columns(DANA, 60)
    assert "WhatsApp" in columns(DANA._replace(line_id=LineId("L9")), 60)
    assert "Acme" not in below(DANA)


@pytest.mark.parametrize(
    ("facts", "sign", "role"),
    [
        ({"call": NOTE}, "@you", Role.BADGE),
        ({"call": NOTE._replace(hand_over_to=AgentId("me"))}, "handed to you", Role.BADGE),
        ({"present": [Colleague("noa", "desk")]}, "Noa here", Role.WARN),
        ({"snooze": SnoozeState(Snooze(at(20, 9), True, 0.0), None)}, "until Fri 09:00", Role.DIM),
        ({"snooze": SnoozeState(Snooze(at(18, 9), True, 0.0), at(18, 9))}, "woke 09:00", Role.BADGE),
    ],
)
def test_news_stand_in_for_the_line_and_are_in_a_row_of_one_line_too(
    facts: dict[str, Any], sign: str, role: Role
) -> None:
    late = DANA._replace(open_tasks=1, due_at=NOW - 2 * HOUR)
    shown = RowFacts(names_line=True, **facts)
    for lines in (
        row(late, 47, VIEW, shown),
        compact_row(late, 75, VIEW, shown),
        compact_row(late, 57, VIEW, shown),
    ):
        found = [each for line in lines for each in line if sign in each.text.text]
        assert [each.role for each in found] == [role], words(*lines)
    assert words(row(late, 47, VIEW, shown)[1]).endswith(" unassigned   ! 2h late")
    assert "! 2h late" in words(*compact_row(late, 75, VIEW, shown))


def test_many_colleagues_in_a_row_leave_its_words_people_and_due_time() -> None:
    late = DANA._replace(open_tasks=1, due_at=NOW - 2 * HOUR)
    crowd = LINES._replace(present=[Colleague(f"agent-{place}", f"desk number {place}") for place in range(5)])
    for width in (47, 51, 75):
        assert re.fullmatch(r"  Whe.*… +desk.* unassigned +! 2h late", words(row(late, width, VIEW, crowd)[1]))
    for width in (55, 75):
        assert re.fullmatch(r"  Dana Levi +09:12  Whe.*… +desk.*", one_line(late, width, crowd))


def one_line(record: ConversationRecord, width: int, facts: RowFacts = NO_FACTS) -> str:
    return words(*compact_row(record, width, VIEW, facts))


def test_a_row_of_one_line_has_what_decides_whom_to_answer() -> None:
    waits = DANA._replace(waiting_since=NOW - 5 * HOUR, unread=2, due_at=NOW - 3 * HOUR)
    facts = RowFacts(status=StatusId("open"))
    shown = "● Dana Levi          ●2     5h wait  Where is my order?           ! 3h late"
    assert one_line(waits, 75, facts) == shown
    assert one_line(waits, 55, facts) == "● Dana Levi     ●2      5h  Where is my ord…  ! 3h late"
    assert "⇅" in one_line(waits._replace(pending=True), 75)
    assert "due" not in one_line(waits._replace(due_at=NOW + 5 * HOUR), 75), "only once it is loud"
    for doubt, words_of in (
        (waits._replace(waiting_known=False), "5h wait?"),
        (DANA._replace(waiting_known=False), "? wait"),
    ):
        assert words_of in one_line(doubt, 75)


def test_rows_of_one_line_have_their_columns_at_one_place() -> None:
    several = [
        DANA._replace(unread=120, preview="here"),
        DANA._replace(name="שירה", waiting_since=NOW - 90_000, preview="here"),
        DANA._replace(name="A name that is too long for its column", pending=True, preview="here"),
        DANA._replace(waiting_since=NOW - 60, waiting_known=False, preview="here"),
    ]
    for width in (55, 75, 94):
        for order in ConversationOrder:
            lines = [one_line(each, width, RowFacts(order)) for each in several]
            assert len({line.index("here") for line in lines}) == 1, lines


def test_tags_are_in_a_row_of_one_line_where_the_words_leave_room() -> None:
    tags = RowFacts(tags=(TagId("vip"),))
    assert one_line(DANA, 75, tags).rstrip().endswith("■VIP")
    assert "VIP" not in one_line(DANA, 55, tags)


def test_a_right_to_left_name_stands_beside_its_sign() -> None:
    hebrew = DANA._replace(name="שירה")
    for line in (row(hebrew, 60, VIEW)[0], compact_row(hebrew, 60, VIEW)[0]):
        assert words(line).startswith("  " + "שירה"[::-1])


def test_tags_are_chips_where_the_name_leaves_room() -> None:
    tags = (TagId("old"), TagId("vip"), TagId("unheard-of"))
    first = row(DANA, 60, VIEW, RowFacts(tags=tags))[0]
    assert "■VIP ■unheard-of 09:12" in " ".join(words(first).split())
    inks = [part.ink for part in first if part.ink]
    assert inks == [VIEW.tag_sign(tags[1]).ink, VIEW.tag_sign(tags[2]).ink]
    assert "unheard" not in words(row(DANA, 26, VIEW, RowFacts(tags=tags))[0])


def test_a_due_time_is_loud_once_it_is_near_or_past() -> None:
    def role(due_at: float, shown: str) -> Role:
        line = row(DANA._replace(due_at=due_at), 60, VIEW)[1]
        assert words(line).endswith(shown)
        return line[-1].role

    assert role(NOW - 2 * HOUR, "! 2h late") is Role.BAD
    assert role(NOW + 600, "due 14:40") is Role.WARN
    assert role(NOW + 5 * HOUR, "due 19:30") is Role.DIM
    assert role(at(19, 9), "due Thu 09:00") is Role.DIM


def test_our_own_last_words_say_how_far_they_came() -> None:
    ours = DANA._replace(preview_direction="outgoing", preview_status="read")
    assert below(ours).strip().startswith("✓✓✓ Where")
    assert below(ours._replace(preview_status="failed")).strip().startswith("✗ Where")
    assert below(ours._replace(preview_status="teleported")).strip().startswith("teleported Where")


def test_a_thread_that_was_not_read_is_not_an_empty_one() -> None:
    assert below(DANA._replace(thread_known=False, preview="")).strip() == "not loaded yet"
    assert "task: Late delivery" in below(DANA._replace(thread_known=False, preview="Late delivery"))


def test_a_row_says_when_the_window_of_who_waits_is_about_to_close() -> None:
    waits = DANA._replace(waiting_since=NOW - 23 * HOUR, last_incoming_at=NOW - 23 * HOUR)
    closes = relative_time.clock(NOW + HOUR, VIEW.zone)
    assert f"closes ~{closes}" in top(waits)
    assert f"closes ~{closes}" in one_line(waits, 75)
    assert "23h wait" in top(waits)
    for other in (
        waits._replace(waiting_since=None),
        waits._replace(last_incoming_at=NOW - 21 * HOUR),
        waits._replace(last_incoming_at=NOW - 24 * HOUR),
        waits._replace(platform="web"),
    ):
        assert "closes" not in top(other)


def test_a_row_marks_what_the_list_is_filtered_by() -> None:
    def marked(record: ConversationRecord, searched: str) -> list[str]:
        lines = row(record, 60, VIEW, RowFacts(words=searched))
        assert all(width_of(line) == 60 for line in lines)
        return [each.text.text for line in lines for each in line if each.role is Role.HIT]

    assert marked(DANA, "ord") == ["ord"]
    assert marked(DANA, "levi order") == ["Levi", "order"]
    assert marked(DANA, "nothing") == marked(DANA, "") == []
    assert marked(DANA._replace(preview="so many words " * 9 + "parcel"), "parcel") == ["parcel"]
    assert len(marked(DANA._replace(preview="איפה ההזמנה שלי?"), "ההזמנה")) == 1


def test_a_row_says_both_who_waits_and_what_is_late() -> None:
    record = DANA._replace(waiting_since=NOW - 2 * HOUR, due_at=NOW - 3 * HOUR)
    assert below(record).endswith("! 3h late")
    assert top(record).endswith("2h wait")
    assert "late" not in below(record._replace(due_at=NOW + 3 * HOUR))


def test_each_fact_has_its_row_whether_it_is_known_or_not() -> None:
    """So that what follows a moving cursor stays on its lines, and few cells differ."""
    known, unknown = (
        [words(line).split()[0] for line in customer_facts(each, 60, VIEW)[1:]]
        for each in (DANA, DANA._replace(number="", platform="web", last_incoming_at=None))
    )
    assert known == unknown


def test_the_window_for_free_answers_is_an_estimate() -> None:
    facts = words(*customer_facts(DANA._replace(last_incoming_at=NOW - HOUR), 60, VIEW))
    assert "until ~Thu 13:30" in facts
    assert "closed?" in words(*customer_facts(DANA._replace(last_incoming_at=at(10, 9)), 60, VIEW))
    elsewhere = DANA._replace(platform="web", last_incoming_at=NOW)
    assert "window      unknown" in words(*customer_facts(elsewhere, 60, VIEW))


def test_facts_say_what_is_known_of_the_past_and_what_is_not() -> None:
    waits = DANA._replace(waiting_since=NOW - 3 * HOUR, last_incoming_at=NOW - 3 * HOUR)
    known = CustomerHistory("IL", "regular", at(10, 8), at(10, 9), is_whole=True, campaign_at=at(11, 9))
    shown = words(*customer_facts(waits, 60, VIEW, known))
    for fact in (
        "+972 52-123-4567 IL",
        "waiting     3h",
        "first seen  10 Nov",
        "last sent 11 Nov",
        "regular",
    ):
        assert fact in shown
    part = words(
        *customer_facts(DANA._replace(waiting_known=False), 60, VIEW, CustomerHistory(first_at=at(10, 9)))
    )
    for fact in (
        "window      unknown",
        "waiting     unknown",
        "first seen  10 Nov or before",
        "campaign    none loaded",
    ):
        assert fact in part
    never_read = words(*customer_facts(DANA._replace(thread_known=False, active_at=None), 60, VIEW))
    for fact in (
        "window      unknown, not loaded",
        "first seen  unknown",
        "last active unknown",
        "campaign    unknown",
    ):
        assert fact in never_read


def test_facts_say_since_when_they_wait_and_when_they_wrote_last() -> None:
    waits = DANA._replace(waiting_since=NOW - 5 * HOUR, last_incoming_at=NOW - 2 * HOUR)
    assert "waiting     5h, last 2h ago" in words(*customer_facts(waits, 30, VIEW))
    doubtful = waits._replace(waiting_known=False)
    assert "waiting     5h?, last 2h ago" in words(*customer_facts(doubtful, 30, VIEW))
    marked = waits._replace(waiting_since=None)
    assert "waiting     no answer needed" in words(
        *customer_facts(marked, 30, VIEW, CustomerHistory(needs_no_answer=True))
    )
    assert "waiting     no" in words(*customer_facts(marked, 30, VIEW))


def test_other_lines_are_named_where_there_are_any() -> None:
    lines = tuple(map(LineId, ("L2", "L3", "L4", "L5")))
    assert "also on     L2, L3, L4 and 1 more" in words(
        *customer_facts(DANA, 60, VIEW, CustomerHistory(other_lines=lines))
    )
    assert "also on" not in words(*customer_facts(DANA, 60, VIEW, CustomerHistory()))


def test_a_long_fact_continues_on_the_next_line() -> None:
    about = "Lives on the third floor, there is no lift, please ring before you come up."
    shown = words(*customer_facts(DANA, 30, VIEW, CustomerHistory(description=about)))
    assert "…" not in shown
    assert " ".join(about.split()) in " ".join(shown.split())


def test_only_a_window_that_closes_on_who_waits_draws_the_eye() -> None:
    closing = DANA._replace(waiting_since=NOW - 23 * HOUR, last_incoming_at=NOW - 23 * HOUR)

    def urgent(record: ConversationRecord) -> list[str]:
        lines = customer_facts(record, 60, VIEW)
        return [
            each.text.text for line in lines for each in line if each.role in (Role.WARN, Role.BAD, Role.BADGE)
        ]

    assert len(urgent(closing)) == 1
    assert urgent(closing._replace(waiting_since=None)) == []


def test_facts_name_the_line_by_its_label() -> None:
    assert "Acme Home" in words(*customer_facts(DANA, 60, VIEW))


@pytest.mark.parametrize(
    ("platform", "shown"),
    [
        ("whatsapp", "WhatsApp"),
        ("Web", "Web"),
        ("facebookMessenger", "Messenger"),
        ("carrier pigeon", "carrier pigeon"),
    ],
)
def test_facts_name_the_channel_and_an_unknown_one_as_the_platform_does(platform: str, shown: str) -> None:
    assert f"channel     {shown}" in words(*customer_facts(DANA._replace(platform=platform), 60, VIEW))


def test_tags_are_those_given_from_here_with_their_time_and_state() -> None:
    none = words(*added_tags([], 40, VIEW))
    assert "None. Press t to add." in none
    given = words(
        *added_tags(
            [
                (TagId("vip"), at(18, 9), ChangeState.CONFIRMED),
                (TagId("unheard-of"), at(18, 10), ChangeState.HELD),
            ],
            40,
            VIEW,
        )
    )
    unheard, vip = given.splitlines()[1:]
    assert vip.split() == ["■", "VIP", "09:00"]
    assert unheard.split() == ["■", "unheard-of", "⇅", "10:00"]


def test_a_card_says_title_customer_people_due_and_age() -> None:
    title, who, people, parting = (words(line) for line in card(LATE, 40, VIEW))
    assert title.strip() == "Late delivery"
    assert who.split("  ")[0] == "Dana Levi"
    assert who.endswith("! 3h late")
    assert people.startswith("Noa, you")
    assert people.endswith("09:12")
    assert parting.strip() == ""


def test_a_long_title_of_a_card_goes_on_in_the_line_that_is_empty_otherwise() -> None:
    long = LATE._replace(title="Late delivery of the oak table, order 14202", unread=3)
    first, more, who, people = (words(line) for line in card(long, 24, VIEW))
    assert first == "Late delivery of the  ●3"
    assert more.strip() == "oak table, order 14202"
    assert who.startswith("Dana Levi")
    assert people.startswith("Noa, you")
    assert words(card(long._replace(title="x " * 40), 24, VIEW)[1]).endswith("…")
    assert words(card(long._replace(title="Swap sofa for דנה"), 17, VIEW)[1]).startswith("דנה"[::-1]), (
        "as its first line"
    )
    fits = card(long._replace(title="Refund still missing"), 23, VIEW)
    assert words(fits[0]) == "Refund still missing ●3"


def test_a_completed_task_is_not_late() -> None:
    done = LATE._replace(status=StatusId("completed"))
    assert "●3" in words(*card(LATE._replace(unread=3), 40, VIEW)[:1]), "beside its title"
    assert "late" not in words(*card(done, 40, VIEW), *task_row(done, 40, VIEW))


def test_a_task_shows_as_much_of_its_text_as_it_has_lines_for() -> None:
    said = LATE._replace(body="Two parcels\nof three came.")
    assert [words(line).strip() for line in task_row(said, 14, VIEW, 3)][3:] == [
        "Two parcels of",
        "three came.",
        "",
    ]
    *_, last = (words(line) for line in task_row(said, 14, VIEW, 1))
    assert last == "Two parcels o…"
    assert len(task_row(said, 14, VIEW)) == 3


def test_a_task_without_title_or_people_says_so() -> None:
    bare = LATE._replace(title="", assigned=(), customer_name="", customer_id=None)
    said = words(*card(bare, 40, VIEW))
    assert "(no title)" in said
    assert "unassigned" in said
    assert "no customer" in said


def test_a_pending_task_has_a_mark_and_a_custom_status_its_id() -> None:
    said = words(
        *task_row(LATE._replace(status=StatusId("st-custom"), pending={"statusCase": "st-custom"}), 40, VIEW)
    )
    assert "⇅" in said
    assert "st-custom" in said


def test_every_sign_has_an_ascii_twin() -> None:
    busy = DANA._replace(unread=2, pending=True, waiting_since=NOW - 5 * HOUR)
    assert words(*row(busy, 60, PLAIN_VIEW), *card(LATE._replace(pending={"title": ""}), 60, PLAIN_VIEW)).isascii()


def test_the_task_that_keys_work_on_is_one_line_of_title_people_and_due() -> None:
    mine = LATE._replace(assigned=(AgentId("me"),), due_at=NOW + 20 * 60)
    assert words(target_line(mine, 1, 1, 60, VIEW)).strip() == "● Late delivery · me · due 14:50"
    late = target_line(LATE, 1, 3, 60, VIEW)
    assert words(late).split("  ")[0] == " ● Late delivery · me, Noa · ! 3h late"
    assert words(late).endswith("  1 of 3 ")
    assert {part.text.text: part.role for part in late}["! 3h late"] is Role.BAD
    bare = LATE._replace(title="", assigned=(), due_at=None)
    assert words(target_line(bare, 1, 1, 60, VIEW)).strip() == "● (no title) · unassigned"
    done = LATE._replace(status=StatusId("completed"), assigned=(AgentId("noa"), AgentId("me"), AgentId("dan")))
    assert words(target_line(done, 1, 1, 60, VIEW)).strip() == "○ Late delivery · me, Noa, dan · Completed"
    assert words(target_line(mine, 1, 1, 60, PLAIN_VIEW)).strip() == "o Late delivery - me - due 14:50"


@pytest.mark.parametrize(
    "title", ["A very long title " * 9, "\x1b]0;owned\x07 [/bold] \u202edeliver", "משלוח בערב " * 9]
)
@pytest.mark.parametrize("width", [20, 36, 62, 90])
def test_whatever_a_task_is_called_the_line_has_its_width_people_and_due(title: str, width: int) -> None:
    line = target_line(LATE._replace(title=title), 2, 12, width, VIEW)
    assert width_of(line) == width
    assert words(line).isprintable()
    assert words(line).endswith("2 of 12 ")
    assert width < 60 or "me, Noa · ! 3h late" in words(line)


def test_privacy_hides_the_task_that_keys_work_on() -> None:
    set_private(True)
    line = words(target_line(LATE, 1, 1, 60, VIEW))
    assert "•••• ••••••••" in line
    assert "Late" not in line
    assert "Noa" not in line


def test_a_copied_row_has_its_texts_without_dots_and_signs() -> None:
    record = DANA._replace(name="דנה לוי", unread=2, pending=True, assigned=(AgentId("noa"),), open_tasks=1)
    lines = row(record, 60, VIEW, RowFacts(status=StatusId("open")))
    first, second = selected_text(lines, Cell(0, 0), Cell(1000, 1)).split("\n")
    assert first.startswith("דנה לוי  ")
    assert second.startswith("Where is my order?  ")
    assert not {"●", VIEW.glyphs.pending} & set(first.replace("●2", ""))


@pytest.mark.parametrize("width", [36, 57, 60, 96])
@pytest.mark.parametrize("draw", [row, compact_row])
def test_columns_are_copied_with_blanks_between_them(draw: Any, width: int) -> None:
    late = DANA._replace(open_tasks=1, unread=3, assigned=(AgentId("noa"),), due_at=NOW - HOUR)
    for record in (late, late._replace(assigned=(), due_at=None)):
        lines = draw(record, width, VIEW, NO_FACTS._replace(names_line=True))
        copied = selected_text(lines, Cell(0, 0), Cell(1000, len(lines) - 1))
        shown = "\n".join(words(line) for line in lines)
        assert copied.split() == [each for each in shown.split() if each not in UNICODE]
