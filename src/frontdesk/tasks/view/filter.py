"""A filter of the board as text, with its progress."""

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import RenderContext
from frontdesk.tasks.filter_query import NOBODY, FilterProgress, TaskField, TaskFilter, TaskTerm
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, span

_NAMES = {
    TaskField.LINE: "line",
    TaskField.AGENT: "agent",
    TaskField.CONVERSATION: "conversation",
    TaskField.WORDS: "words",
    TaskField.OVERDUE: "is",
}


def in_words(wanted: TaskFilter, view: RenderContext) -> Line:
    """Describe each term of a filter, then what can't be used."""
    line: list[Span] = []
    for term in wanted.terms:
        kind = f"{'not ' * term.is_not}{_NAMES[term.field]} "
        line += [
            span(view.glyphs.separator, Role.DIM),
            span(kind, Role.DIM),
            span(value_of(term, view), Role.STRONG),
        ]
    for fault in wanted.faults:
        line += [span(view.glyphs.separator, Role.DIM), span(show_line(fault, 160), Role.BAD)]
    return tuple(line[1:])


def value_of(term: TaskTerm, view: RenderContext) -> SafeText:
    match term.field:
        case TaskField.LINE:
            return show_line(view.names.line(term.value), 40)
        case TaskField.AGENT:
            return view.person(AgentId(term.value)) if term.value != NOBODY else show_line("nobody")
        case _:
            return show_line(term.value, 40)


def line_words(wanted: TaskFilter, view: RenderContext) -> Line:
    """Describe the line filter for the header."""
    lines = [term for term in wanted.terms if term.field is TaskField.LINE]
    if not lines:
        return (span("all lines", Role.DIM),)
    words = [f"{'not ' * term.is_not}{value_of(term, view).text}" for term in lines]
    return (span(show_line(", ".join(words), 40), Role.ACCENT),)


def standing(wanted: TaskFilter, stood: FilterProgress | None, count: int) -> tuple[Line, Line]:
    """Describe how many tasks match and whether all were fetched, in a long and a short form."""
    if not any(wanted.scope):
        return _said(f"{count:,} of the tasks known here", f"{count:,} known", Role.DIM)
    if stood is None:
        return _said(f"the platform is asked; {count:,} known so far", f"{count:,} so far", Role.WARN)
    if stood.problem:
        why = show_line(stood.problem, 80).text
        return _said(f"{count:,} known here; the platform refused: {why}", "refused", Role.BAD)
    if not stood.complete:
        return _said(f"the platform is asked for more; {count:,} known so far", f"{count:,} so far", Role.WARN)
    return _said(f"{count:,} task{'s' * (count != 1)}", f"{count:,}", Role.DIM)


def _said(words: str, short: str, role: Role) -> tuple[Line, Line]:
    return (span(words, role),), (span(short, role),)


def why_empty(wanted: TaskFilter, stood: FilterProgress | None, view: RenderContext) -> tuple[Line, ...]:
    """Explain why a column of the board is empty."""
    if not wanted:
        return ((span("no tasks", Role.DIM),),)
    if len(wanted.terms) == 1 and not wanted.terms[0].is_not:
        (term,) = wanted.terms
        kinds = {TaskField.WORDS: "no task with", TaskField.OVERDUE: "no task is"}
        what = kinds.get(term.field) or f"no task of {_NAMES[term.field]}"
        lines = [(span(what, Role.DIM),), (span(value_of(term, view), Role.STRONG), span(" here", Role.DIM))]
    else:
        lines = [(span("no task here that", Role.DIM),), (span("the filter lets through", Role.DIM),)]
    if any(wanted.scope) and not (stood is not None and (stood.complete or stood.problem)):
        lines.append((span("the platform is asked", Role.WARN),))
    return (*lines, (span(f"{view.key('go.back', 'esc')} shows all again", Role.DIM),))
