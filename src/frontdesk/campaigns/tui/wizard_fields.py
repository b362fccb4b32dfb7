"""DraftForm: the draft of a campaign, and the dialogs in which it is decided step by step.

Held by `CampaignWizard`. A list of recipients is read in the background (`AudienceLoader`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen

from frontdesk.api.contract.ids import FolderId, LineId, TagId, WorkflowId
from frontdesk.campaigns.audience import ColumnMapping
from frontdesk.campaigns.audience.csv_rows import ENCODINGS
from frontdesk.campaigns.audience.models import iso_code
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer, named, new_draft
from frontdesk.campaigns.preflight.checks import preflight
from frontdesk.campaigns.preflight.models import Facts, Preflight, PreflightSeverity
from frontdesk.campaigns.tui.audience_loader import AudienceLoader, ListFile
from frontdesk.campaigns.view import wizard as steps
from frontdesk.campaigns.view.audience import DELIMITERS, AudienceProgress, column_name, problems, width_of_list
from frontdesk.outbox.commands import USED_TAG
from frontdesk.storage import json_access
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.tui.content import for_field, notify
from frontdesk.tui.context import AppContext

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.due import DuePreview
    from frontdesk.tui.dialogs.picker import NamedChoice

KINDS = (".csv", ".txt", ".tsv", ".xlsx", ".xlsm")
"""Ends of names of the files that hold lists."""

_BY_FILE, _BY_TAGS = "file", "tags"
_NONE = "none"


class DraftForm:
    """The draft of a campaign and the dialogs that ask for its fields.

    Attributes:
        draft: what was decided so far.
        loader: reads the list of recipients in its file.
        is_changed: something was decided since the form was opened.
        is_sent: it was given to the outbox; nothing of it changes any more.
    """

    def __init__(
        self,
        screen: Screen[Any],
        app_context: AppContext,
        draft: Draft,
        changed: Callable[[], None],
        go_to: Callable[[str], None],
    ) -> None:
        """A form whose dialogs open over `screen`.

        Args:
            changed: is called when the draft or what is known of its list differs.
            go_to: goes to a step; to the first that is missing where the step is empty.
        """
        self._screen, self._app_context = screen, app_context
        self._changed, self._go_to = changed, go_to
        self.draft = draft
        self.loader = AudienceLoader(lambda: self._app, changed)
        self.is_changed = self.is_sent = False
        self._workflows = self._listed_workflows()

    @property
    def _app(self) -> App[Any]:
        return self._screen.app

    @property
    def so_far(self) -> AudienceProgress:
        """What is known of the list in its file."""
        return self.loader.so_far

    @property
    def workflow(self) -> DocumentRecord | None:
        """The chosen one, where it is listed."""
        return self._workflows.get(self.draft.workflow_id)

    @property
    def workflows(self) -> Sequence[DocumentRecord]:
        """Those that are listed now."""
        self._workflows = self._listed_workflows()
        return tuple(self._workflows.values())

    def change(self, draft: Draft) -> None:
        """Take a decision: shown, and kept, at once."""
        if draft != self.draft and not self.is_sent:
            self.draft, self.is_changed = draft, True
            self._app_context.services.keep_draft(draft)
            self._changed()

    def start_over(self) -> None:
        """Throw what was decided away."""
        if self.is_sent:
            return
        before = self.draft
        self._app_context.services.forget_draft(before.draft_id)
        self.loader.stop()
        is_one = isinstance(before.audience, OneCustomer)
        fresh = new_draft(self._now(), SystemRandom(), before.audience if is_one else None)
        self.draft, self.is_changed = replace(fresh, line_id=before.line_id) if is_one else fresh, True
        self._changed()
        self._go_to("")

    def read_list(self, file: FromFile) -> None:
        """Look at the file and read it as the draft says."""
        self.loader.begin(
            ListFile(
                file.path,
                file.sheet or None,
                file.encoding or None,
                file.delimiter or None,
                self.draft.country or None,
            ),
            file.columns,
        )

    def choose_file(self, path: str) -> None:
        """Take the recipients from a file."""
        file = FromFile(path)
        self.change(replace(self.draft, audience=file))
        self.read_list(file)
        self._go_to(steps.LIST)

    def _listed_workflows(self) -> dict[str, DocumentRecord]:
        return {each.document_id: each for each in self._app_context.services.queries.workflows()}

    def ask(self, key: str) -> None:
        """Open the dialog of a step."""
        ask: dict[str, Callable[[], None]] = {
            steps.AUDIENCE: self._ask_audience,
            steps.LIST: self._show_problems,
            steps.HEADING: lambda: self.turn(steps.HEADING, 1),
            steps.COUNTRY: self._ask_country,
            steps.WORKFLOW: self._ask_workflow,
            steps.LINE: self._ask_line,
            steps.FOLDER: self._ask_folder,
            steps.WHEN: self._ask_when,
            steps.NAME: self._ask_name,
            steps.DESCRIPTION: self._ask_description,
        }
        (ask.get(key) or (lambda: self._ask_value(key)))()

    def turn(self, key: str, by: int) -> None:
        """Take the next value of a step that has few."""
        values = self._values(key)
        if values:
            at = next((place for place, each in enumerate(values) if each.id == self._value(key)), -by)
            self._take_value(key, values[(at + by) % len(values)].id)

    def no_workflow_words(self) -> Iterable[SafeText]:
        """What to do where the chosen workflow, or any, isn't known."""
        if not self.workflows:
            if self._app_context.services.queries.workflow_list().read_at is None:
                yield trusted("The workflows aren't loaded yet; they are being read. Try again in a moment.")
            else:
                yield trusted("The account has no workflows.")
            shows, again = self._app_context.key("go.workflows"), self._app_context.key("view.refresh_all")
            yield trusted(f"Workflows ({shows}) shows them; {again} there reads again.")
        elif self.draft.workflow_id:
            yield show_line(f"{self.draft.workflow_id}: not among the workflows that are listed.")
        else:
            yield trusted("What they get: a workflow that runs for each of them.")

    def when_lines(self) -> Iterable[SafeText]:
        """The time as it was written, and as it is for the sender and for those who get it."""
        if self.draft.when_words:
            yield show_line(f'"{self.draft.when_words}"', 120)
        found = self._timed(self.draft)
        yield from found.at
        yield from (each.words for each in found.findings if each.field == "scheduled_at")

    def audience_words(self) -> Iterable[SafeText]:
        """Whom it is for, where that is no list."""
        if isinstance(self.draft.audience, FromTags):
            yield trusted("Every conversation that carries one of these tags.")
            yield trusted(steps.REACH)
        else:
            yield trusted("One customer. It is a campaign all the same, and counted as one.")

    def _open(self, dialog: Any, take: Callable[[Any], None]) -> None:
        from frontdesk.tui.dialogs.base import Answered

        self._app.push_screen(dialog, lambda answer: take(answer.value) if isinstance(answer, Answered) else None)

    def _ask_audience(self) -> None:
        if isinstance(self.draft.audience, OneCustomer):
            notify(self._app, trusted("It is for this customer; a campaign for others is made on Campaigns."))
            return
        from frontdesk.tui.dialogs.picker import ChoiceDialog, NamedChoice

        choices = [
            NamedChoice(_BY_FILE, trusted("A list in a file"), trusted("CSV or Excel")),
            NamedChoice(_BY_TAGS, trusted("Conversations with tags"), trusted("how many is not known")),
        ]
        ask = {_BY_FILE: self._ask_file, _BY_TAGS: self._ask_tags}
        self._open(ChoiceDialog(trusted("Audience"), choices, placeholder="Who gets it"), lambda kind: ask[kind]())

    def _ask_file(self) -> None:
        from frontdesk.tui.dialogs.file import FileDialog

        audience = self.draft.audience
        folder = Path(audience.path).parent if isinstance(audience, FromFile) else None
        self._open(FileDialog(trusted("A list of recipients"), folder, KINDS), self.choose_file)

    def _ask_tags(self) -> None:
        from frontdesk.campaigns.tui.audience_tags_dialog import AudienceTagsDialog
        from frontdesk.tui.dialogs.multi_select import draft_of
        from frontdesk.tui.dialogs.tags import TagChoice

        services, audience = self._app_context.services, self.draft.audience
        chosen = [tag.id for tag in audience.tags] if isinstance(audience, FromTags) else []
        used = [TagId(each) for each in reversed(services.queries.all_kept(USED_TAG))]
        tags = [
            TagChoice(tag.id, show_line(tag.title, 60), show_line(tag.color, 40))
            for tag in services.catalogue.tags(chosen, used)
        ]
        dialog = AudienceTagsDialog(trusted("Audience"), tags, draft=draft_of("", dict.fromkeys(chosen, True)))
        self._open(dialog, self._take_tags)

    def _take_tags(self, chosen: Iterable[str]) -> None:
        tags = tuple(self._app_context.services.catalogue.tag(TagId(each)) for each in sorted(chosen))
        self.loader.stop()
        self.change(replace(self.draft, audience=FromTags(tags)))
        self._go_to("")

    def _show_problems(self) -> None:
        from frontdesk.tui.dialogs.record import RecordDialog

        audience = self.so_far.audience
        lines = () if audience is None else problems(audience)
        if lines:
            self._app.push_screen(RecordDialog(trusted("Rows to know of"), lines))
        elif audience is not None:
            notify(self._app, trusted("Every row can be used."))
        elif isinstance(file := self.draft.audience, FromFile) and not self.so_far.is_busy:
            self.read_list(file)

    def _ask_value(self, key: str) -> None:
        from frontdesk.tui.dialogs.picker import ChoiceDialog

        values = self._values(key)
        if values:
            title = {steps.NUMBERS: "Which column has the numbers", steps.NAMES: "Which column has the names"}
            dialog = ChoiceDialog(
                trusted(title.get(key, key.capitalize())),
                values,
                placeholder="Type to find it",
                at=self._value(key),
            )
            self._open(dialog, lambda chosen: self._take_value(key, chosen))

    def _values(self, key: str) -> "list[NamedChoice]":
        """What a step that has few values can be, each by an id."""
        from frontdesk.tui.dialogs.picker import NamedChoice

        layout = self.so_far.layout
        if layout is None:
            return []
        if key in (steps.NUMBERS, steps.NAMES, steps.COUNTRIES):
            columns = self.so_far.columns
            has_header = columns is not None and columns.has_header
            found = [
                NamedChoice(str(at), column_name(layout, at, has_header)) for at in range(width_of_list(layout))
            ]
            return found if key == steps.NUMBERS else [NamedChoice(_NONE, trusted("none")), *found]
        words: dict[str, list[tuple[str, str]]] = {
            steps.HEADING: [("True", "names the columns"), ("False", "is a recipient")],
            steps.ENCODING: [(each, each) for each in ENCODINGS],
            steps.SEPARATOR: [*DELIMITERS.items()],
            steps.SHEET: [(each, each) for each in layout.sheets],
        }
        return [NamedChoice(each, show_line(name, 60)) for each, name in words.get(key, [])]

    def _value(self, key: str) -> str:
        layout, columns = self.so_far.layout, self.so_far.columns
        if layout is None:
            return ""
        if key in (steps.ENCODING, steps.SEPARATOR, steps.SHEET):
            return {steps.ENCODING: layout.encoding, steps.SEPARATOR: layout.delimiter, steps.SHEET: layout.sheet}[
                key
            ]
        if columns is None:
            return ""
        at = {steps.NUMBERS: columns.number, steps.NAMES: columns.name, steps.COUNTRIES: columns.country}.get(key)
        return str(columns.has_header) if key == steps.HEADING else _NONE if at is None else str(at)

    def _take_value(self, key: str, value: str) -> None:
        file = self.draft.audience
        if not isinstance(file, FromFile):
            return
        if key in (steps.ENCODING, steps.SEPARATOR, steps.SHEET):
            name = {steps.ENCODING: "encoding", steps.SEPARATOR: "delimiter", steps.SHEET: "sheet"}[key]
            # Another sheet or separator has other columns: they are guessed anew.
            kept = file.columns if key == steps.ENCODING else None
            file = replace(file, columns=kept, **{name: value})
            self.change(replace(self.draft, audience=file))
            self.read_list(file)
            return
        columns = _with_column(self.so_far.columns, key, value)
        if columns is not None:
            self.change(replace(self.draft, audience=replace(file, columns=columns)))
            self.loader.read(columns)

    def _ask_country(self) -> None:
        from frontdesk.tui.dialogs.prompt import PromptDialog

        dialog = PromptDialog(
            trusted("Home country"),
            says=trusted("Its two letters, or nothing. Numbers without a calling code are read as its own."),
            placeholder="IL",
            fault=lambda typed: None if _is_country(typed) else trusted("Two letters, as IL, US or DE."),
            draft=self.draft.country,
        )
        self._open(dialog, self._take_country)

    def _take_country(self, typed: str) -> None:
        self.change(replace(self.draft, country=iso_code(typed)))
        if isinstance(file := self.draft.audience, FromFile):
            self.read_list(file)

    def _ask_workflow(self) -> None:
        from frontdesk.tui.dialogs.picker import ChoiceDialog, NamedChoice

        listed = self.workflows
        if not listed:
            words = " ".join(each.text for each in self.no_workflow_words())
            notify(self._app, trusted(words), severity="warning")
            return
        choices = [
            NamedChoice(each.document_id, show_line(each.name or each.document_id, 80), self._state_of(each))
            for each in sorted(listed, key=lambda each: each.raw.get("isActive") is not True)
        ]
        dialog = ChoiceDialog(trusted("Workflow"), choices, placeholder="Type a name", at=self.draft.workflow_id)
        self._open(dialog, self._take_workflow)

    def _state_of(self, workflow: DocumentRecord) -> SafeText:
        line = self._app_context.services.catalogue.line(_line_of(workflow))
        is_active = workflow.raw.get("isActive")
        state = "active or not: unknown"
        if isinstance(is_active, bool):
            state = "active" if is_active else "inactive"
        return show_line(f"{state} · {line}" if line else state, 60)

    def _take_workflow(self, workflow_id: str) -> None:
        record = next((each for each in self.workflows if each.document_id == workflow_id), None)
        if record is None:
            return
        name = record.name or workflow_id
        draft = replace(self.draft, workflow_id=WorkflowId(workflow_id), workflow_name=name)
        if not draft.line_id and (line := _line_of(record)):
            draft = replace(draft, line_id=LineId(line))
        if isinstance(draft.audience, OneCustomer) and not draft.name:
            who = draft.audience.name
            # It is typed to send it: a name in letters that a keyboard may not have is no help.
            draft = named(draft, f"{name}: {who if who and who.isascii() else draft.audience.number}"[:100])
        self.change(draft)
        self._go_to("")

    def _ask_line(self) -> None:
        services = self._app_context.services
        known = dict.fromkeys([*services.catalogue.lines, *services.queries.lines_seen()])
        if self.workflow is not None and (line := _line_of(self.workflow)):
            known[LineId(line)] = None
        choices = [(each, show_line(services.catalogue.line(each), 60)) for each in known]
        self._ask_id("Line", choices, "The line's name, or its id", self.draft.line_id, self._take_line)

    def _take_line(self, line: str) -> None:
        self.change(replace(self.draft, line_id=LineId(line)))
        self._go_to("")

    def _ask_folder(self) -> None:
        seen = dict.fromkeys(
            json_access.text(each.raw.get("folderId")) for each in self._app_context.services.queries.campaigns()
        )
        choices = [(each, show_line(each, 60)) for each in seen if each]
        self._ask_id("Folder", choices, "A campaign folder's id", self.draft.folder_id, self._take_folder)

    def _take_folder(self, folder: str) -> None:
        self.change(replace(self.draft, folder_id=FolderId(folder)))
        self._go_to("")

    def _ask_id(
        self, title: str, known: Iterable[tuple[str, SafeText]], asks: str, now: str, take: Callable[[str], None]
    ) -> None:
        from frontdesk.tui.dialogs.pick_or_type import PickOrTypeDialog
        from frontdesk.tui.dialogs.picker import NamedChoice

        choices = [
            NamedChoice(each, name, NOTHING if name.text == each else show_line(each, 40)) for each, name in known
        ]
        says = show_line(f"Now: {now}", 100) if now else NOTHING
        self._open(PickOrTypeDialog(trusted(title), choices, says=says, placeholder=asks, at=now), take)

    def _ask_name(self) -> None:
        from frontdesk.tui.dialogs.prompt import PromptDialog

        dialog = PromptDialog(
            trusted("Name"),
            says=trusted("Typed once more before it is sent."),
            placeholder="Spring sale",
            fault=lambda typed: None if typed else trusted("A campaign needs a name."),
            draft=for_field(self.draft.name, lines=False),
        )
        self._open(dialog, self._take_name)

    def _take_name(self, typed: str) -> None:
        self.change(named(self.draft, typed))
        self._go_to("")

    def _ask_description(self) -> None:
        from frontdesk.tui.dialogs.prompt import PromptDialog

        dialog = PromptDialog(
            trusted("Description"), draft=for_field(self.draft.description, lines=False), placeholder="none"
        )
        self._open(dialog, lambda typed: self.change(replace(self.draft, description=typed)))

    def _ask_when(self) -> None:
        from frontdesk.text.due_presets import due_presets
        from frontdesk.tui.dialogs.due import DueDialog, DuePreset

        now = self._now()
        presets = [
            DuePreset(
                each.digit,
                trusted(each.label if each.at else "now"),
                trusted(relative_time.moment(each.at, now) if each.at else "as soon as it is confirmed"),
                ("", None) if each.at is None else (each.label, each.at.timestamp()),
                is_past=each.at is not None and each.at < now,
            )
            for each in due_presets(now)
        ]
        current = trusted(steps.when_words(self.draft, self._app_context.view()))
        dialog = DueDialog(
            trusted("When"), presets, self._preview, current=current, zero="is now", draft=self.draft.when_words
        )
        dialog.add_class("-roomy")  # beside the time there is what it is where the recipients are
        self._open(dialog, self._take_when)

    def _take_when(self, chosen: tuple[str, float | None]) -> None:
        words, at = chosen
        self.change(replace(self.draft, when_words=words, scheduled_at=at))
        self._go_to("")

    def _preview(self, words: str) -> "DuePreview":
        """What words mean, here and where the recipients are; on a thread of the dialog's."""
        from frontdesk.campaigns.commands import parse_when
        from frontdesk.text.due_parser import DueNotUnderstood
        from frontdesk.tui.dialogs.due import DuePreview

        try:
            when = parse_when(words, self._now())
        except DueNotUnderstood as error:
            why, _, examples = str(error).partition("; ")
            return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
        if when.at is None:
            return DuePreview(trusted("now, as soon as it is confirmed"), ok=True, value=("", None))
        draft = replace(self.draft, when_words=words, scheduled_at=when.at)
        found = self._timed(draft)
        about = [each for each in found.findings if each.field == "scheduled_at"]
        errors = [each.words for each in about if each.severity is PreflightSeverity.ERROR]
        if errors:
            return DuePreview(errors[0], ok=False)
        aside = [*(each.words.text for each in about), when.note, *(each.text for each in found.at[1:])]
        warning = trusted(next((each for each in aside if each), ""))
        shown = trusted(steps.when_words(draft, self._app_context.view()))
        return DuePreview(shown, ok=True, value=(words, when.at), warning=warning)

    def _timed(self, draft: Draft) -> Preflight:
        """What there is to say of its time; of a list's places as soon as it was read."""
        draft = replace(draft, audience=draft.audience if isinstance(draft.audience, FromFile) else None)
        return preflight(draft, Facts(self._now(), audience=self.so_far.summary), body={})

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)


def _with_column(columns: ColumnMapping | None, key: str, value: str) -> ColumnMapping | None:
    """The columns with another one in a place; one that is taken for something else isn't that any more."""
    if key == steps.HEADING:
        return None if columns is None else replace(columns, has_header=value == "True")
    at = None if value == _NONE else int(value)
    if key == steps.NUMBERS and at is not None:
        columns = ColumnMapping(at, None, None, True) if columns is None else replace(columns, number=at)
    elif columns is not None and at != columns.number:
        columns = replace(columns, name=at) if key == steps.NAMES else replace(columns, country=at)
    if columns is None:
        return None
    name, country = (None if each == columns.number else each for each in (columns.name, columns.country))
    if name is not None and name == country:
        name, country = (name, None) if key == steps.NAMES else (None, country)
    return replace(columns, name=name, country=country)


def _line_of(workflow: DocumentRecord) -> str:
    raw = workflow.raw
    return json_access.text(raw.get("associatedToBusinessId")) or json_access.text(
        raw.get("associatedToPlatformId")
    )


def _is_country(typed: str) -> bool:
    return not typed or (len(typed) == 2 and typed.isascii() and typed.isalpha())
