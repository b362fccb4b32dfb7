"""Changes and invalid items as rows and facts of Activity."""

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.change_view import ChangeView, state_role
from frontdesk.storage.records import NEEDS_PERSON, Change, InvalidItem
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, labelled, paragraph, span, width_of

HEIGHT = 2
"""Lines of a row."""


def row(
    change: Change, change_view: ChangeView, target: SafeText, width: int, view: RenderContext
) -> tuple[Line, Line]:
    """Draw a change and its target, and below it its state."""
    state = span(change_view.state_words(change, view.now), state_role(change))
    summary = change_view.summary(change, view)
    top = fit(
        [
            span(show_line(change.label, 120), Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            span(target),
            *([span(view.glyphs.separator, Role.DIM), *summary] if summary else []),
        ],
        width,
        [span(relative_time.stamp(change.made_at, view.now, view.zone), Role.DIM)],
    )
    below = [span("  "), state]
    if change.reason:
        below += [span(view.glyphs.separator, Role.DIM), span(show_line(change.reason), Role.DIM)]
    hint: list[Span] = []
    if change.state in NEEDS_PERSON:
        again, drop = _retry_words(change, change_view, view), view.key("change.drop", "x")
        hint = [span(f"{again}{view.glyphs.separator}{drop} discards it", Role.DIM)]
    # Why it failed comes before the keys, which the status line and the detail say too.
    return top, fit(below, width, hint if width_of((*below, *hint)) < width else [])


def facts(
    change: Change,
    change_view: ChangeView,
    target: SafeText,
    width: int,
    view: RenderContext,
    differences: SafeText = NOTHING,
) -> tuple[Line, ...]:
    """Draw all facts of a change: state and reason, and each field before, theirs and yours.

    `differences` is the result of the view's `difference_job`.
    """
    day = relative_time.day(change.made_at, view.now, view.zone)
    made = f"{day} {relative_time.clock(change.made_at, view.zone)}"
    lines = [
        *paragraph(show_line(change.label, 120), width, Role.STRONG),
        *paragraph(target, width),
        fit([span(made, Role.DIM)], width),
        EMPTY,
        *paragraph(trusted(change_view.state_words(change, view.now)), width, state_role(change)),
        *(paragraph(show_line(change.reason), width, Role.DIM) if change.reason else ()),
        *change_view.lines(change, width, view),
        *(labelled("Changes", differences, max(1, width)) if differences else ()),
    ]
    if change.state in NEEDS_PERSON:
        lines += [
            EMPTY,
            *paragraph(trusted(_retry_words(change, change_view, view)), width),
            *paragraph(
                trusted(f"{view.key('change.drop', 'x')} discards it: {change_view.drop_effect(change)}"), width
            ),
        ]
    return tuple(lines)


def _retry_words(change: Change, change_view: ChangeView, view: RenderContext) -> str:
    if change_view.needs_review(change):
        return "enter compares theirs with yours"
    return f"{view.key('change.retry', 'r')} {change_view.sends_again}"


def invalid_item_row(record: InvalidItem, width: int, view: RenderContext) -> tuple[Line, Line]:
    """Draw an invalid item, and below it the reason."""
    top = fit(
        [
            span("Unreadable: ", Role.WARN),
            span(show_line(record.kind, 20), Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            span(show_line(record.place, 80)),
        ],
        width,
        [span(relative_time.stamp(record.at, view.now, view.zone), Role.DIM)],
    )
    return top, fit(
        [span("  "), span(show_line(record.reason), Role.DIM)],
        width,
        [span(f"{view.key('record.raw', 'i')} shows it", Role.DIM)],
    )


def invalid_item_lines(record: InvalidItem, width: int) -> tuple[Line, ...]:
    """Draw all facts of an invalid item."""
    return (
        *paragraph(show_line(record.kind, 20), width, Role.STRONG),
        *paragraph(show_line(record.place, 200), width),
        EMPTY,
        *paragraph(trusted("The platform sent this, but it couldn't be read. The rest was loaded."), width),
        EMPTY,
        *paragraph(show_line(record.reason), width, Role.WARN),
        EMPTY,
        *paragraph(show_line(record.raw, 600), width, Role.DIM),
    )
