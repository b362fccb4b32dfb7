"""CampaignWizard: a campaign made one decision a line, in any order, until it is checked and sent.

Each decision is kept at once: Esc and a restart lose nothing.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import SystemRandom
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.campaigns.changes import CampaignCommands, drafts_of
from frontdesk.campaigns.draft import (
    EXAMPLE_NUMBER,
    OWN_NUMBER,
    CampaignClone,
    Draft,
    FromFile,
    FromTags,
    NotOwnNumber,
    OneCustomer,
    clone_campaign,
    known_fields,
    make_test_draft,
    new_draft,
    own_number,
    read_own_number,
    sent_audience,
)
from frontdesk.campaigns.models import CampaignRecord, customer_number
from frontdesk.campaigns.preflight_facts import WorkflowSource
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.campaigns.tui.wizard_form import DraftForm, choose_workflow
from frontdesk.campaigns.tui.wizard_submit import DraftSubmitter
from frontdesk.campaigns.view import wizard as steps
from frontdesk.campaigns.view.audience import list_lines
from frontdesk.campaigns.view.preflight import DraftTestResult, describe_test
from frontdesk.campaigns.view.wizard import WizardStep, summary_facts
from frontdesk.config.actions import Undo
from frontdesk.config.config_tables import ReplySetting
from frontdesk.config.facts import lines
from frontdesk.storage import record_lookup
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.records import ConversationRecord
from frontdesk.text import relative_time
from frontdesk.text.questions import Question, fault_of
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog, on_answer
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.prompt import question_dialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, trusted, wrap
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

UPDATE_SECONDS = 1.0
"""How often the result is looked at while more of it is to come."""


class DraftTester:
    """Sends tests of a form's draft over a dialog; the draft stays as it is."""

    def __init__(
        self,
        dialog: Dialog[Draft],
        app_context: AppContext,
        form: DraftForm,
        submitter: DraftSubmitter,
        changed: Callable[[], None],
    ) -> None:
        self._dialog, self._app_context, self._form = dialog, app_context, form
        self._submitter, self._changed = submitter, changed
        self._timer: Timer | None = None
        self.result = self._read()

    def start(self) -> None:
        """Begin to follow a test that was sent before."""
        self._timer = self._dialog.set_interval(UPDATE_SECONDS, self.update, pause=not self.result.is_open)

    def update(self) -> None:
        """Read the result again; follow it for as long as more is to come."""
        before, self.result = self.result, self._read()
        if self._timer is not None:
            (self._timer.resume if self.result.is_open else self._timer.pause)()
        if self.result != before:
            self._changed()
        if before.is_open and self.result.role is not before.role and self.result.role in (Role.GOOD, Role.BAD):
            # Where it is narrow, the words beside the steps may be out of sight.
            words, is_bad = trusted(f"Test: {self.result.words.text}"), self.result.role is Role.BAD
            notify(self._dialog.app, words, severity="error" if is_bad else "information")

    def send(self) -> None:
        """Check a test and have it confirmed; the number is asked for once."""
        if self._form.progress.is_busy:
            notify(self._dialog.app, trusted("The list is still loading."), timeout_seconds=3)
        elif number := own_number(self._app_context.store.reading):
            self._check(number)
        else:
            self.ask_number(self._check)

    def ask_number(self, then: Callable[[str], None] = lambda _: None) -> None:
        country, kept = self._form.draft.country, own_number(self._app_context.store.reading)
        typed = self._app_context.outbox.drafts.of("own number", default=f"+{kept}" if kept else "")
        doubted = ""

        def check(typed: str) -> None:
            nonlocal doubted
            number = read_own_number(typed, country)
            if number.doubt and typed != doubted:
                doubted = typed
                raise NotOwnNumber(f"{number.doubt}; press enter again to use it anyway")

        def keep(answer: str) -> None:
            number = read_own_number(answer, country).digits

            def saved(done: "Future[None]") -> None:
                if done.exception() is None and self._dialog.is_mounted:
                    self.update()
                    then(number)

            on_done(self._dialog.app, CampaignCommands(self._app_context.store).keep_own_number(number), saved)

        question = Question(OWN_NUMBER, "Your own number", fault=fault_of(check), example=EXAMPLE_NUMBER)
        note = "Tests are sent to this number. It is saved in the profile; to change it, press T in the wizard."
        dialog = question_dialog(question, note, typed.text)
        dialog.keep_draft(typed.keep)
        self._dialog.app.push_screen(dialog, on_answer(keep, typed))

    def _check(self, number: str) -> None:
        """Check a test with the name of the first recipient who has one."""
        audience = self._form.progress.audience
        listed = () if audience is None else audience.recipients
        recipient = next((each for each in listed if each.name), None)
        now = datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)
        test = make_test_draft(self._form.draft, number, recipient, now, SystemRandom())
        self._submitter.check(test, self.update)

    def _read(self) -> DraftTestResult:
        db = self._app_context.store.reading
        change = draft_store.latest_test(db, self._form.draft.draft_id)
        record = None if change is None else campaign_store.watched_record(db, CampaignId(change.target))
        return describe_test(own_number(db), change, record, self._app_context.view())


class CampaignWizard(Dialog[Draft]):
    """Answers with the draft that was sent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("l") + ",right", "cycle(1)", "next value"),
        Binding(with_layout_keys("h") + ",left", "cycle(-1)", "previous value"),
        Binding(with_layout_keys("i"), "read", "view"),
        Binding(with_layout_keys("D"), "start_over", "start over"),
        Binding(with_layout_keys("t"), "send_test", "send a test to yourself"),
        Binding(with_layout_keys("T"), "ask_number", "change your own number"),
        Binding(with_layout_keys("q"), "close", "close"),
    ]
    DEFAULT_CSS = """
    CampaignWizard {
        /* A page, before which its dialogs stand out; nothing of the screen below is seen, nor composed. */
        background: $background;
        & > .dialog--box { width: 100%; height: 100%; max-width: 180; max-height: 54; background: $background; }
        & LineView, & KeysLine { background: $background; }
        & .wizard--body { height: 1fr; layout: vertical; }
        & RowList { margin-top: 0; height: 3fr; }
        & LineBox { height: 2fr; }
        & KeysLine { margin-top: 0; }
    }
    CampaignWizard.-tall .wizard--body { padding-top: 1; }
    CampaignWizard.-beside .wizard--body { layout: horizontal; }
    CampaignWizard.-beside RowList { width: 1fr; height: 1fr; }
    CampaignWizard.-beside LineBox { width: 1fr; height: 1fr; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (50, "-wide"), (100, "-beside")]  # noqa: RUF012 - Textual's type

    def __init__(
        self,
        app_context: AppContext,
        workflows: WorkflowSource,
        draft: Draft,
        *,
        note: SafeText,
        begins_with: str = "",
    ) -> None:
        is_one = isinstance(draft.audience, OneCustomer)
        keys = (("j k", "move"), ("← →", "switch"), ("i", "view"), ("D", "start over"), ("t", "test to me"))
        title = trusted("A campaign with one recipient" if is_one else "Create a campaign")
        super().__init__(title, keys=keys_line(*keys, ("enter", "edit"), ("esc", "save & close")))
        self.app_context = app_context
        self.form = DraftForm(self, app_context, workflows, draft, self._on_change, self._move_to)
        self.submitter = DraftSubmitter(self, app_context, workflows, self.form)
        self.tester = DraftTester(self, app_context, self.form, self.submitter, self._on_change)
        self._begins_with = begins_with
        self._steps: dict[str, WizardStep] = {}
        self._workflows = workflows
        self._rows = RowList(self._draw, can_mark=False)
        self._detail = LineBox(self._beside_lines)
        self._note = Note((Span(note, Role.DIM),))
        self._note.display = bool(note)

    @property
    def rows(self) -> RowList:
        return self._rows

    @property
    def draft(self) -> str:
        """Nothing: the draft itself is kept."""
        return ""

    def compose_body(self) -> Iterable[Widget]:
        yield self._note
        with Container(classes="wizard--body"):
            yield self._rows
            yield self._detail

    def on_mount(self) -> None:
        self._draw_steps()
        self._rows.focus()
        if not self._workflows.is_up_to_date(self.app_context.store.reading):
            # Ahead of the choice; the check reads the chosen one again.
            SyncRequests(self.app_context.store).request_workflow("")
        if isinstance(self.form.draft.audience, FromFile):
            self.form.read_list(self.form.draft.audience)
        self.tester.start()
        self._move_to(self._begins_with)
        if self._begins_with:
            self.call_after_refresh(self.decide, self._begins_with)

    def on_unmount(self) -> None:
        self.form.loader.stop()

    def decide(self, key: str) -> None:
        if key == steps.CHECK:
            self.submitter.check()
        else:
            self.form.ask(key)

    def missing(self) -> WizardStep | None:
        return steps.missing(self._steps.values())

    def _move_to(self, key: str) -> None:
        if not key:
            missing = self.missing()
            key = steps.CHECK if missing is None else missing.key
        self._rows.move_to(key)

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._detail.redraw()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.decide(event.key)

    def action_cycle(self, by: int) -> None:
        if self._rows.cursor_key in steps.CYCLED:
            self.form.cycle(self._rows.cursor_key, by)

    def action_read(self) -> None:
        step = self._steps.get(self._rows.cursor_key or "")
        if step is not None:
            self.app.push_screen(RecordDialog(trusted(step.label), self._detail_lines))

    def action_send_test(self) -> None:
        self.tester.send()

    def action_ask_number(self) -> None:
        self.tester.ask_number()

    def action_start_over(self) -> None:
        dialog = ConfirmDialog(
            trusted("Start over"), trusted("This discards everything you entered here."), yes=trusted("Start over")
        )
        self.app.push_screen(dialog, on_answer(lambda _: self.form.start_over()))

    def action_close(self) -> None:
        if self.is_current:
            self.form.loader.stop()
            super().action_close()

    def _on_change(self) -> None:
        if self.is_mounted:
            self._draw_steps()

    def _draw_steps(self) -> None:
        if self.form.is_changed:
            self._note.display = False
        form = self.form
        found = steps.steps(
            form.draft, self.app_context.view(), form.progress, form.workflow, form.short_workflow_id
        )
        before, self._steps = self._steps, {each.key: each for each in found}
        if [*before] != [*self._steps]:
            self._rows.set_keys([*self._steps])
        self._rows.refresh_keys(key for key, step in self._steps.items() if before.get(key) != step)
        self._detail.redraw()

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        return (steps.step_line(self._steps[key], width, self.app_context.view()),)

    def _beside_lines(self, width: int) -> tuple[Line, ...]:
        """Return what was decided and what the step says; the step first where the box is below the steps."""
        width, form = max(1, width), self.form
        view = self.app_context.view()
        parts = (form.draft, form.progress, self._steps.values(), form.short_workflow_id, self.tester.result)
        summary, detail = lines(summary_facts(*parts, view), width, view), self._detail_lines(width)
        return (*summary, EMPTY, *detail) if self.has_class("-beside") else (*detail, EMPTY, *summary)

    def _detail_lines(self, width: int) -> tuple[Line, ...]:
        key, width = self._rows.cursor_key or steps.AUDIENCE, max(1, width)
        step = self._steps.get(key)
        if step is None:
            return ()
        if step.is_part and key != steps.COUNTRY:
            return list_lines(self.form.progress, width, self.app_context.glyphs)
        if key == steps.AUDIENCE and isinstance(self.form.draft.audience, FromFile):
            path = fit((Span(show_line(self.form.draft.audience.path, 300), Role.DIM),), width)
            return (path, *list_lines(self.form.progress, width, self.app_context.glyphs))
        if key == steps.WORKFLOW and (record := self.form.workflow) is not None:
            return self._workflows.details(record, width, self.app_context.view())
        return tuple(
            fit((Span(part, Role.DIM),), width) for words in self._words_on(key) for part in wrap(words, width)
        )

    def _words_on(self, key: str) -> Iterable[SafeText]:
        if key == steps.WORKFLOW:
            return self.form.no_workflow_words()
        draft = self.form.draft
        if key == steps.WHEN:
            found = self.form.check_time(draft)
            typed = [show_line(f'"{draft.when_words}"', 120)] if draft.when_words else []
            about = [each for each in found.findings if each.field == "scheduled_at"]
            return [*typed, *found.at, *(words for each in about for words in (each.words, *each.details))]
        if key == steps.AUDIENCE and isinstance(draft.audience, FromTags):
            return trusted("Every conversation with one of these tags."), trusted(steps.REACH)
        if key == steps.AUDIENCE and draft.audience is not None:
            return [trusted("One customer. It still counts as a campaign.")]
        return [trusted(steps.CAMPAIGN[key].hint)]


def open_wizard(
    screen: BaseScreen, workflows: WorkflowSource, one: Draft | None = None, clone: CampaignClone | None = None
) -> None:
    """Open the wizard, once all earlier decisions are written.

    Args:
        one: a new draft for one customer, unless one for them was left; None for many.
        clone: a new draft to begin with, whatever other draft was left.
    """
    app_context = screen.app_context
    if screen.cancel_action is not None:
        return

    def give_up() -> None:
        screen.cancel_action = None

    def opened(_: object) -> None:
        if screen.cancel_action is not give_up:
            return
        give_up()
        if screen.is_active:
            draft, note = (
                _draft_for(app_context, one) if clone is None else (clone.draft, _clone_note(app_context, clone))
            )
            begins_with = steps.WORKFLOW if one is not None and not draft.workflow_id else ""
            wizard = CampaignWizard(app_context, workflows, draft, note=note, begins_with=begins_with)
            screen.app.push_screen(wizard, on_answer(sent))

    def sent(draft: Draft) -> None:
        name, undo = show_line(draft.name, 40).text, app_context.key("change.undo")
        notify(screen.app, trusted(f"{name}: {Undo.UNTIL_SENT.hint(undo)}."), timeout_seconds=5)

    screen.cancel_action = give_up
    on_done(screen.app, app_context.store.flush(), opened)


def open_for_customer(
    screen: BaseScreen, workflows: WorkflowSource, record: ConversationRecord, reply: ReplySetting | None = None
) -> None:
    """Open the wizard for the customer of a conversation, or say why that isn't possible.

    Args:
        reply: one of the config, whose workflow and folder are chosen already.
    """
    number = customer_number(record)
    if not number:
        words = "No phone number found for this customer; campaigns only go to phone numbers."
        notify(screen.app, trusted(words), severity="warning")
        return
    audience = OneCustomer(number, record.name)
    draft = replace(_new(screen.app_context), audience=audience, line_id=record.line_id or LineId(""))
    if reply is not None:
        listed = record_lookup.all_of(screen.app_context.store.reading, record_lookup.WORKFLOW)
        workflow = next((each for each in listed if each.document_id == reply.workflow), None)
        if workflow is None:
            unlisted = (
                f"This reply's workflow, {reply.workflow}, isn't in the platform's list;"
                " correct it in config.toml."
            )
            notify(screen.app, show_line(unlisted, 300), severity="warning")
            return
        draft = replace(choose_workflow(draft, workflow), folder_id=FolderId(reply.folder))
    open_wizard(screen, workflows, draft)


def open_clone(screen: BaseScreen, workflows: WorkflowSource, record: CampaignRecord) -> None:
    app_context = screen.app_context
    db, now = app_context.store.reading, app_context.clock()
    clone = clone_campaign(
        known_fields(db, record),
        _new(app_context),
        sent_audience(db, record.campaign_id),
        now,
        lambda path: Path(path).is_file(),
    )
    if clone is None:
        again = app_context.key("view.refresh")
        words = f"This campaign isn't loaded yet, so it can't be cloned. Press {again} to refresh it."
        notify(screen.app, trusted(words), severity="warning")
        return
    open_wizard(screen, workflows, clone=clone)


def _clone_note(app_context: AppContext, clone: CampaignClone) -> SafeText:
    other = " Your other draft is kept." if any(map(_is_for_many, drafts_of(app_context.store.reading))) else ""
    return trusted(f"A cloned campaign. Still to give: {', '.join(clone.wanted)}.{other}")


def _draft_for(app_context: AppContext, one: Draft | None) -> tuple[Draft, SafeText]:
    left = [each for each in drafts_of(app_context.store.reading) if _is_for(each, one)]
    if not left:
        return one or _new(app_context), NOTHING
    at = relative_time.when(left[-1].made_at, app_context.clock(), app_context.zone)
    return left[-1], trusted(f"A draft from {at}: continue with it, or press D to start over.")


def _new(app_context: AppContext) -> Draft:
    return new_draft(datetime.fromtimestamp(app_context.clock(), app_context.zone), SystemRandom())


def _is_for_many(draft: Draft) -> bool:
    return not isinstance(draft.audience, OneCustomer)


def _is_for(draft: Draft, one: Draft | None) -> bool:
    audience = draft.audience
    if one is None:
        return _is_for_many(draft)
    if one.workflow_id and draft.workflow_id != one.workflow_id:
        return False
    return (
        isinstance(audience, OneCustomer)
        and isinstance(one.audience, OneCustomer)
        and audience.number == one.audience.number
        and draft.line_id == one.line_id
    )
