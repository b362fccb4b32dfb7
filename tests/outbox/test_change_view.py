"""A change in words: each field with its sides, each state, and what is sent as a record."""

from typing import Any

import pytest

from frontdesk.config.facts import lines as lines_of
from frontdesk.linear.sentences import speak
from frontdesk.outbox.change_view import LABEL_CELLS, ChangeView, WholeChangeView, added_tags, state_role
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeKind, ChangeState
from frontdesk_api.contract.ids import TagId
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Role, width_of
from sample_records import NOW, VIEW, at, words

PLAIN = ChangeView()


def change(state: ChangeState = ChangeState.CONFLICT, **more: Any) -> Change:
    plain: dict[str, Any] = {"kind": ChangeKind.TASK, "target": "t1", "label": "Edit", "base": {}, "fields": {}}
    return Change(change_id=7, batch="b", state=state, made_at=NOW, send_after=NOW, **(plain | more))


def sentences(each: Change) -> list[str]:
    return [sentence.text for sentence in speak(PLAIN.facts(each, VIEW), VIEW)]


@pytest.mark.parametrize(
    ("name", "was", "yours", "expected"),
    [
        ("statusCase", "open", "completed", "Status, was: Open; set to: Completed."),
        ("statusCase", "", "x\x1b[1m", "Status, was: none; set to: x␛[1m."),
        ("dueDate", None, at(19, 9), "Due, was: none; set to: tomorrow 09:00."),
        ("dueDate", at(18, 17), 0, "Due, was: 17:00; set to: none."),
        ("title", None, "Call Noa", "Title, was: none; set to: Call Noa."),
        ("body", "one\ntwo", "", "Text, was: one two; set to: none."),
        ("assignedAgentIds", [], {"add": ["noa", "me"]}, "Assigned, was: unassigned; change: +Noa, +you."),
        ("assignedAgentIds", ["me", "noa"], {"remove": ["noa"]}, "Assigned, was: you, Noa; change: -Noa."),
        ("assignedAgentIds", ["me"], {}, "Assigned, was: you; change: none."),
        ("tagIds", None, ["vip", "other"], "Tags, adds: VIP, other."),
        ("priority", 1, 2, "Priority, was: 1; set to: 2."),
    ],
)
def test_a_field_is_said_with_what_it_was_and_what_it_was_set_to(
    name: str, was: object, yours: object, expected: str
) -> None:
    assert sentences(change(ChangeState.CONFIRMED, base={name: was}, fields={name: yours})) == [expected]


@pytest.mark.parametrize("state", ChangeState)
def test_it_is_called_yours_just_where_it_is_not_in_effect_and_theirs_is_shown_where_it_is_known(
    state: ChangeState,
) -> None:
    own = "yours" if state in (*NEEDS_PERSON, ChangeState.UNDONE, ChangeState.DROPPED) else "set to"
    values: dict[str, Any] = {"fields": {"title": "c", "body": "d"}, "base": {"title": "a", "body": "b"}}
    assert sentences(change(state, theirs={"title": "x"}, **values)) == [
        f"Title, was: a; theirs: x; {own}: c.",
        f"Text, was: b; {own}: d.",
    ]
    assert sentences(change(state, **values))[0] == f"Title, was: a; {own}: c."


def test_lines_have_the_values_behind_their_words_and_never_more_cells_than_there_are() -> None:
    each = change(fields={"title": "a title to be wrapped"}, base={"title": "old"}, theirs={"title": "new"})
    lines = lines_of(PLAIN.facts(each, VIEW), 20, VIEW, LABEL_CELLS)
    assert [words(line).rstrip() for line in lines] == [
        "",
        "Title",
        "was     old",
        "theirs  new",
        "yours   a title to",
        "        be wrapped",
    ]
    assert {width_of(line) for line in lines[1:]} == {20}
    shown = [[part.role for part in line if part.text.text][-1] for line in lines[1:]]
    assert shown == [Role.ACCENT, Role.DIM, Role.WARN, Role.STRONG, Role.STRONG]
    assert lines[1][0].role is lines[1][0].role.ACCENT
    assert all(width_of(line) <= 5 for line in lines_of(PLAIN.facts(each, VIEW), 5, VIEW, LABEL_CELLS))


def test_a_row_has_one_field_from_what_to_what_or_the_names_of_several() -> None:
    def summary(**more: Any) -> str:
        return words(tuple(PLAIN.summary(change(**more), VIEW)))

    assert summary(fields={"statusCase": "completed"}, base={"statusCase": "open"}) == "Open → Completed"
    long = summary(fields={"title": "new"}, base={"title": "x" * 30})
    assert long == "x" * 23 + "… → new"
    assert summary(fields={"title": "a", "body": "b", "zzz": 1}) == "Title, Text, zzz"
    assert summary(fields={"body": "b"}) == summary(fields={"tagIds": ["vip"]}) == ""


@pytest.mark.parametrize(
    ("state", "said", "role"),
    [
        (ChangeState.HELD, "sends within 5 s", Role.PENDING),
        (ChangeState.QUEUED, "waiting to send", Role.PENDING),
        (ChangeState.SENDING, "sending", Role.PENDING),
        (ChangeState.UNKNOWN, "outcome unknown; checking", Role.WARN),
        (ChangeState.CONFLICT, "conflict: yours or theirs?", Role.BAD),
        (ChangeState.REFUSED, "rejected", Role.BAD),
        (ChangeState.CONFIRMED, "confirmed", Role.GOOD),
        (ChangeState.UNDONE, "undone before sending", Role.DIM),
        (ChangeState.DROPPED, "discarded", Role.DIM),
    ],
)
def test_each_state_has_its_words(state: ChangeState, said: str, role: Role) -> None:
    assert (PLAIN.state_words(change(state), NOW - 1), state_role(change(state))) == (said, role)
    due = "waiting to send" if state is ChangeState.HELD else said
    assert PLAIN.state_words(change(state), NOW) == due, "one that is due isn't held any more"


def test_the_record_has_all_that_is_known_of_a_change() -> None:
    each = change(fields={"title": "c"}, base={"title": "a"}, theirs={"title": "x"}, reason="changed meanwhile")
    assert PLAIN.raw_record(each, None) == (
        "Change 7",
        {
            "fields": {"title": "c"},
            "before": {"title": "a"},
            "theirs": {"title": "x"},
            "state": "conflict",
            "reason": "changed meanwhile",
        },
    )
    assert PLAIN.drop_effect(each) == "their version is kept"
    assert PLAIN.drop_effect(change(ChangeState.REFUSED)) == "nothing changes"


def test_added_tags_are_listed_the_newest_first_with_those_that_wait_marked() -> None:
    assert [words(line).rstrip() for line in added_tags((), 40, VIEW)] == [
        "Tags added in frontdesk",
        "None. Press t to add.",
    ]
    given = [(TagId(f"tag {number}"), at(18, number), ChangeState.CONFIRMED) for number in range(1, 7)]
    lines = added_tags([*given, (TagId("vip"), NOW, ChangeState.QUEUED)], 24, VIEW)
    assert [words(line) for line in lines] == [
        "Tags added in frontdesk ",
        "■ VIP            ⇅ 14:30",
        *(f"■ tag {number}" + " " * 12 + f"0{number}:00" for number in (6, 5, 4, 3, 2)),
    ]


def test_the_parts_of_added_tags_have_their_roles_and_the_key_that_adds_one() -> None:
    chosen = VIEW._replace(keys={"conversation.tag": "f7"})
    heading, hint = added_tags((), 40, chosen)
    assert words(hint).rstrip() == "None. Press f7 to add."
    assert (heading[0].role, hint[0].role) == (Role.ACCENT, Role.DIM)
    given = [(TagId("vip"), at(18, 9), state) for state in (ChangeState.CONFIRMED, ChangeState.SENDING)]
    _, waiting, confirmed = added_tags(given, 40, VIEW)
    assert words(waiting).rstrip().endswith(" ⇅ 09:00")
    assert "⇅" not in words(confirmed)
    assert {part.text.text: part.role for part in waiting if part.text.text.strip()} == {
        "■": VIEW.tag_sign(TagId("vip")).role,
        "VIP": Role.TEXT,
        " ⇅": Role.PENDING,
        " 09:00": Role.DIM,
    }
    assert waiting[0].ink == VIEW.tag_sign(TagId("vip")).ink != ""


def test_a_row_has_its_roles() -> None:
    line = PLAIN.summary(change(fields={"title": "new"}, base={"title": "old"}), VIEW)
    assert [(part.text.text, part.role) for part in line] == [
        ("old", Role.DIM),
        (" → ", Role.DIM),
        ("new", Role.TEXT),
    ]
    (names,) = PLAIN.summary(change(fields={"title": "a", "x" * 70: 1}), VIEW)
    assert (names.text.text, names.role) == ("Title, " + "x" * 53 + "…", Role.DIM)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("statusCase", "s" * 70, "s" * 60 + "…"),
        ("title", "t" * 300, "t" * 200 + "…"),
        ("dueDate", "not a number", "none"),
        ("assignedAgentIds", {"add": ["noa"], "remove": ["me"]}, "+Noa, -you"),
        ("assignedAgentIds", ["noa", "me"], "Noa, you"),
        ("tagIds", [], "none"),
        ("body", "\n".join("abcdefghij"), "a b c d e f g h … 19 characters in total; the rest isn't shown"),
    ],
)
def test_a_long_or_odd_value_has_its_bounds(name: str, value: object, expected: str) -> None:
    (sentence,) = sentences(change(ChangeState.CONFIRMED, fields={name: value}))
    assert sentence.removesuffix(".").partition(": ")[2].rpartition(": ")[2] == expected


def test_a_field_without_a_name_of_ours_is_called_as_the_platform_does() -> None:
    (sentence,) = sentences(change(ChangeState.CONFIRMED, fields={"n\x1b" + "a" * 50: 1}))
    assert sentence == "N␛" + "a" * 38 + "…, was: none; set to: 1."


class Whole(WholeChangeView):
    """The view of a change with two parts."""

    def parts(self, change: Change, view: Any) -> list[tuple[str, Any]]:
        return [("creates", trusted(str(change.fields["name"]))), ("on", trusted("line 1"))]


def test_a_change_that_is_shown_whole_has_its_parts_and_waits_for_a_decision() -> None:
    view, whole = Whole(), change(fields={"name": "Spring sale"})
    assert sentences_of(view, whole) == ["Creates: Spring sale.", "On: line 1."]
    lines = lines_of(view.facts(whole, VIEW), 20, VIEW, LABEL_CELLS)
    assert [words(line).rstrip() for line in lines] == ["", "creates Spring sale", "on      line 1"]
    shown = [[part.role for part in line if part.text.text][-1] for line in lines[1:]]
    assert shown == [Role.STRONG, Role.STRONG]
    assert view.state_words(whole, NOW) == "waiting for your decision"
    assert view.state_words(change(ChangeState.QUEUED), NOW) == "waiting to send"
    assert (view.drop_effect(whole), view.sends_again) == ("nothing changes on the platform", "resends it")
    assert (PLAIN.sends_again, PLAIN.needs_review(whole), PLAIN.difference_job(whole)) == (
        "resends yours",
        False,
        None,
    )
    reviewed = type("Reviewed", (Whole,), {"needs_review": lambda self, change: True})()
    assert reviewed.state_words(whole, NOW) == "conflict: yours or theirs?"


def sentences_of(view: ChangeView, each: Change) -> list[str]:
    return [sentence.text for sentence in speak(view.facts(each, VIEW), VIEW)]
