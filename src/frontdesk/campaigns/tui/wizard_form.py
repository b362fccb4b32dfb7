"""DraftForm: the draft of a campaign, and the dialogs in which it is decided step by step."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, ClassVar

from textual.screen import Screen

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.draft import (
    LIST_SUFFIXES,
    Draft,
    FromFile,
    FromTags,
    OneCustomer,
    new_draft,
    rename_draft,
    with_answer,
)
from frontdesk.campaigns.preflight import line_of, preflight
from frontdesk.campaigns.preflight_facts import (
    Preflight,
    PreflightFacts,
    PreflightSeverity,
    WorkflowSource,
    parse_when,
)
from frontdesk.campaigns.sent_campaigns import FolderUse, read_folders
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.tui.audience_loader import AudienceLoader
from frontdesk.campaigns.view import wizard as steps
from frontdesk.campaigns.view.audience import AudienceProgress, problems
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.changes import USED_TAG
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.storage import record_lookup
from frontdesk.storage.clocks import parse_by_clock, relative_fault
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.text.due_presets import due_presets
from frontdesk.text.fuzzy import ids_of_namesakes
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.due import DueDialog, DuePreset, DuePreview
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog, TagChoice, TagDialog, draft_of
from frontdesk.tui.dialogs.prompt import question_dialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import LineId, TagId, WorkflowId
from frontdesk_lines.content import clean_for_input, notify
from frontdesk_lines.display_text import SafeText, show_label, show_line, trusted
from frontdesk_lists.models import HomeCountry, ListFile


class AudienceTagsDialog(TagDialog):
    """The tags whose conversations a campaign is for; answers with their ids."""

    keys = keys_line(("tab", "mark"), ("enter", "use"), ("esc", "cancel"))
    heading: ClassVar[str] = "Tagged:"
    warning: ClassVar[str] = steps.REACH
    undo_hint: ClassVar[str] = ""


def workflow_choices(
    app_context: AppContext, listed: Iterable[DocumentRecord], short_ids: Mapping[str, str]
) -> list[NamedChoice]:
    """Return the workflows, active ones first.

    Args:
        short_ids: of those whose name another has too.
    """
    view = app_context.view()

    def note(record: DocumentRecord) -> SafeText:
        short_id = short_ids.get(record.document_id, "")
        return steps.workflow_state(record, view.line(line_of(record.raw)), short_id)

    return [
        NamedChoice(
            each.document_id, show_line(each.name or each.document_id, 80), note(each), is_found_by_id=True
        )
        for each in sorted(listed, key=lambda each: each.raw.get("isActive") is not True)
    ]


MAX_NAMED = 3
"""Campaigns of a folder that its row names."""


def line_choices(
    names: Mapping[str, str], platforms: Mapping[str, str], workflow_line: str, view: RenderContext
) -> list[NamedChoice]:
    """Return the lines, the workflow's own first, with their ids and channels."""
    choices = []
    for each, name in sorted(names.items(), key=lambda named: named[0] != workflow_line):
        own = "the workflow's line · " if each == workflow_line else ""
        channel = view.channel(platforms[each]).text or "channel unknown"
        note = trusted(f"{own}{show_line(each, 60).text} · {channel}")
        choices.append(NamedChoice(each, show_label(name, 60), note))
    return choices


def folder_choices(uses: Mapping[str, FolderUse], view: RenderContext) -> list[NamedChoice]:
    """Return the folders, of which only the ids are known and the campaigns in them."""
    rows = []
    for each, use in uses.items():
        more = f" and {len(use.names) - MAX_NAMED} more" if len(use.names) > MAX_NAMED else ""
        used = "last use unknown" if use.used_at is None else f"used {view.when(use.used_at)}"
        campaigns = ", ".join(use.names[:MAX_NAMED])
        rows.append(NamedChoice(each, show_line(each, 60), show_line(f"{campaigns}{more} · {used}", 80)))
    return rows


_FILE, _TAGS = "file", "tags"
_STAYING = frozenset({steps.DESCRIPTION, steps.DOUBTFUL})
"""After these the cursor stays; other decisions move it to the next missing step."""


class DraftForm:
    """The draft of a campaign and the dialogs that ask for its fields.

    Attributes:
        is_changed: something was decided since the form was opened.
        is_sent: it is in the outbox; nothing of it changes any more.
    """

    def __init__(
        self,
        screen: Screen[Any],
        app_context: AppContext,
        source: WorkflowSource,
        draft: Draft,
        changed: Callable[[], None],
        move_to: Callable[[str], None],
    ) -> None:
        """Prepare dialogs over `screen`.

        Args:
            changed: called when the draft or what is known of its list differs.
            move_to: moves the cursor to a step; to the first that is missing where the step is empty.
        """
        self._screen, self._app_context, self._source = screen, app_context, source
        self._changed, self._move_to = changed, move_to
        self.draft = draft
        self.loader = AudienceLoader(
            lambda: self._screen.app, changed, self._suggest_country, self._forget_columns
        )
        self.is_changed = self.is_sent = False
        self.read_workflows()

    @property
    def progress(self) -> AudienceProgress:
        return self.loader.progress

    @property
    def workflow(self) -> DocumentRecord | None:
        return self._workflows.get(self.draft.workflow_id)

    @property
    def short_workflow_id(self) -> str:
        """Return the short id of the chosen workflow, if another has its name."""
        draft = self.draft
        if not draft.workflow_id or draft.workflow_id in self._workflows:
            return self._short_ids.get(draft.workflow_id, "")
        names = {each.document_id: each.name for each in self._workflows.values()}
        return ids_of_namesakes({**names, draft.workflow_id: draft.workflow_name}).get(draft.workflow_id, "")

    def read_workflows(self) -> dict[str, DocumentRecord]:
        listed = record_lookup.all_of(self._app_context.store.reading, record_lookup.WORKFLOW)
        self._workflows = {each.document_id: each for each in listed}
        self._short_ids = ids_of_namesakes({each.document_id: each.name for each in listed})
        return self._workflows

    def change(self, draft: Draft) -> None:
        if draft != self.draft and not self.is_sent:
            self.draft, self.is_changed = draft, True
            CampaignCommands(self._app_context.store).keep_draft(draft)
            self._changed()

    def start_over(self) -> None:
        if self.is_sent:
            return
        before = self.draft
        CampaignCommands(self._app_context.store).forget_draft(before.draft_id)
        self.loader.stop()
        is_one = isinstance(before.audience, OneCustomer)
        fresh = new_draft(self._now(), SystemRandom(), before.audience if is_one else None)
        self.draft, self.is_changed = replace(fresh, line_id=before.line_id) if is_one else fresh, True
        self._changed()
        self._move_to("")

    def read_list(self, file: FromFile) -> None:
        listed = ListFile(
            file.path,
            file.sheet or None,
            file.encoding or None,
            file.delimiter or None,
            self.draft.home_country,
            file.skips_doubtful,
            record_lookup.customer_numbers(self._app_context.store.reading, self.draft.line_id),
        )
        self.loader.begin(listed, file.columns, file.headings)

    def _suggest_country(self, home: HomeCountry) -> str:
        """Use a suggested home country until a person chooses one or none."""
        if self.draft.country or self.draft.is_country_chosen or self.is_sent:
            return ""
        self.change(replace(self.draft, country=home.country, country_reason=home.reason))
        return home.country

    def _forget_columns(self) -> None:
        if isinstance(file := self.draft.audience, FromFile):
            self.change(replace(self.draft, audience=replace(file, columns=None, confirmed=(), headings=())))

    def choose_file(self, path: str) -> None:
        if self.draft.country_reason:  # it was suggested for another list
            self.change(replace(self.draft, country="", country_reason=""))
        self._change_file(FromFile(path))
        self._move_to(steps.LIST)

    def ask(self, key: str) -> None:
        asks: dict[str, Callable[[str], object]] = {
            steps.AUDIENCE: lambda _: self._ask_audience(),
            steps.LIST: lambda _: self._show_problems(),
            steps.WORKFLOW: lambda _: self._ask_workflow(),
            steps.WHEN: lambda _: self._ask_when(),
            **dict.fromkeys((steps.NAME, steps.DESCRIPTION, steps.COUNTRY), self._ask_text),
            **dict.fromkeys((steps.LINE, steps.FOLDER), self._ask_id),
            **dict.fromkeys((*steps.COLUMNS, *steps.LAYOUT), self._ask_value),
            **dict.fromkeys((steps.HEADING, steps.DOUBTFUL), lambda key: self.cycle(key, 1)),
        }
        asks[key](key)

    def cycle(self, key: str, by: int) -> None:
        if values := [*steps.list_values(key, self.progress)]:
            value = steps.list_value(key, self.progress)
            index = values.index(value) if value in values else -by
            self._set_list_value(key, values[(index + by) % len(values)])

    def no_workflow_words(self) -> Iterable[SafeText]:
        if not self.read_workflows():
            if not self._source.was_listed(self._app_context.store.reading):
                yield trusted("Workflows aren't loaded yet. Try again in a moment.")
            else:
                yield trusted("The account has no workflows.")
            shows, again = self._app_context.key("go.workflows"), self._app_context.key("view.refresh_all")
            yield trusted(f"Open Workflows ({shows}) and press {again} there to refresh the list.")
        elif self.draft.workflow_id:
            yield show_line(f"{self.draft.workflow_id} isn't in the platform's list of workflows.")
        else:
            yield trusted("The workflow to run for each recipient.")

    def _open(self, dialog: Any, decide: Callable[[Any], None], typed: DialogDraft | None = None) -> None:
        """Show a dialog over the form.

        Args:
            typed: keeps what is typed into it.
        """

        def keep(text: str) -> None:
            if typed is not None:
                typed.keep(text)
                if typed.is_kept:  # it goes by the form's id, under which a new form is found again
                    CampaignCommands(self._app_context.store).keep_draft(self.draft)

        dialog.keep_draft(keep)
        self._screen.app.push_screen(dialog, on_answer(decide, typed))

    def _typed(self, key: str, default: str = "") -> DialogDraft:
        """Return what was typed for a step and not decided."""
        return self._app_context.outbox.drafts.of("campaign", self.draft.draft_id, key, default=default)

    def _decide(self, key: str, draft: Draft) -> None:
        self.change(draft)
        if key == steps.COUNTRY and isinstance(draft.audience, FromFile):
            self.read_list(draft.audience)
        if key not in _STAYING:
            self._move_to("")

    def _change_file(self, file: FromFile) -> None:
        self.change(replace(self.draft, audience=file))
        self.read_list(file)

    def _ask_text(self, key: str) -> None:
        question = steps.CAMPAIGN[key]
        value = (self.draft.home_country or "") if key == steps.COUNTRY else getattr(self.draft, key)
        kept = self._typed(key, clean_for_input(value, lines=False))
        suggested = f"Suggested, because {self.draft.country_reason}." if self.draft.country_reason else ""
        note = suggested if key == steps.COUNTRY and suggested else question.hint
        dialog = question_dialog(question, note, kept.text)
        self._open(dialog, lambda typed: self._decide(key, with_answer(self.draft, key, typed)), kept)

    def _ask_id(self, key: str) -> None:
        field, store, view = f"{key}_id", self._app_context.store, self._app_context.view()
        now = getattr(self.draft, field)
        if key == steps.LINE:
            own, db = "" if self.workflow is None else line_of(self.workflow.raw), store.reading
            used = (each.line_id for each in campaign_store.watched(db))
            ids = dict.fromkeys(filter(None, [*store.catalogue.lines, *record_lookup.lines_seen(db), *used, own]))
            platforms = {each: record_lookup.platform_of_line(db, LineId(each)) for each in ids}
            choices = line_choices({each: store.catalogue.line(each) for each in ids}, platforms, own, view)
            asked, note = "Line name or id", ""
        else:
            choices, asked = folder_choices(read_folders(store.reading), view), "Folder id, or a campaign in it"
            note = "The platform doesn't list folders: these are the ids in campaigns watched or created here."
        if now and not any(each.id == now for each in choices):
            note = f"{note} Current: {now}".strip()
        title = trusted(steps.CAMPAIGN[key].label)
        dialog = PickerDialog(title, choices, note=show_line(note, 300), placeholder=asked, at=now, can_type=True)
        self._open(dialog, lambda chosen: self._decide(key, replace(self.draft, **{field: chosen})))

    def _ask_audience(self) -> None:
        if isinstance(self.draft.audience, OneCustomer):
            words = "This campaign is for this customer only. For others, create one on the Campaigns screen."
            notify(self._screen.app, trusted(words))
            return
        choices = [
            NamedChoice(_FILE, trusted("A list in a file"), trusted("CSV or Excel")),
            NamedChoice(_TAGS, trusted("Conversations with tags"), trusted("number of recipients unknown")),
        ]
        ask = {_FILE: self._ask_file, _TAGS: self._ask_tags}
        self._open(
            PickerDialog(trusted("Audience"), choices, placeholder="Who gets it"), lambda chosen: ask[chosen]()
        )

    def _ask_file(self) -> None:
        audience = self.draft.audience
        folder = Path(audience.path).parent if isinstance(audience, FromFile) else None
        kept = self._typed(_FILE)
        dialog = FileDialog(trusted("A list of recipients"), folder, LIST_SUFFIXES, draft=kept.text)
        self._open(dialog, self.choose_file, kept)

    def _ask_tags(self) -> None:
        store, audience = self._app_context.store, self.draft.audience
        chosen = [tag.id for tag in audience.tags] if isinstance(audience, FromTags) else []
        used = [TagId(each) for each in reversed(outbox_queue.all_kept(store.reading, USED_TAG))]
        tags = [
            TagChoice(tag.id, show_line(tag.title, 60), show_line(tag.color, 40))
            for tag in store.catalogue.tags(chosen, used)
        ]
        kept = self._typed(_TAGS, draft_of("", dict.fromkeys(chosen, True)))
        self._open(AudienceTagsDialog(trusted("Audience"), tags, draft=kept.text), self._set_tags, kept)

    def _set_tags(self, chosen: Iterable[str]) -> None:
        tags = tuple(self._app_context.store.catalogue.tag(TagId(each)) for each in sorted(chosen))
        self.loader.stop()
        self._decide(steps.AUDIENCE, replace(self.draft, audience=FromTags(tags)))

    def _show_problems(self) -> None:
        audience, layout = self.progress.audience, self.progress.layout
        lines = () if audience is None or layout is None else tuple(problems(audience, layout.kind))
        if lines:
            self._screen.app.push_screen(RecordDialog(trusted("Rows to review"), lines))
        elif audience is not None:
            notify(self._screen.app, trusted("All rows can be used."))
        elif isinstance(file := self.draft.audience, FromFile) and not self.progress.is_busy:
            self.read_list(file)

    def _ask_value(self, key: str) -> None:
        values = steps.list_values(key, self.progress)
        if values:
            title = trusted(steps.CAMPAIGN[key].asked)
            choices = [NamedChoice(each, name) for each, name in values.items()]
            value = steps.list_value(key, self.progress)
            dialog = PickerDialog(title, choices, placeholder="Type to search", at=value)
            self._open(dialog, lambda chosen: self._set_list_value(key, chosen))

    def _set_list_value(self, key: str, value: str) -> None:
        file = self.draft.audience
        if not isinstance(file, FromFile):
            return
        if key == steps.DOUBTFUL:
            self._change_file(replace(file, skips_doubtful=value == "True"))
        elif key in steps.LAYOUT:
            # Another sheet or separator has other columns: they are guessed anew.
            kept = {} if key == steps.ENCODING else {"columns": None, "confirmed": ()}
            layout: dict[str, Any] = {steps.LAYOUT[key]: value, **kept}
            self._change_file(replace(file, **layout, headings=()))
        elif (chosen := steps.with_list_value(self.progress.columns, key, value)) is not None:
            confirmed = tuple(sorted({*file.confirmed, *filter(None, [steps.COLUMNS.get(key)])}))
            read = self.progress.layout
            headings = read.head[0] if chosen.has_header and read is not None else ()
            file = replace(file, columns=chosen, confirmed=confirmed, headings=headings)
            self.change(replace(self.draft, audience=file))
            self.loader.read(chosen)

    def _ask_workflow(self) -> None:
        listed = self.read_workflows().values()
        if not listed:
            words = " ".join(each.text for each in self.no_workflow_words())
            notify(self._screen.app, trusted(words), severity="warning")
            return
        choices = workflow_choices(self._app_context, listed, self._short_ids)
        dialog = PickerDialog(
            trusted("Workflow"), choices, placeholder="Type a name or id", at=self.draft.workflow_id
        )
        self._open(dialog, self._set_workflow)

    def _set_workflow(self, workflow_id: str) -> None:
        record = self.read_workflows().get(workflow_id)
        if record is not None:
            self._decide(steps.WORKFLOW, choose_workflow(self.draft, record))

    def _ask_when(self) -> None:
        now, offset = self._now(), self._app_context.store.clock_offset()
        fault = relative_fault(offset).partition("; ")[0]
        presets = [
            DuePreset(
                each.digit,
                trusted(each.label if each.at else "now"),
                trusted(relative_time.moment(each.at, now) if each.at else "as soon as you confirm"),
                ("", None) if each.at is None else (each.label, each.at.timestamp()),
                is_past=each.at is not None and each.at < now,
            )
            for each in due_presets(now)
            if not fault or each.at is None
        ]
        current = trusted(steps.when_words(self.draft, self._app_context.view()))
        kept = self._typed(steps.WHEN, self.draft.when_words)
        dialog = DueDialog(
            trusted("When"),
            presets,
            partial(self._preview, offset),
            current=current,
            zero="is now",
            hint=trusted(fault),
            draft=kept.text,
        )
        dialog.add_class("-roomy")  # beside the time there is what it is where the recipients are

        def decide(chosen: tuple[str, float | None]) -> None:
            words, scheduled_at = chosen
            self._decide(steps.WHEN, replace(self.draft, when_words=words, scheduled_at=scheduled_at))

        self._open(dialog, decide, kept)

    def _preview(self, clock_offset: float | None, words: str) -> DuePreview:
        try:
            when = parse_by_clock(parse_when, words, self._now(), clock_offset)
        except DueNotUnderstood as error:
            why, _, examples = str(error).partition("; ")
            return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
        if when.at is None:
            return DuePreview(trusted("now, as soon as you confirm"), ok=True, value=("", None))
        draft = replace(self.draft, when_words=words, scheduled_at=when.at)
        found = self.check_time(draft)
        about = [each for each in found.findings if each.field == "scheduled_at"]
        errors = [each.words for each in about if each.severity is PreflightSeverity.ERROR]
        if errors:
            return DuePreview(errors[0], ok=False)
        notes = [*(each.words.text for each in about), when.note, *(each.text for each in found.at[1:])]
        warning = trusted(next((each for each in notes if each), ""))
        shown = trusted(steps.when_words(draft, self._app_context.view()))
        return DuePreview(shown, ok=True, value=(words, when.at), warning=warning)

    def check_time(self, draft: Draft) -> Preflight:
        draft = replace(draft, audience=draft.audience if isinstance(draft.audience, FromFile) else None)
        return preflight(draft, PreflightFacts(self._now(), audience=self.progress.summary), body={})

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)


def choose_workflow(draft: Draft, record: DocumentRecord) -> Draft:
    """Return a draft that runs a workflow: on its line, and named for it where it is for one customer."""
    name = record.name or record.document_id
    draft = replace(draft, workflow_id=WorkflowId(record.document_id), workflow_name=name)
    if not draft.line_id and (line := line_of(record.raw)):
        draft = replace(draft, line_id=LineId(line))
    if isinstance(draft.audience, OneCustomer) and not draft.name:
        customer = draft.audience.name
        # It is typed to send it: a name in letters that a keyboard may not have is no help.
        shown = customer if customer and customer.isascii() else draft.audience.number
        draft = rename_draft(draft, f"{name}: {shown}"[:100])
    return draft
