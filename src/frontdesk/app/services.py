"""`Services`: everything that a person does to one profile, for the screens and the command line.

Reads go through `queries`; every action is one write to the store, answered by a future, and never
waits for the network.
"""

import json
import logging
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from frontdesk.api.contract.ids import (
    AgentId,
    CampaignId,
    ConversationId,
    CustomerId,
    LineId,
    StatusId,
    TagId,
    TaskId,
)
from frontdesk.app.change_handlers import CHANGE_HANDLERS
from frontdesk.app.reader import Reader
from frontdesk.campaigns.models import DeliveryResultGroup
from frontdesk.campaigns.store import (
    alerts as campaign_alerts,
)
from frontdesk.campaigns.store import (
    campaigns,
    delivery_results,
)
from frontdesk.campaigns.store import (
    drafts as store_drafts,
)
from frontdesk.config.catalogue import Catalogue
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox import tag_commands
from frontdesk.inbox.store import conversations, notifications, read_markers
from frontdesk.inbox.store.conditions import QueryTerm
from frontdesk.outbox import bulk, commands, queue, rebuild
from frontdesk.outbox import undo as outbox_undo
from frontdesk.outbox.bulk import BulkPlan
from frontdesk.outbox.undo import UNASKED, StopResult, TooManyToUndo, UndoRequest, UndoResult
from frontdesk.storage import clients, full_text
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change, ChangeState, MessagePosition
from frontdesk.tasks import commands as task_commands
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import due_fields, people_fields, status_fields
from frontdesk.workflows.service import WorkflowCommands, new_batch

if TYPE_CHECKING:
    from frontdesk.campaigns.alerts.rules import AlertRule
    from frontdesk.campaigns.draft import Draft
    from frontdesk.campaigns.preflight.models import Facts, Summary
    from frontdesk.workflows.checks.finding import References
    from frontdesk.workflows.checks.run import ListedChecks

T = TypeVar("T")

INDEX_AT_ONCE = 2_000
"""So many rows are indexed in one transaction: others wait for it less than is felt."""

GREETED = "greeted"
"""Kept: somebody has seen the words of the first start."""

VIEW = "view"
"""Kept: where a person left a screen."""


log = logging.getLogger("frontdesk.app")


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What became of an action.

    Attributes:
        count: on how many things it was done.
        problems: why it was not done on the others.
        batch: what its changes carry; empty where nothing was done.
        label: what to call it; of an undo or redo, the action that it was about.
        is_to_send: of an undo or redo, nothing shows it before the platform has taken what is sent for it.
        first: of an undo or redo, a change of the first task or conversation that it was about.
    """

    count: int
    problems: tuple[str, ...] = ()
    batch: str = ""
    label: str = ""
    is_to_send: bool = False
    first: Change | None = None


class Services(WorkflowCommands):
    """One profile as one person works it.

    Attributes:
        when_refused: told, from the writer's thread, why the store takes nothing, when something was
            to be written that nobody waits for; once until it takes something again.
    """

    def __init__(
        self,
        store: Store,
        profile: Profile,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self.profile = profile
        self.settings = settings or Settings()
        self.catalogue = Catalogue(profile)
        self.queries = Reader(store.reading)
        self.process = uuid.uuid4().hex
        self.when_refused: Callable[[str], None] | None = None
        self._refused = ""
        super().__init__(store, clock)

    @property
    def folder(self) -> Path:
        """Where the store is."""
        return self._store.folder

    def start(self) -> None:
        """Put right what a kill left half shown, and watch the campaigns that the profile names; once a screen."""
        self._beside(lambda db: rebuild.rebuild_overlay(db, CHANGE_HANDLERS))
        wanted = self.profile.watched_campaigns
        if wanted:
            now = self.clock()
            self._beside(lambda db: campaigns.watch(db, wanted, now))

    def set_status(self, task_ids: Sequence[TaskId], status: StatusId) -> "Future[ActionResult]":
        """Put tasks into a status."""
        return self._change(task_ids, status_fields(status), f"Status: {self.catalogue.status(status)}")

    def set_due(self, task_ids: Sequence[TaskId], due_seconds: int, words: str) -> "Future[ActionResult]":
        """Set when tasks are due, Unix seconds; 0 unsets it."""
        return self._change(task_ids, due_fields(due_seconds), f"Due: {words}" if due_seconds else "Due: none")

    def assign(
        self, task_ids: Sequence[TaskId], add: Sequence[AgentId], remove: Sequence[AgentId]
    ) -> "Future[ActionResult]":
        """Add people to tasks and take others off; nobody else's assignment is touched."""
        words = [f"+{self.catalogue.person(each)}" for each in add]
        words += [f"-{self.catalogue.person(each)}" for each in remove]
        return self._change(task_ids, people_fields(add, remove), f"Assign: {' '.join(words)}")

    def give_tags(
        self, conversation_ids: Sequence[ConversationId], tag_ids: Sequence[TagId]
    ) -> "Future[ActionResult]":
        """Give tags to conversations; held for five seconds, since they can't be taken off again."""
        names = ", ".join(self.catalogue.tag(each).title for each in tag_ids)
        batch, now = new_batch(), self.clock()

        def give(db: apsw.Connection) -> ActionResult:
            label = f"Tag: {names}"
            count = tag_commands.give_tags(db, conversation_ids, tag_ids, batch=batch, label=label, now=now)
            return ActionResult(count, (), batch, label)

        return self._store.write(give)

    def edit(self, task_id: TaskId, texts: Mapping[str, str], before: Mapping[str, str]) -> "Future[ActionResult]":
        """Set a task's title, body or both, which read as in `before` when the person began to write."""
        label, batch, now = f"Edit {' and '.join(texts)}", new_batch(), self.clock()

        def edit(db: apsw.Connection) -> ActionResult:
            change = task_commands.edit_texts(db, task_id, texts, before, batch=batch, label=label, now=now)
            if change is None:
                return ActionResult(0)
            if change.state is ChangeState.CONFLICT:
                return ActionResult(0, (f"{label}: {change.reason}. Activity (6) has both.",), batch, label)
            return ActionResult(1, (), batch, label)

        return self._store.write(edit)

    def undo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Take back what was done last on this profile, here or in another process; None: nothing is left."""
        now = self.clock()
        return self._store.write(lambda db: _done(outbox_undo.undo(db, CHANGE_HANDLERS, now, asking)))

    def redo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Do again what was undone last; None where nothing was, or something was done since."""
        now = self.clock()
        return self._store.write(lambda db: _done(outbox_undo.redo(db, CHANGE_HANDLERS, now, asking)))

    def beside(self, job: Callable[[Reader], T]) -> "Future[T]":
        """Do what walks through much on a thread of its own that only reads, after what was asked before."""
        return self._store.read_in_background(lambda db: job(Reader(db)))

    def count(self, wanted: Sequence[QueryTerm]) -> "Future[int]":
        """How many conversations are wanted, counted beside whatever the caller does: each is looked at."""
        return self._store.read_in_background(lambda db: conversations.count(db, wanted))

    def plan(self, task_ids: Sequence[TaskId], fields: Mapping[str, Any]) -> BulkPlan:
        """What setting these fields would do to each task."""
        return bulk.plan_tasks(self.queries.tasks_among(task_ids), task_ids, fields)

    def stop(self, batch: str) -> "Future[StopResult]":
        """Take back what is not sent yet of a bulk action; what was sent stays."""
        now = self.clock()
        return self._store.write(lambda db: outbox_undo.stop(db, CHANGE_HANDLERS, batch, now))

    def retry_all(self, change_ids: Sequence[int]) -> "Future[int]":
        """Send those of these changes again that wait for a person to decide."""
        now = self.clock()
        return self._store.write(lambda db: bulk.retry_all(db, CHANGE_HANDLERS, change_ids, now))

    def drop(self, change_id: int) -> "Future[object]":
        """Give up a change that is refused, conflicting or not yet sent."""
        now = self.clock()
        return self._store.write(lambda db: commands.drop(db, CHANGE_HANDLERS, change_id, now))

    def retry(self, change_id: int) -> "Future[Change]":
        """Send a refused or conflicting change again."""
        now = self.clock()
        return self._store.write(lambda db: commands.retry(db, CHANGE_HANDLERS, change_id, now))

    def send_over_theirs(self, change_id: int) -> "Future[Change]":
        """Send a conflicting update over what somebody else made of the workflow, which the person has seen.

        Answers the new change that does it. What is changed once more before it leaves is a conflict again.
        """
        now = self.clock()
        return self._store.write(lambda db: commands.retry(db, CHANGE_HANDLERS, change_id, now, over_theirs=True))

    def mark_read(self, conversation_id: ConversationId) -> None:
        """Remember here that the thread was read up to its newest message."""
        newest = self.queries.messages_before(conversation_id, None, 1)
        until, now = newest[-1].key.created_at if newest else 0.0, self.clock()

        def read(db: apsw.Connection) -> None:
            read_markers.mark_read(db, conversation_id, until, now)
            task_store.note_all_seen(db, conversation_id, now)

        self._beside(read)

    def mark_unread(self, conversation_id: ConversationId) -> None:
        """Remember here that the last incoming message waits to be read."""
        now = self.clock()
        self._beside(lambda db: read_markers.mark_unread(db, conversation_id, now))

    def look(self, looking: Focus) -> None:
        """Say what this process shows, which is where requests are spent."""
        now = self.clock()
        self._beside(lambda db: clients.report_focus(db, self.process, looking, now))

    def look_away(self) -> None:
        """This process shows nothing any more."""
        self._store.write(lambda db: clients.clear_focus(db, self.process))

    def ask_older(self, conversation_id: ConversationId, before: MessagePosition) -> "Future[int]":
        """Ask for the messages before one that is known; answers the ask's id."""
        target = json.dumps([conversation_id, before.created_at, before.message_id])
        now = self.clock()
        return self._store.write(lambda db: clients.ask(db, clients.OLDER, target, now))

    def ask_refresh(self, target: str = "") -> "Future[int]":
        """Ask for one thing (a conversation's or campaign's id) or everything to be read again now."""
        now = self.clock()
        return self._store.write(lambda db: clients.ask(db, clients.REFRESH, target, now))

    def ask_workflow(self, workflow_id: str) -> "Future[int]":
        """Ask for a workflow's whole document to be read now (empty: for all); answers the ask's id."""
        now = self.clock()
        return self._store.write(lambda db: clients.ask(db, clients.WORKFLOW_DOCUMENT, workflow_id, now))

    def watch_campaign(self, campaign_id: CampaignId) -> None:
        """Watch a campaign by its id, here and after a restart."""
        now = self.clock()
        self._beside(lambda db: campaigns.watch(db, [campaign_id], now))

    def unwatch_campaign(self, campaign_id: CampaignId) -> None:
        """Stop watching a campaign; the campaign itself goes on."""
        self._beside(lambda db: campaigns.unwatch(db, campaign_id))

    def create_campaign(self, draft: "Draft", body: dict[str, Any]) -> "Future[Change]":
        """Send a campaign: once, by whoever runs the engine; until it leaves, undo takes it back.

        The future raises `NotPossible` where it can't be sent so, or is on its way already.
        """
        batch, now = new_batch(), self.clock()

        def create(db: apsw.Connection) -> Change:
            from frontdesk.campaigns import commands as campaign_commands  # brings what a start does without

            return campaign_commands.create(db, draft, body, batch=batch, now=now)

        return self._store.write(create)

    def keep_draft(self, draft: "Draft") -> "Future[None]":
        """Remember what was decided of a campaign so far, across restarts."""
        from frontdesk.campaigns import commands as campaign_commands

        now = self.clock()
        kept = self._store.write(lambda db: campaign_commands.keep_draft(db, draft, now))
        kept.add_done_callback(self._note)  # a wizard goes on without waiting for it
        return kept

    def forget_draft(self, draft_id: str) -> "Future[None]":
        """Throw a draft away."""
        return self._store.write(lambda db: queue.forget(db, store_drafts.DRAFT, draft_id))

    def drafts(self) -> tuple["Draft", ...]:
        """Campaigns that were begun, the one that was touched last at the end; one that was refused comes back."""
        from frontdesk.campaigns import commands as campaign_commands

        return campaign_commands.drafts_of(self.queries)

    def keep_receipt(self, campaign_id: CampaignId, receipt: Mapping[str, Any]) -> "Future[None]":
        """Keep what was sent of a campaign that was created beside the outbox, and watch it."""
        now = self.clock()
        return self._store.write(lambda db: store_drafts.created(db, campaign_id, receipt, "", now))

    def doubt_campaign(self, deed: str, campaign_id: CampaignId | None) -> "Future[None]":
        """Keep under which id this is sent beside the outbox, before it is; None once its fate is known.

        Args:
            deed: what it does and to whom (`campaigns.request_body.deed_of`).
        """
        now = self.clock()

        def keep(db: apsw.Connection) -> None:
            if campaign_id is None:
                queue.forget(db, store_drafts.IN_DOUBT, deed)
            else:
                queue.keep(db, store_drafts.IN_DOUBT, deed, campaign_id, now)

        return self._store.write(keep)

    def campaign_in_doubt(self, deed: str) -> CampaignId | None:
        """Under which id the same was sent of which nobody knows what became of it; None where there is none."""
        kept = self.queries.kept(store_drafts.IN_DOUBT, deed)
        return CampaignId(kept) if isinstance(kept, str) else None

    def receipt(self, campaign_id: CampaignId) -> object:
        """What was sent of a campaign that was created here, without its list, and what the platform answered;
        None for others."""
        return self.queries.kept(store_drafts.RECEIPT, campaign_id)

    def workflow_checks(self) -> "ListedChecks":
        """The checks of listed workflows, for a screen that shows them."""
        from frontdesk.workflows.checks.known_references import load_references
        from frontdesk.workflows.checks.run import ListedChecks

        def references(raw: Mapping[str, Any]) -> "References":
            return load_references(raw, [each.document_id for each in self.queries.workflows()], self.queries)

        return ListedChecks(references)

    def campaign_facts(
        self, draft: "Draft", summary: "Summary | None", now: datetime, not_read: str = ""
    ) -> "Future[Facts]":
        """What a preflight has to know, read beside whatever the caller does; `now` is in the sender's zone.

        Args:
            not_read: why the workflow's document wasn't read just now (`ask_workflow`); empty where it was.
        """
        from frontdesk.campaigns import commands as campaign_commands

        def facts(db: apsw.Connection) -> "Facts":
            return campaign_commands.facts_for(draft, summary, now, Reader(db), self.catalogue, not_read=not_read)

        return self._store.read_in_background(facts)

    def check_outcomes(self, campaign_id: CampaignId, wanted: int) -> None:
        """Read how a campaign's recipients fared, beside all else, until so many of them are known."""
        now = self.clock()
        self._beside(lambda db: delivery_results.begin(db, campaign_id, wanted, now))

    def stop_outcomes(self, campaign_id: CampaignId) -> None:
        """Read no more of them; what is known stays."""
        self._beside(lambda db: delivery_results.stop(db, campaign_id))

    def save_list(
        self, campaign_id: CampaignId, groups: Sequence[DeliveryResultGroup], path: Path
    ) -> "Future[int]":
        """Write those who fared so into a new file, as a list for another campaign; answers how many.

        The future raises OSError where it can't be written or is there already.
        """
        from frontdesk.campaigns.recipients import (
            save_list,  # brings what is known of all countries' numbers
        )

        return self._store.read_in_background(lambda db: save_list(db, campaign_id, groups, path))

    def write_report(
        self, campaign_ids: Collection[str], path: Path, *, since: float, zone: tzinfo, marked: bool
    ) -> "Future[list[Path]]":
        """Write the shift report of these campaigns into a new file, beside the screen (`campaigns.reports`).

        The future raises OSError where it can't be written or is there already.
        """
        from frontdesk.campaigns.reports import write_report  # only who reports needs it

        profile, now = self.profile.name, self.clock()

        def write(db: apsw.Connection) -> list[Path]:
            reads = Reader(db)
            return write_report(
                reads, campaign_ids, path, profile=profile, since=since, now=now, zone=zone, marked=marked
            )

        return self._store.read_in_background(write)

    def open_conversation(self, line_id: LineId, customer_id: CustomerId) -> "Future[ConversationId]":
        """Know a conversation that no task names, by its line and customer."""
        conversation_id = ConversationId(f"{line_id}#{customer_id}")
        turned = ConversationId(f"{customer_id}#{line_id}")
        if self.queries.conversation(turned) is not None:
            # The order of the halves is not safe (docs/interface.md, Values seen).
            conversation_id = turned

        def open_it(db: apsw.Connection) -> ConversationId:
            conversations.open_by_pair(db, conversation_id, line_id, customer_id)
            return conversation_id

        return self._store.write(open_it)

    def written(self) -> "Future[None]":
        """Done once everything is written that was asked for before; so what is read then shows it."""
        return self._store.write(lambda _: None)

    def index_all(self, progress: Callable[[int], None] | None = None) -> None:
        """Index what a search can't find yet; `progress` hears how many rows are left.

        The engine does it beside its polls; a command line without one waits for it here.
        """
        while left := self.queries.unindexed():
            if progress is not None:
                progress(left)
            self._store.write(lambda db: full_text.index_some(db, INDEX_AT_ONCE)).result()

    def claim_news(self, moments: Mapping[str, float]) -> "Future[frozenset[str]]":
        """Which of these to tell a person of: nobody has, on this profile, up to these moments (Unix seconds)."""
        now = self.clock()
        return self._store.write(lambda db: notifications.claim(db, moments, now))

    @cached_property
    def alert_rules(self) -> "tuple[AlertRule, ...]":
        """The alerts on campaigns that this person wants, and those built in.

        Raises:
            ConfigError: one can't be read.
        """
        from frontdesk.campaigns.alerts.rules import rules  # a start of the inbox does without

        return rules(self.settings.alerts)

    def see_alerts(self, until: float) -> None:
        """Somebody has seen the alerts that were raised up to a moment, Unix seconds."""
        now = self.clock()
        self._beside(lambda db: campaign_alerts.see(db, until, now))

    def is_first_start(self) -> bool:
        """Whether nobody was greeted on this profile before; from now on somebody was."""
        is_first = self.queries.kept(GREETED, "") is None
        if is_first:
            now = self.clock()
            self._beside(lambda db: queue.keep(db, GREETED, "", True, now))
        return is_first

    def save_view_state(self, name: str, view: object) -> None:
        """Remember where a screen was left."""
        now = self.clock()
        self._beside(lambda db: queue.keep(db, VIEW, name, view, now))

    def saved_view_state(self, name: str) -> object:
        """Where a screen was left, or None."""
        return self.queries.kept(VIEW, name)

    def _beside(self, job: Callable[[apsw.Connection], object]) -> None:
        """Write something that nobody waits for; what keeps it from being written is told all the same."""
        self._store.write(job).add_done_callback(self._note)

    def _note(self, written: "Future[Any]") -> None:
        error = written.exception()
        if error is not None and not isinstance(error, StoreUnusable):
            log.error("something that nobody waits for was not written", exc_info=error)
        said, self._refused = self._refused, str(error) if isinstance(error, StoreUnusable) else ""
        if self._refused not in ("", said) and self.when_refused is not None:
            self.when_refused(self._refused)

    def _change(self, task_ids: Sequence[TaskId], fields: dict[str, object], label: str) -> "Future[ActionResult]":
        batch, now = new_batch(), self.clock()

        def change(db: apsw.Connection) -> ActionResult:
            count = task_commands.change_tasks(db, task_ids, fields, batch=batch, label=label, now=now)
            return ActionResult(count, (), batch if count else "", label)

        return self._store.write(change)


def _done(turned: UndoResult | TooManyToUndo | None) -> ActionResult | TooManyToUndo | None:
    if not isinstance(turned, UndoResult):
        return turned
    batch = turned.batch if turned.count else ""
    return ActionResult(turned.count, turned.problems, batch, turned.label, turned.is_to_send, turned.first)
