"""Two analytics of a workflow beside each other."""

import copy

from hypothesis import given

from examples import few
from flows.checks.any_document import broken_documents
from flows.checks.sample_workflows import Json, node, sub, workflow
from frontdesk.workflows.share_comparison import ShareChange, ShareMeasure, compare
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.glyphs import UNICODE
from sample_records import assert_harmless, words


def counted(started: int, yes: int, *more: str) -> Json:
    """A question with two answers, and those of `more`."""
    made = workflow(node("ask", "if", None, *(sub(each, "end") for each in ("yes", "no", *more))), node("end"))
    return made | {
        "analytics": {
            "totalStarted": started,
            "totalCompleted": yes,
            "totalDropped": started - yes,
            "nodeStats": {
                "ask": {"enteredCount": started, "completedCount": yes, "exitedCount": started - yes},
                "end": {"enteredCount": yes, "completedCount": yes, "exitedCount": 0},
            },
            "buttonStats": {"yes": {"clickCount": yes}, "no": {"clickCount": 0}},
        }
    }


def lines_of(before: Json, after: Json) -> list[str]:
    """What is said of both, the columns apart by one blank."""
    lines = comparison_lines(compare(before, after), 60, UNICODE)
    assert all(cell_width(words(line)) == 60 for line in lines if line)
    return [" ".join(words(line).split()) for line in lines]


def told(change: ShareChange) -> tuple[str, str, float | None]:
    of = (change.exit or change.node).id if change.exit or change.node else ""  # type: ignore[union-attr]
    return str(change.measure), of, None if change.points is None else round(change.points, 6)


def test_shares_differ_and_counts_do_not_count() -> None:
    found = compare(counted(100, 50), counted(1000, 600))
    assert [told(each) for each in found.totals] == [("completed", "", 0.1), ("dropped", "", -0.1)]
    assert [told(each) for each in found.changes] == [
        ("dropped here", "ask", -0.1),
        ("taken", "yes", 0.1),
        ("reached", "end", 0.1),
    ]
    assert found.same == 3
    assert compare(counted(100, 50), counted(1000, 500)).changes == ()


def test_what_only_one_of_the_graphs_has_is_new_or_gone() -> None:
    after = counted(40, 20, "maybe")
    after["analytics"]["buttonStats"]["maybe"] = {"clickCount": 4}
    found = compare(counted(100, 50), after)
    assert [(each.measure, each.before, each.after) for each in found.changes] == [
        (ShareMeasure.TAKEN, None, (4, 40))
    ]
    assert "The ask → Take maybe 10% new" in lines_of(counted(100, 50), after)
    assert "The ask → Take maybe 10% gone" in lines_of(after, counted(100, 50))


def test_shares_of_few_say_so_and_nothing_is_compared_with_nothing() -> None:
    lines = lines_of(counted(100, 50), counted(10, 6))
    assert "completed 50% 60% ~+10.0" in lines
    assert "~ fewer than 30 customers; may be due to chance." in lines
    without = counted(1, 1)
    del without["analytics"]
    lines = lines_of(without, counted(10, 6))
    assert "before not on this plan" in lines
    assert "Nothing to compare." in lines


def test_after_a_reset_with_nobody_since_nothing_is_called_the_same() -> None:
    zero = counted(0, 0)
    assert compare(counted(100, 50), zero).same == 0
    lines = lines_of(counted(100, 50), zero)
    assert "Nothing counted since then, so there are no shares to" in lines
    assert not any("same" in line for line in lines)
    # Who was within it goes on: their steps are counted although nobody started since.
    zero["analytics"]["nodeStats"]["ask"] = {"enteredCount": 5, "completedCount": 5, "exitedCount": 0}
    assert not any("Nothing was counted" in line for line in lines_of(counted(100, 50), zero))


@few
@given(before=broken_documents(), after=broken_documents())
def test_any_two_documents_can_be_compared(before: Json, after: Json) -> None:
    found = compare(before, after)
    assert_harmless(comparison_lines(found, 60, UNICODE))
    assert compare(before, copy.deepcopy(before)).changes == ()
