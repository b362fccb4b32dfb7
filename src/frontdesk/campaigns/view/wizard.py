"""The steps of the wizard as lines, their values, and the preflight page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from frontdesk.campaigns.audience.csv_rows import ENCODINGS
from frontdesk.campaigns.audience.models import ColumnMapping, ListLayout
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer, shortened
from frontdesk.campaigns.preflight.models import Preflight, PreflightSeverity
from frontdesk.campaigns.view.audience import (
    DELIMITERS,
    AudienceProgress,
    column_name,
    counts_summary,
    progress_bar,
    width_of_list,
)
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, heading, labelled, signed, span, wrapped

LABEL = 13
REACH = "How many that is, the platform's interface doesn't say before it is sent."

AUDIENCE, LIST, NUMBERS, NAMES, COUNTRIES = "audience", "list", "numbers", "names", "countries"
HEADING, ENCODING, SEPARATOR, SHEET, COUNTRY = "heading", "encoding", "separator", "sheet", "country"
WORKFLOW, LINE, FOLDER, WHEN = "workflow", "line", "folder", "when"
NAME, DESCRIPTION, CHECK = "name", "description", "check"

COLUMNS = {NUMBERS: "number", NAMES: "name", COUNTRIES: "country"}
"""Steps that choose a column of a list, by the field of `ColumnMapping`."""

LAYOUT = {ENCODING: "encoding", SEPARATOR: "delimiter", SHEET: "sheet"}
"""Steps that say how a list is laid out, by the field of `ListLayout` and of `FromFile`."""

CYCLED = frozenset({*COLUMNS, *LAYOUT, HEADING})
"""Steps with few values, which the left and right arrows go through."""

_NO_COLUMN = "none"


class StepState(StrEnum):
    SET = "set"
    OPEN = "open"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class WizardStep:
    """One thing to decide, with its value and state."""

    key: str
    label: str
    value: Line
    state: StepState
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class WizardFacts:
    """What is known besides a draft: its list, and the chosen workflow as the platform lists it."""

    listed: AudienceProgress | None = None
    workflow: DocumentRecord | None = None


def steps(draft: Draft, facts: WizardFacts, view: RenderContext) -> tuple[WizardStep, ...]:
    """All steps, in the order in which people decide them."""
    return tuple(_steps(draft, facts, view))


def missing(steps: tuple[WizardStep, ...]) -> WizardStep | None:
    """The first step that needs a decision; None where the whole can be checked, also while a list is read."""
    return next((each for each in steps if each.state is not StepState.SET and not _is_pending(each)), None)


def step_line(step: WizardStep, width: int, view: RenderContext) -> Line:
    """One line: a sign that needs no colour, the label, the value."""
    sign, role = {
        StepState.SET: (view.glyphs.sent, Role.GOOD),
        StepState.OPEN: (view.glyphs.off, Role.DIM),
        StepState.WRONG: (view.glyphs.failed, Role.BAD),
    }[step.state]
    label = f"{'  ' if step.is_part else ''}{step.label}"
    name = span(f"{label:<{LABEL}} ", Role.DIM if step.is_part else Role.STRONG)
    return fit((span(f"{sign} ", role), name, *step.value), width)


def list_values(key: str, progress: AudienceProgress) -> dict[str, SafeText]:
    """The values of a step that says how a list is read, by their ids."""
    layout, columns = progress.layout, progress.columns
    if layout is None:
        return {}
    if key in COLUMNS:
        has_header = columns is not None and columns.has_header
        named = {str(index): column_name(layout, index, has_header) for index in range(width_of_list(layout))}
        return named if key == NUMBERS else {_NO_COLUMN: trusted("none"), **named}
    names: dict[str, dict[str, str]] = {
        HEADING: {"True": "names the columns", "False": "is a recipient"},
        ENCODING: {each: each for each in ENCODINGS},
        SEPARATOR: DELIMITERS,
        SHEET: {each: each for each in layout.sheets},
    }
    return {each: show_line(name, 60) for each, name in names[key].items()}


def list_value(key: str, progress: AudienceProgress) -> str:
    """The id of the value that a step has now; empty where that isn't known yet."""
    layout, columns = progress.layout, progress.columns
    if key in LAYOUT:
        return "" if layout is None else str(getattr(layout, LAYOUT[key]))
    if layout is None or columns is None:
        return ""
    if key == HEADING:
        return str(columns.has_header)
    column = getattr(columns, COLUMNS[key])
    return _NO_COLUMN if column is None else str(column)


def with_list_value(columns: ColumnMapping | None, key: str, value: str) -> ColumnMapping | None:
    """The columns of a list after a step was given this value; None where none holds the numbers yet."""
    if key == HEADING:
        return None if columns is None else replace(columns, has_header=value == "True")
    column = None if value == _NO_COLUMN else int(value)
    if columns is None:
        return ColumnMapping(column, None, None, True) if key == NUMBERS and column is not None else None
    return columns.with_column(COLUMNS[key], column)


def workflow_state(workflow: DocumentRecord, line: str) -> SafeText:
    """Whether a workflow is active, and its line."""
    is_active = workflow.raw.get("isActive")
    state = "active or not: unknown"
    if isinstance(is_active, bool):
        state = "active" if is_active else "inactive"
    return show_line(f"{state} · {line}" if line else state, 60)


def when_words(draft: Draft, view: RenderContext) -> str:
    """When it is sent, in the sender's zone."""
    if draft.scheduled_at is None:
        return "now, as soon as it is confirmed" if not draft.when_words else ""
    at, now = relative_time.local(draft.scheduled_at, view.zone), relative_time.local(view.now, view.zone)
    if at is None or now is None:
        return "at no known time"
    return f"{relative_time.moment(at, now)} · {relative_time.distance_words(draft.scheduled_at, view.now)}"


def _is_pending(step: WizardStep) -> bool:
    return step.key == CHECK or (step.key == LIST and step.state is StepState.OPEN)


def _steps(draft: Draft, facts: WizardFacts, view: RenderContext) -> Iterator[WizardStep]:
    yield _audience(draft)
    if isinstance(draft.audience, FromFile):
        yield from _list_steps(draft, draft.audience, facts.listed or AudienceProgress(), view)
    yield _workflow(draft, facts)
    line = view.names.line(draft.line_id) if draft.line_id else ""
    yield _words(LINE, "Line", line, "which line it is sent from")
    yield _words(FOLDER, "Folder", draft.folder_id, "the id of a campaign folder")
    yield _when(draft, view)
    yield _words(NAME, "Name", draft.name, "typed again to send it")
    about = Span(show_line(draft.description, 100)) if draft.description else span("none", Role.DIM)
    yield WizardStep(DESCRIPTION, "Description", (about,), StepState.SET)
    yield WizardStep(CHECK, "Check, send", (span("all of it, before anything is sent", Role.DIM),), StepState.OPEN)


def _audience(draft: Draft) -> WizardStep:
    audience = draft.audience
    if isinstance(audience, FromFile):
        name = show_line(audience.path.rsplit("/", 1)[-1], 80)
        return WizardStep(AUDIENCE, "Audience", (span("list "), Span(name, Role.STRONG)), StepState.SET)
    if isinstance(audience, FromTags):
        names = [part for tag in audience.tags for part in (span(" #", Role.DIM), Span(show_line(tag.title, 40)))]
        state = StepState.SET if audience.tags else StepState.OPEN
        return WizardStep(AUDIENCE, "Audience", (span("conversations tagged"), *names), state)
    if isinstance(audience, OneCustomer):
        who = (Span(show_line(audience.name or audience.number, 60), Role.STRONG),)
        number = (span("  "), Span(show_line(audience.number, 30), Role.DIM)) if audience.name else ()
        return WizardStep(AUDIENCE, "Audience", (span("one: "), *who, *number), StepState.SET)
    return WizardStep(AUDIENCE, "Audience", (span("a list in a file, or tags", Role.DIM),), StepState.OPEN)


def _list_steps(
    draft: Draft, file: FromFile, listed: AudienceProgress, view: RenderContext
) -> Iterator[WizardStep]:
    yield _list(listed, view)
    country = draft.country or "none: every number says its own"
    yield _part(COUNTRY, "Home country", trusted(country))
    if (layout := listed.layout) is not None:
        columns = listed.columns
        yield _column(NUMBERS, "Numbers", layout, columns, None if columns is None else columns.number)
        if columns is not None:
            yield _column(NAMES, "Names", layout, columns, columns.name)
            yield _column(COUNTRIES, "Countries", layout, columns, columns.country)
            words = "names the columns" if columns.has_header else "is a recipient"
            yield _part(HEADING, "First row", trusted(words))
        if layout.kind == "csv":
            yield _part(ENCODING, "Encoding", trusted(layout.encoding + ("" if file.encoding else ", guessed")))
            separator = DELIMITERS.get(layout.delimiter, layout.delimiter)
            yield _part(SEPARATOR, "Separated by", show_line(separator + ("" if file.delimiter else ", guessed")))
        elif len(layout.sheets) > 1:
            yield _part(SHEET, "Sheet", show_line(layout.sheet, 60))


def _list(listed: AudienceProgress, view: RenderContext) -> WizardStep:
    if listed.problem:
        return WizardStep(LIST, "Read", (Span(listed.problem, Role.BAD),), StepState.WRONG, is_part=True)
    if (audience := listed.audience) is not None:
        state = StepState.SET if audience.recipients else StepState.WRONG
        return WizardStep(LIST, "Read", (Span(counts_summary(audience)),), state, is_part=True)
    if listed.is_busy and listed.layout is not None:
        bar = progress_bar(listed.rows, listed.share, 40, view.glyphs)
        return WizardStep(LIST, "Read", bar, StepState.OPEN, is_part=True)
    words = "looking at the file" if listed.is_busy else "once it is known which column has the numbers"
    return WizardStep(LIST, "Read", (span(words, Role.DIM),), StepState.OPEN, is_part=True)


def _column(key: str, label: str, layout: ListLayout, columns: ColumnMapping | None, at: int | None) -> WizardStep:
    if columns is None:
        words = (span("choose the column that has them", Role.BAD),)
        return WizardStep(key, label, words, StepState.WRONG, is_part=True)
    return _part(key, label, column_name(layout, at, columns.has_header))


def _part(key: str, label: str, value: SafeText) -> WizardStep:
    return WizardStep(key, label, (Span(value),), StepState.SET, is_part=True)


def _workflow(draft: Draft, facts: WizardFacts) -> WizardStep:
    if not draft.workflow_id:
        return WizardStep(WORKFLOW, "Workflow", (span("what they get", Role.DIM),), StepState.OPEN)
    name = Span(show_line(draft.workflow_name or draft.workflow_id, 80))
    if facts.workflow is None:
        return WizardStep(WORKFLOW, "Workflow", (name, span("  not in the list", Role.WARN)), StepState.SET)
    is_active = facts.workflow.raw.get("isActive")
    if not isinstance(is_active, bool):
        return WizardStep(WORKFLOW, "Workflow", (name, span("  active or not: unknown", Role.WARN)), StepState.SET)
    state = span("  active", Role.GOOD) if is_active else span("  inactive", Role.BAD)
    return WizardStep(WORKFLOW, "Workflow", (name, state), StepState.SET if is_active else StepState.WRONG)


def _when(draft: Draft, view: RenderContext) -> WizardStep:
    if draft.scheduled_at is not None and draft.scheduled_at <= view.now:
        words = (span(f"{when_words(draft, view)}: past", Role.BAD),)
        return WizardStep(WHEN, "When", words, StepState.WRONG)
    return WizardStep(WHEN, "When", (span(when_words(draft, view)),), StepState.SET)


def _words(key: str, label: str, value: str, wanted: str) -> WizardStep:
    if not value:
        return WizardStep(key, label, (span(wanted, Role.DIM),), StepState.OPEN)
    return WizardStep(key, label, (Span(show_line(value, 100)),), StepState.SET)


ONE = "This is a campaign with one recipient."
"""The interface has no message to send: what runs a workflow for one customer is this."""

WHOLE_RECIPIENTS = 1_900
"""Of a list, so many can be read here; it may be megabytes."""
WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000

_MINUTE, _HOUR = 60, 3600


def preflight_lines(draft: Draft, found: Preflight, width: int, view: RenderContext) -> tuple[Line, ...]:
    """The preflight as lines; the findings come before the JSON."""
    return tuple(_lines(draft, found, max(1, width), view))


def whole_body(found: Preflight) -> tuple[SafeText, ...]:
    """The JSON with every recipient; of a long list, as many as can be read."""
    return body_lines(shortened(found.body, WHOLE_RECIPIENTS), WHOLE_LETTERS, WHOLE_LINES)


def lasting(seconds: float) -> str:
    """A duration to about two digits: `under a second`, `40 s`, `3 min`, `1 h 20 min`."""
    if seconds < 1:
        return "under a second"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * _MINUTE:
        return f"{seconds / _MINUTE:.0f} min"
    hours, rest = divmod(round(seconds / _MINUTE), _MINUTE)
    return f"{hours:,} h" if hours > 9 or not rest else f"{hours} h {rest} min"


def takes(found: Preflight) -> str:
    """How long it would take, and why that is assumed."""
    if found.duration is None:
        return "nobody knows how long: how many it reaches isn't known"
    best, worst = (lasting(each) for each in found.duration)
    length = best if best == worst else f"{best} to {worst}"
    slow, fast = (f"{each:.0f}" if each >= 1 else f"{each:.1f}" for each in found.pace)
    pace = f"{fast} a second" if slow == fast else f"{slow} to {fast} a second"
    why = "assumed: this line's pace was never seen here" if found.is_pace_assumed else "as this line did before"
    return f"{length}, at {pace}, {why}"


def _lines(draft: Draft, found: Preflight, width: int, view: RenderContext) -> Iterator[Line]:
    if isinstance(draft.audience, OneCustomer):
        yield from wrapped(trusted(ONE), width, Role.STRONG)
        yield EMPTY
    for label, words in _facts(draft, found, view):
        yield from labelled(label, words, width)
    yield EMPTY
    yield from _findings(found, width, view)
    yield EMPTY
    yield heading("What is sent", width, view.glyphs)
    for line in body_lines(shortened(found.body)):
        yield from wrapped(line, width, Role.DIM)


def _facts(draft: Draft, found: Preflight, view: RenderContext) -> Iterator[tuple[str, SafeText]]:
    yield "To", found.who
    yield "Gets", show_line(f'the workflow "{draft.workflow_name or draft.workflow_id}"')
    yield "From", show_line(f'the line "{view.names.line(draft.line_id)}"' if draft.line_id else "no line yet")
    for place, at in enumerate(found.at):
        yield "When" if not place else "", at
    yield "Takes", trusted(takes(found))
    yield "Id", show_line(draft.campaign_id)


def _findings(found: Preflight, width: int, view: RenderContext) -> Iterator[Line]:
    looks = {
        PreflightSeverity.ERROR: (view.glyphs.failed, Role.BAD),
        PreflightSeverity.WARNING: (view.glyphs.warning, Role.WARN),
        PreflightSeverity.NOTE: (view.glyphs.separator.strip(), Role.DIM),
    }
    counts = [sum(each.severity is severity for each in found.findings) for severity in PreflightSeverity]
    names = ("error", "warning", "note")
    counted = [f"{count} {name}{'s' * (count != 1)}" for count, name in zip(counts, names, strict=True) if count]
    yield heading("Found: " + ", ".join(counted) if counted else "Nothing speaks against it", width, view.glyphs)
    for each in found.findings:
        sign, role = looks[each.severity]
        yield from signed(sign, sentence(each.words), width, role)


def sentence(words: SafeText) -> SafeText:
    """A finding's words with a capital letter."""
    return SafeText(words.text[:1].upper() + words.text[1:], words.was_sanitized)
