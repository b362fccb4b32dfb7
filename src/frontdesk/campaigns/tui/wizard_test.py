"""DraftTester: sends the draft of the wizard to the person who makes it, and shows what came of that."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from random import SystemRandom

from textual.timer import Timer

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.audience.models import ListedRecipient
from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.draft_test import (
    EXAMPLE_NUMBER,
    OWN_NUMBER,
    NotOwnNumber,
    make_test_draft,
    own_number,
    read_own_number,
)
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.campaigns.tui.wizard_form import DraftForm
from frontdesk.campaigns.tui.wizard_submit import DraftSubmitter
from frontdesk.campaigns.view.draft_test import DraftTestResult, describe_test
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Role
from frontdesk.text.questions import Question, fault_of
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog, on_answer
from frontdesk.tui.dialogs.prompt import question_dialog
from frontdesk.tui.futures import on_done

UPDATE_SECONDS = 1.0
"""How often the result is looked at while more of it is to come."""

_MAX_DIGITS = 12


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
        """Prepare to send.

        Args:
            changed: called when the result is another.
        """
        self._dialog, self._app_context, self._form = dialog, app_context, form
        self._submitter, self._changed = submitter, changed
        self._timer: Timer | None = None
        self._place = 1
        """The place in the list, from 1, of the recipient whose name the last test had."""
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
            self._choose_recipient(number)
        else:
            self.ask_number(self._choose_recipient)

    def ask_number(self, then: Callable[[str], None] = lambda _: None) -> None:
        """Ask for one's own number, and keep it."""
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

    def _choose_recipient(self, number: str) -> None:
        """Ask whose name the test has, where there is a choice; enter alone takes the one of the last test."""
        audience = self._form.progress.audience
        listed = () if audience is None else audience.recipients
        if len(listed) < 2 or not any(each.name for each in listed):
            self._check(number, listed[0] if listed else None)
            return
        last = self._place if self._place <= len(listed) else 1

        def choose(typed: str) -> None:
            self._place = int(typed or last)
            self._check(number, listed[self._place - 1])

        def fault(typed: str) -> str:
            is_place = typed.isdecimal() and 1 <= int(typed[:_MAX_DIGITS]) <= len(listed)
            return "" if is_place or not typed else f"Type a number from 1 to {len(listed):,}."

        name = show_line(listed[last - 1].name or "no name", 40).text
        note = f"The test has that recipient's name. Press enter for {last:,}, {name}, or type another number."
        title = f"Test as recipient {last:,} of {len(listed):,}"
        dialog = question_dialog(Question("recipient", title, fault=fault, example=str(last)), note)
        self._dialog.app.push_screen(dialog, on_answer(choose))

    def _check(self, number: str, recipient: ListedRecipient | None) -> None:
        now = datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)
        test = make_test_draft(self._form.draft, number, recipient, now, SystemRandom())
        self._submitter.check_test(test, self.update)

    def _read(self) -> DraftTestResult:
        db = self._app_context.store.reading
        change = draft_store.latest_test(db, self._form.draft.draft_id)
        record = None if change is None else campaign_store.watched_record(db, CampaignId(change.target))
        return describe_test(own_number(db), change, record, self._app_context.view())
