"""The questions of a campaign, and the steps of the wizard as lines; the linear mode asks the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from frontdesk.campaigns.draft import SIZE_UNKNOWN, Draft, FromFile, FromTags, OneCustomer
from frontdesk.campaigns.view.audience import (
    DELIMITERS,
    AudienceProgress,
    column_name,
    counts_summary,
    progress_bar,
    rival_words,
    width_of_list,
)
from frontdesk.campaigns.view.preflight import DraftTestResult
from frontdesk.config.facts import Fact, section
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.questions import Question, table
from frontdesk_lines.display_text import SafeText, show_label, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span
from frontdesk_lists.csv_rows import ENCODINGS
from frontdesk_lists.models import NO_COUNTRY, ColumnMapping

LABEL = 13
REACH = f"{SIZE_UNKNOWN.capitalize()}."

AUDIENCE, LIST, NUMBERS, NAMES, COUNTRIES = "audience", "list", "numbers", "names", "countries"
HEADING, ENCODING, SEPARATOR, SHEET, COUNTRY = "heading", "encoding", "separator", "sheet", "country"
DOUBTFUL = "doubtful"
WORKFLOW, LINE, FOLDER, WHEN = "workflow", "line", "folder", "when"
NAME, DESCRIPTION, CHECK = "name", "description", "check"

COLUMNS = {NUMBERS: "number", NAMES: "name", COUNTRIES: "country"}
"""Steps that choose a column of a list, by the field of `ColumnMapping`."""

LAYOUT = {ENCODING: "encoding", SEPARATOR: "delimiter", SHEET: "sheet"}
"""Steps that say how a list is laid out, by the field of `ListLayout` and of `FromFile`."""

CYCLED = frozenset({*COLUMNS, *LAYOUT, HEADING, DOUBTFUL})
"""Steps with few values, which the left and right arrows go through."""

PARTS = frozenset({LIST, COUNTRY, *CYCLED})
"""Steps about a list in a file."""


def _country_fault(typed: str) -> str:
    is_code = len(typed) == 2 and typed.isascii() and typed.isalpha()
    is_none = typed.casefold() == NO_COUNTRY  # typed, so that enter alone decides nothing
    return "" if is_code or is_none else f"Use two letters, such as IL, US or DE, or {NO_COUNTRY}."


_HINTS = {
    AUDIENCE: "A list in a CSV or Excel file, or the conversations with certain tags.",
    COUNTRY: "For numbers without a calling code: with IL, 052-1234567 becomes +972 52 1234567. None means "
    "that the digits of every number begin with its calling code.",
    LINE: "The line to send from. It must be the line the workflow belongs to.",
    FOLDER: "The id of a campaign folder. The platform doesn't list folders: choose the folder of "
    "another campaign, or copy the id from the platform itself.",
    NAME: "The campaign's name. You type it again to send the campaign.",
    DESCRIPTION: "A note for colleagues; nobody else sees it.",
    CHECK: "Shows who gets what, from which line, when and how fast, the findings, and the exact JSON. "
    "Nothing is sent until you type the campaign's name there.",
}


def _question(key: str, label: str, asked: str = "", empty: str = "", **more: Any) -> Question:
    option = "--at" if key == WHEN else f"--{key}"
    return Question(key, label, asked or label, empty, hint=_HINTS.get(key, ""), option=option, **more)


_COUNTRY = "Country of numbers without a calling code, such as IL, or none"
_AUDIENCE = "Recipients: a .csv or .xlsx file, or tags with commas"

CAMPAIGN = table(
    _question(AUDIENCE, "Audience", _AUDIENCE, "a list in a file, or tags"),
    _question(LIST, "Rows", empty="after you choose the column with numbers"),
    _question(COUNTRY, "Home country", _COUNTRY, example="IL, or none", fault=_country_fault),
    _question(NUMBERS, "Numbers", "Column with phone numbers"),
    _question(NAMES, "Names", "Column with names"),
    _question(COUNTRIES, "Countries"),
    _question(HEADING, "First row"),
    _question(DOUBTFUL, "Doubtful rows"),
    _question(ENCODING, "Encoding"),
    _question(SEPARATOR, "Separated by", "Separator"),
    _question(SHEET, "Sheet"),
    _question(WORKFLOW, "Workflow", "Workflow, by its name or id", "what to run for each recipient"),
    _question(LINE, "Line", "Line to send from", "the line to send from"),
    _question(FOLDER, "Folder", "Folder", "the id of a campaign folder"),
    _question(WHEN, "When", "When: now, or a time such as tomorrow 9am"),
    _question(
        NAME,
        "Name",
        "Name of the campaign",
        "you type it again to send",
        example="Spring sale",
        fault=lambda typed: "" if typed else "A campaign needs a name.",
    ),
    _question(DESCRIPTION, "Description", example="none"),
    _question(CHECK, "Check & send", empty="review everything before sending"),
)
"""In the order in which people decide them."""

_NO_COLUMN = "none"
STATUS_UNKNOWN = "status unknown"
_HEADINGS = {True: "column headings", False: "a recipient"}
_DOUBTFUL = {False: "messaged", True: "skipped"}


class StepState(StrEnum):
    """Whether a wizard step has a valid value."""

    SET = "set"
    OPEN = "open"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class WizardStep:
    """A question of a campaign with its answer, which is that it is open where there is none."""

    key: str
    value: Line = ()
    state: StepState = StepState.SET

    @property
    def label(self) -> str:
        return CAMPAIGN[self.key].label

    @property
    def is_part(self) -> bool:
        return self.key in PARTS


def missing(steps: Iterable[WizardStep]) -> WizardStep | None:
    """Return the first step that needs a decision; None where the whole can be checked."""
    return next((each for each in steps if each.state is not StepState.SET and not _is_pending(each)), None)


def step_line(step: WizardStep, width: int, view: RenderContext) -> Line:
    sign, role = {
        StepState.SET: (view.glyphs.sent, Role.GOOD),
        StepState.OPEN: (view.glyphs.off, Role.DIM),
        StepState.WRONG: (view.glyphs.failed, Role.BAD),
    }[step.state]
    label = f"{'  ' if step.is_part else ''}{step.label}"
    name = span(f"{label:<{LABEL}} ", Role.DIM if step.is_part else Role.STRONG)
    return fit((span(f"{sign} ", role), name, *step.value), width)


def list_values(key: str, progress: AudienceProgress) -> dict[str, SafeText]:
    layout, columns = progress.layout, progress.columns
    if layout is None:
        return {}
    if key in COLUMNS:
        has_header = columns is not None and columns.has_header
        named = {str(index): column_name(layout, index, has_header) for index in range(width_of_list(layout))}
        return named if key == NUMBERS else {_NO_COLUMN: trusted("none"), **named}
    names: dict[str, dict[str, str]] = {
        HEADING: {str(has_header): words for has_header, words in _HEADINGS.items()},
        DOUBTFUL: {str(is_skipped): words for is_skipped, words in _DOUBTFUL.items()},
        ENCODING: {each: each for each in ENCODINGS},
        SEPARATOR: DELIMITERS,
        SHEET: {each: each for each in layout.sheets},
    }
    show = show_line if key == SHEET else show_label
    return {each: show(name, 60) for each, name in names[key].items()}


def list_value(key: str, progress: AudienceProgress) -> str:
    layout, columns = progress.layout, progress.columns
    if key in LAYOUT:
        return "" if layout is None else str(getattr(layout, LAYOUT[key]))
    if layout is None or columns is None:
        return ""
    if key == DOUBTFUL:
        return str(progress.skips_doubtful)
    if key == HEADING:
        return str(columns.has_header)
    column = getattr(columns, COLUMNS[key])
    return _NO_COLUMN if column is None else str(column)


def with_list_value(columns: ColumnMapping | None, key: str, value: str) -> ColumnMapping | None:
    """Return the columns of a list after a step was given this value; None where none holds the numbers yet."""
    if key == HEADING:
        return None if columns is None else replace(columns, has_header=value == "True")
    column = None if value == _NO_COLUMN else int(value)
    if columns is None:
        return ColumnMapping(column, None, None, True) if key == NUMBERS and column is not None else None
    return columns.with_column(COLUMNS[key], column)


def workflow_state(workflow: DocumentRecord, line: SafeText, short_id: str = "") -> SafeText:
    """Whether a workflow is active, and its line; before them its short id, if another has its name."""
    is_active = workflow.raw.get("isActive")
    state = STATUS_UNKNOWN
    if isinstance(is_active, bool):
        state = "active" if is_active else "inactive"
    return trusted(" · ".join(each for each in (show_line(short_id).text, state, line.text) if each))


def when_words(draft: Draft, view: RenderContext) -> str:
    if draft.scheduled_at is None:
        return "now, as soon as you confirm" if not draft.when_words else ""
    at, now = relative_time.local(draft.scheduled_at, view.zone), relative_time.local(view.now, view.zone)
    if at is None or now is None:
        return "at an unknown time"
    return f"{relative_time.moment(at, now)} · {relative_time.distance_words(draft.scheduled_at, view.now)}"


def _is_pending(step: WizardStep) -> bool:
    return step.key == CHECK or (step.key == LIST and step.state is StepState.OPEN)


def steps(
    draft: Draft,
    view: RenderContext,
    listed: AudienceProgress,
    workflow: DocumentRecord | None,
    short_id: str = "",
) -> Iterator[WizardStep]:
    """Yield the steps in the order in which people decide them.

    Args:
        workflow: the chosen one, as the platform lists it.
        short_id: of the chosen workflow, if another has its name.
    """
    yield _audience(draft)
    if isinstance(draft.audience, FromFile):
        yield from _list_steps(draft, draft.audience, listed, view)
    yield _workflow(draft, workflow, short_id)
    yield _text(LINE, view.line(draft.line_id, 100))
    yield _text(FOLDER, show_line(draft.folder_id, 100))
    words, is_past = when_words(draft, view), draft.scheduled_at is not None and draft.scheduled_at <= view.now
    yield _wrong(WHEN, f"{words} · in the past") if is_past else _text(WHEN, trusted(words))
    yield _text(NAME, show_line(draft.name, 100))
    about = Span(show_line(draft.description, 100)) if draft.description else span("none", Role.DIM)
    yield WizardStep(DESCRIPTION, (about,))
    yield _open(CHECK)


def _audience(draft: Draft) -> WizardStep:
    audience = draft.audience
    state = StepState.SET
    value: list[Span]
    if isinstance(audience, FromFile):
        value = [span("list "), Span(show_line(audience.path.rsplit("/", 1)[-1], 80), Role.STRONG)]
    elif isinstance(audience, FromTags):
        names = [part for tag in audience.tags for part in (span(" #", Role.DIM), Span(show_line(tag.title, 40)))]
        state = StepState.SET if audience.tags else StepState.OPEN
        value = [span("conversations tagged"), *names]
    elif isinstance(audience, OneCustomer):
        value = [span("one customer: "), Span(show_line(audience.name or audience.number, 60), Role.STRONG)]
        if audience.name:
            value += [span("  "), Span(show_line(audience.number, 30), Role.DIM)]
    else:
        return _open(AUDIENCE)
    return WizardStep(AUDIENCE, tuple(value), state)


def _list_steps(
    draft: Draft, file: FromFile, listed: AudienceProgress, view: RenderContext
) -> Iterator[WizardStep]:
    yield _list(listed, view)
    yield _country(draft, listed)
    if (layout := listed.layout) is None:
        return
    if (columns := listed.columns) is None:
        yield _wrong(NUMBERS, "choose the column that has them")
    else:
        rivals = rival_words(layout, listed.audience)
        for key, role in COLUMNS.items():
            if role in rivals and role not in file.confirmed:
                words = (Span(show_line(f"{rivals[role]}? Choose one", 200), Role.WARN),)
                yield WizardStep(key, words, StepState.OPEN)
            else:
                yield _text(key, column_name(layout, getattr(columns, role), columns.has_header))
        yield _text(HEADING, trusted(_HEADINGS[columns.has_header]))
    if file.skips_doubtful or (listed.audience is not None and listed.audience.doubtful.count):
        yield _text(DOUBTFUL, trusted(_DOUBTFUL[file.skips_doubtful]))
    if layout.kind == "csv":
        yield _text(ENCODING, trusted(layout.encoding + ("" if file.encoding else ", guessed")))
        separator = DELIMITERS.get(layout.delimiter, layout.delimiter)
        yield _text(SEPARATOR, show_label(separator + ("" if file.delimiter else ", guessed")))
    elif len(layout.sheets) > 1:
        yield _text(SHEET, show_line(layout.sheet, 60))


def _country(draft: Draft, listed: AudienceProgress) -> WizardStep:
    home = None if listed.audience is None else listed.audience.home
    if draft.country_reason:
        suggested = show_label(f"  suggested: {draft.country_reason}", 200)
        value = (Span(show_label(draft.country, 10), Role.STRONG), Span(suggested, Role.WARN))
        return WizardStep(COUNTRY, value, StepState.OPEN)
    if draft.country:
        return _text(COUNTRY, show_label(draft.country, 40))
    is_undecided = listed.audience is not None and listed.audience.undecided > 0
    if (home is not None or is_undecided) and not draft.is_country_chosen:
        example = "" if home is None else f", such as {home.country},"
        words = (span(f"choose one{example} or none", Role.WARN),)
        return WizardStep(COUNTRY, words, StepState.OPEN)
    return _text(COUNTRY, trusted("none: every number needs a calling code"))


def _list(listed: AudienceProgress, view: RenderContext) -> WizardStep:
    if listed.problem:
        return WizardStep(LIST, (Span(listed.problem, Role.BAD),), StepState.WRONG)
    if (audience := listed.audience) is not None:
        state = StepState.SET if audience.recipients else StepState.WRONG
        return WizardStep(LIST, (Span(counts_summary(audience)),), state)
    if listed.is_busy and listed.layout is not None:
        return WizardStep(LIST, progress_bar(listed.rows, listed.share, 40, view.glyphs), StepState.OPEN)
    return _open(LIST, "reading the file" if listed.is_busy else "")


def _workflow(draft: Draft, workflow: DocumentRecord | None, short_id: str) -> WizardStep:
    if not draft.workflow_id:
        return _open(WORKFLOW)
    is_active = None if workflow is None else workflow.raw.get("isActive")
    if workflow is None:
        words, role = "not in the workflow list", Role.WARN
    elif not isinstance(is_active, bool):
        words, role = STATUS_UNKNOWN, Role.WARN
    else:
        words, role = ("active", Role.GOOD) if is_active else ("inactive", Role.BAD)
    identity = [span("  "), span(show_line(short_id, 100), Role.ACCENT)] if short_id else []
    name = Span(show_line(draft.workflow_name or draft.workflow_id, 80))
    value = (name, *identity, span(f"  {words}", role))
    return WizardStep(WORKFLOW, value, StepState.WRONG if is_active is False else StepState.SET)


def _text(key: str, value: SafeText) -> WizardStep:
    return WizardStep(key, (Span(value),)) if value or key in PARTS or key == WHEN else _open(key)


def _open(key: str, words: str = "") -> WizardStep:
    return WizardStep(key, (span(words or CAMPAIGN[key].empty, Role.DIM),), StepState.OPEN)


def _wrong(key: str, words: str) -> WizardStep:
    return WizardStep(key, (span(words, Role.BAD),), StepState.WRONG)


def summary_facts(
    draft: Draft,
    listed: AudienceProgress,
    steps: Iterable[WizardStep],
    short_id: str,
    test: DraftTestResult,
    view: RenderContext,
) -> Iterator[Fact]:
    """Tell the workflow, who gets it, when, what is still missing, and what came of a test.

    Args:
        short_id: of the workflow, if another has its name.
    """
    yield section("Summary", view)
    missing = [each.label for each in steps if each.state is not StepState.SET and each.key not in (CHECK, LIST)]
    yield Fact(
        "Runs", show_line(" ".join(filter(None, (draft.workflow_name or draft.workflow_id, short_id))), 160)
    )
    yield Fact("To", tuple(_people(draft, listed)))
    yield Fact("When", trusted(when_words(draft, view)))
    yield Fact("Missing", trusted(", ".join(missing) or "nothing; check it, then send it"))
    yield Fact("Test", test.words, test.role)


def _people(draft: Draft, listed: AudienceProgress) -> Iterator[SafeText]:
    if isinstance(draft.audience, FromTags):
        yield trusted("everyone with the chosen tags, number unknown")
    if not isinstance(draft.audience, FromFile):
        return
    if listed.audience is None:
        yield trusted("number of recipients unknown until the list is loaded")
        return
    yield counts_summary(listed.audience)
