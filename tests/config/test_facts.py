"""A record's facts, told once, as a screen, the linear mode and the command line show them."""

from collections.abc import Iterator

import pytest

from frontdesk.cli.output import print_facts
from frontdesk.config.facts import GAP, At, Fact, FactForm, heading, lines, text, unexpected
from frontdesk.linear.sentences import speak
from frontdesk_lines.copied_text import Cell, selected_text
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import Role, span
from sample_records import NOW, VIEW, ZONE, at, words


def order() -> Iterator[Fact]:
    yield text(trusted("Order 7"), Role.STRONG, "name")
    yield Fact("paid", False)
    yield Fact("items", 1_234)
    yield Fact("note")
    yield Fact("made", At(at(3, 9, month=2)))
    yield Fact("state", (span("late"), span("  by 2 days", Role.WARN)))
    yield heading("Delivery", trusted("van"))
    yield text("Ring twice.\nThen wait.", label="instructions")
    yield Fact(show_line("box 1"), trusted("2 kg"), Role.DIM, FactForm.ITEM, 2)
    yield GAP
    yield from unexpected([1], "route")


def test_a_screen_lays_them_out() -> None:
    assert [words(line).rstrip() for line in lines(order(), 40, VIEW, 7)] == [
        "Order 7",
        "paid   no",
        "items  1,234",
        "made   Tue 3 Feb 09:00",
        "state  late  by 2 days",
        "",
        "Delivery: van",
        "Ring twice.",
        "Then wait.",
        "  box 1",
        "    2 kg",
        "",
        "route  unexpected format; raw data:",
        "  [",
        "    1",
        "  ]",
    ]


def test_a_narrow_screen_has_values_below_their_labels_and_spans_below_each_other() -> None:
    state = (span("late"), span("  by 2 days", Role.WARN))
    assert [words(line).rstrip() for line in lines([Fact("paid", True)], 15, VIEW, 7)] == ["paid", "yes"]
    drawn = lines([Fact("state", state)], 18, VIEW, 7)
    assert [words(line).rstrip() for line in drawn] == ["state  late", "       by 2 days"]
    assert drawn[1][-1].role is Role.WARN


def test_they_are_read_out_without_long_texts_and_lists() -> None:
    assert [each.text for each in speak(order(), VIEW)] == [
        "Order 7.",
        "Paid: no.",
        "Items: 1,234.",
        "Made: Tuesday 3 February at 09:00.",
        "State: late, by 2 days.",
        "Delivery: van.",
        "Route: unexpected format; raw data:",
    ]


def test_a_text_from_outside_is_read_out_as_it_was_written() -> None:
    was, yours = (Fact(label, (show_line(each),)) for label, each in (("was", "2--4"), ("yours", "2, 4 ▌x")))
    assert [each.text for each in speak([heading("Title"), was, yours], VIEW)] == [
        "Title, was: 2--4; yours: 2, 4 ▌x."
    ]


def test_a_remark_begins_with_a_capital_and_an_id_as_it_is_written() -> None:
    told = text(trusted("ai-01"), label="id"), text(trusted("loaded just now"))
    assert [each.text for each in speak(told, VIEW)] == ["ai-01.", "Loaded just now."]


def test_of_a_record_with_thousands_of_parts_only_the_first_are_made_and_said() -> None:
    made: list[int] = []

    def parts() -> Iterator[Fact]:
        for number in range(10_000):
            made.append(number)
            yield Fact(f"part {number}", trusted("x" * 90))

    said = speak(parts(), VIEW, 1_000)
    assert [said[0].text[:8], said[-1].text] == ["Part 0: ", "There is more."]
    assert len(said) == len(made) == 12


def test_the_command_line_names_all_of_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontdesk.cli.output.local_zone", lambda: ZONE)
    print_facts(order())
    assert capsys.readouterr().out.splitlines() == [
        "name            Order 7",
        "paid            no",
        "items           1234",
        "made            2026-02-03 09:00",
        "state           late  by 2 days",
        "Delivery        van",
        "  instructions  Ring twice.",
        "                Then wait.",
        "  box 1         2 kg",
        "  route         unexpected format; raw data:",
        "                [1]",
    ]


def test_a_moment_far_away_has_its_day_and_time() -> None:
    far = At(at(18, 8, year=2024))
    assert words(*lines([Fact("made", far)], 40, VIEW, 7)).rstrip() == "made   Mon 18 Nov 2024 08:00"
    assert words(*lines([Fact("made", At(NOW - 86_400))], 40, VIEW, 7)).rstrip() == "made   yesterday 14:30"


def test_what_is_copied_of_them_keeps_labels_apart_and_wrapped_values_whole() -> None:
    drawn = lines([Fact("paid", False), Fact("note", trusted("left with the neighbour upstairs"))], 24, VIEW, 7)
    assert [words(line).rstrip() for line in drawn] == [
        "paid   no",
        "note   left with the",
        "       neighbour",
        "       upstairs",
    ]
    assert selected_text(drawn, Cell(0, 0), Cell(24, 3)) == "paid   no\nnote   left with the neighbour upstairs"
