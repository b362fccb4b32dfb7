"""A task's history as facts of the detail and as sentences."""

from collections.abc import Iterator, Sequence

from frontdesk.config.facts import Fact, text
from frontdesk.config.render_context import AGENT, RenderContext
from frontdesk.outbox.change_view import field_name, stored_value
from frontdesk.outbox.task_fields import FieldKind, field_of
from frontdesk.tasks.history import Source, Transition
from frontdesk.text import relative_time
from frontdesk_lines.display_text import SafeText, cut, show_name, trusted
from frontdesk_lines.lines import Role, Span, span

VALUE_CELLS = 40


def history_facts(transitions: Sequence[Transition], since: float | None, view: RenderContext) -> Iterator[Fact]:
    for each in transitions:
        yield text((span(f"{field_name(each.name).text}: ", Role.DIM), *_values(each, view)))
        yield text(_when_and_who(each, view), Role.DIM, indent=2)
    yield text(coverage(bool(transitions), since, view), Role.DIM)


def sentence(transition: Transition, view: RenderContext) -> SafeText:
    """Say one transition: `Status: Open → Waiting, between 10:02 and 10:07, Marta or someone else`."""
    values = "".join(part.text.text for part in _values(transition, view))
    return trusted(f"{field_name(transition.name).text}: {values}, {_when_and_who(transition, view).text}")


def coverage(has_any: bool, since: float | None, view: RenderContext) -> SafeText:
    if since is None:
        lost = "part of the history was lost with a damaged file"
        return trusted(lost if has_any else f"no changes recorded; {lost}")
    start = view.past_moment(since)
    words = "the history starts at {}" if has_any else "no changes since {}, when the history starts"
    return trusted(words.format(start))


def _values(transition: Transition, view: RenderContext) -> list[Span]:
    if field_of(transition.name).kind is FieldKind.LONG_TEXT:
        return [span("changed")]
    before, after = (
        trusted(cut(stored_value(transition.name, value, view)[0].text, VALUE_CELLS))
        for value in (transition.before, transition.after)
    )
    return [span(before, Role.DIM), span(view.glyphs.becomes, Role.DIM), span(after)]


def _when_and_who(transition: Transition, view: RenderContext) -> SafeText:
    when = relative_time.between(transition.not_before, transition.not_after, view.now, view.zone)
    if transition.source is Source.OWN:
        return trusted(f"{when}, changed here")
    if not transition.by:
        return trusted(when)
    # The platform names the last who changed the task, which may have been another change.
    name = show_name(transition.by, VALUE_CELLS, kind=AGENT, key=transition.by)
    return trusted(f"{when}, {name.text} or someone else")
