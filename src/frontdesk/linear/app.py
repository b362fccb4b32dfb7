"""The linear mode on one profile: reads commands from lines until the person quits."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from frontdesk.accounts.profile_switcher import start_profile
from frontdesk.activity import linear as activity_linear
from frontdesk.activity.linear import ChangeNews
from frontdesk.ai_agents import linear as agent_linear
from frontdesk.automation import linear as automation_linear
from frontdesk.campaigns import linear as campaign_linear
from frontdesk.config.program_files import UPDATED, ProgramFiles
from frontdesk.config.render_context import RenderContext
from frontdesk.engine.supervisor import MakeSupervisor
from frontdesk.inbox.linear import commands as inbox_linear
from frontdesk.inbox.linear.thread import MessageNews
from frontdesk.linear import commands as general
from frontdesk.linear import hand_over
from frontdesk.linear import snooze as snooze_linear
from frontdesk.linear.command_line import find_arguments, run_arguments
from frontdesk.linear.commands import LISTS, Command, close_opened, print_start, print_unsent
from frontdesk.linear.line_parser import NotUnderstood, find_name, is_number_list, split
from frontdesk.linear.notifications import Announce, LinearNotifications, NewsSource
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.sentences import capitalize
from frontdesk.linear.session import Session, SessionServices
from frontdesk.metrics import linear as metrics_linear
from frontdesk.registry.actions import ACTIONS
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.registry.running_campaigns import read_campaigns
from frontdesk.registry.service_policies import load_promises
from frontdesk.service_clocks.linear import ServiceClockNews
from frontdesk.storage import clients
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Connection, Health
from frontdesk.storage.recovery import is_damage, mark_damaged
from frontdesk.tasks import linear as task_linear
from frontdesk.workflows.linear import commands as workflow_linear
from frontdesk_lines.display_text import SafeText, show_error, show_label, show_line, trusted

_PARTS = (
    inbox_linear,
    hand_over,
    task_linear,
    snooze_linear,
    automation_linear,
    campaign_linear,
    workflow_linear,
    agent_linear,
    activity_linear,
    general,
)

COMMANDS = general.make_commands(
    ACTIONS, *(each.COMMANDS for each in _PARTS), metrics_linear.make_commands(load_promises, read_campaigns)
)

TYPES = {
    ListKind.CONVERSATION: replace(
        inbox_linear.TYPE, raw=lambda session, key: task_linear.raw(session, (ListKind.CONVERSATION, key))
    ),
    ListKind.TASK: task_linear.TYPE,
    ListKind.CHANGE: activity_linear.TYPE,
    ListKind.CAMPAIGN: campaign_linear.TYPE,
    ListKind.WORKFLOW: workflow_linear.TYPE,
    ListKind.AI_AGENT: agent_linear.TYPE,
    ListKind.HIT: inbox_linear.HIT_TYPE,
}

HISTORY = "linear_history"
FIRST_ANSWER_SECONDS = 20.0
"""How long piped commands wait for the first answer of the platform."""

REPORT_SECONDS = 30.0

_NO_ANSWER = (
    Connection.OFFLINE,
    Connection.INTERCEPTED,
    Connection.REFUSED,
    Connection.ASKED_TO_WAIT,
    Connection.FAILING,
    Connection.STUCK,
)

log = logging.getLogger("frontdesk.linear")


class Hangup(SystemExit):
    """A signal ended the program, or its terminal is gone. Outside `LinearApp.run` it is a normal exit."""


class LinearApp:
    """The linear mode over one store.

    Args:
        warnings: warnings to print first.
        supervise: makes the supervisor that starts the engine at the first line and keeps it running.
    """

    def __init__(
        self,
        services: SessionServices,
        supervise: MakeSupervisor | None = None,
        warnings: Sequence[SafeText] = (),
    ):
        store, console = services.store, services.console
        self._store, self._outbox, self._console = store, services.outbox, console
        self._warnings = warnings
        self._reported_at = time.monotonic()
        self._news_reading: Any = None
        self.news = LinearNotifications(
            store.folder,
            console,
            services.view,
            self._news_sources,
            self._keep_running,
            Announce(store.settings.announce),
        )
        self._supervisor = (
            None if supervise is None else supervise(self.news.add, self._engine_health, store.can_write)
        )
        self.session = Session(services, COMMANDS, TYPES, CHANGE_VIEWS, self.news, run_arguments)
        self._program = None if supervise is None else ProgramFiles()
        self.return_code = 0

    @property
    def next_profile(self) -> str | None:
        """The profile to open after this run."""
        return self.session.next_profile

    @property
    def must_reopen(self) -> bool:
        """Whether the store can't be used any more and another has to be opened."""
        return self.session.must_reopen

    def run(self) -> None:
        """Run until the person quits, the input ends or a signal arrives."""
        session, store = self.session, self._store
        name = show_label(store.profile.name, 40).text
        session.print(f"frontdesk, linear mode, profile {name}. Type help for commands, list for conversations.")
        session.print(*self._warnings)
        try:
            store.on_refused = self._report_refused
            start_profile(store, self._outbox)
            session.report_focus_soon("inbox")
            self._keep_running()  # before the news' thread does the same
            self.news.start()
            self._console.open_history(store.folder / HISTORY)
            self._console.complete_with(self._complete)
            print_start(session)
            self._wait_for_first()
            self._read_lines()
            self.return_code = int(self._console.is_script and self._console.has_failed)
        except Hangup:
            pass
        except Exception as error:
            if not is_damage(error):
                raise
            mark_damaged(store.folder)
            session.must_reopen = True
        finally:
            store.on_refused = None
            self.news.stop()
            self._console.keep_history()
            SyncRequests(store).clear_focus()

    def do(self, line: str) -> None:
        """Run one line; failures are printed and never end the run."""
        session, command = self.session, None
        word, words = split(line)
        if not word:
            return
        if is_number_list(word) and not words:
            word, words = "open", word
        is_leaving = COMMANDS.get(word) is COMMANDS["quit"]
        if not is_leaving and self._program is not None and self._program.check():
            session.print(f"{UPDATED}. Nothing was done.")
            self._note_failure(None)
            return
        try:
            if (arguments := find_arguments(word, words)) is not None:
                session.run_command_line(arguments)
                return
            command = COMMANDS[find_name(word, COMMANDS)]
            command.run(session, words)
        except NotUnderstood as error:
            session.print(show_label(str(error), 2_000))  # what it quotes of the store is hidden already
            self._note_failure(command)
        except KeyboardInterrupt:
            session.print("Stopped.")
            self._note_failure(command)
        except StoreUnusable as error:
            self._note_failure(command)
            session.print(trusted(f"{capitalize(show_error(error, 400).text)}."))
        except (BrokenPipeError, OSError):
            raise
        except Exception as error:
            if is_damage(error):
                raise
            log.exception("a command failed")
            self._note_failure(command)
            session.print("Something went wrong in frontdesk; see the log for details. Nothing was lost.")

    def _note_failure(self, command: Command | None) -> None:
        """Note that a command failed; None stands for a line that isn't a command.

        A script continues with row numbers of the list it asked for, which must not open rows of an earlier list.
        """
        self._console.has_failed = True
        if self._console.is_script and (command is None or command.heading is LISTS):
            close_opened(self.session)
            self.session.listing = None

    def _read_lines(self) -> None:
        session = self.session
        while not session.is_over:
            session.print(*self.news.pop_lines())
            try:
                line = self._console.read()
            except KeyboardInterrupt:
                session.print("Line canceled. To leave, type quit.")
                continue
            except EOFError:
                print_unsent(session)
                return
            if self.news.is_replaced:
                self._console.push_back(line)
                session.must_reopen = True
                return
            self.do(line)

    def _wait_for_first(self) -> None:
        """Let piped commands wait for the first data."""
        db = self.session.db
        if self._console.is_typed or clients.health(db).fresh_at is not None or self._supervisor is None:
            return
        self.session.print("Nothing loaded yet for this profile. Waiting for the first response.")

        def is_answered() -> bool:
            health = clients.health(db)
            return health.fresh_at is not None or health.state in _NO_ANSWER

        self.news.wait(is_answered, FIRST_ANSWER_SECONDS)

    def _complete(self, typed: str) -> list[str]:
        return [name for name in COMMANDS if len(name) > 1 and name.startswith(typed.lower())]

    def _news_sources(self, db: Any) -> Sequence[NewsSource]:
        self._news_reading = db
        store, now = self._store, self._store.clock()
        is_for_all = store.settings.attention == "all"
        return (
            ChangeNews(db, CHANGE_VIEWS, now),
            campaign_linear.AlertNews(db, now),
            self._while_heard(ServiceClockNews(db, store, self._outbox)),
            self._while_heard(snooze_linear.SnoozeNews(db, store)),
            MessageNews(db, store.catalogue, now, lambda: self.news.reading, is_for_all=is_for_all),
        )

    def _while_heard(self, source: NewsSource) -> NewsSource:
        """Leave news that comes once to the profile's other screens where nobody reads it here."""

        def news(ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:
            is_heard = not self._console.is_script and self.news.announce is not Announce.OFF
            return source(ids, view) if is_heard else []

        return news

    def _keep_running(self) -> None:
        """Keep the engine running and the focus fresh; runs on the news' thread."""
        if time.monotonic() - self._reported_at >= REPORT_SECONDS:
            self._reported_at = time.monotonic()
            self.session.renew_focus()
        if self._supervisor is not None:
            self._supervisor.check()

    def _engine_health(self) -> Health:
        """Return the engine's last report; an empty one until the news thread has opened its connection."""
        return Health() if self._news_reading is None else clients.health(self._news_reading)

    def _report_refused(self, words: str) -> None:
        self._console.has_failed = True
        self.news.add(trusted(f"Couldn't save: {show_line(words).text}."))
