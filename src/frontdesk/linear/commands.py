"""Commands of the linear mode, and the general ones: help, lists, marks, news, the connection."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from frontdesk.config.actions import Action, Undo
from frontdesk.config.config_tables import NoPage, page_address
from frontdesk.config.settings import IS_READ_ONLY, ConfigError
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_name, find_record, refusal
from frontdesk.linear.notifications import Announce
from frontdesk.linear.printed_list import ROWS, ListKind
from frontdesk.linear.session import Session
from frontdesk.outbox import bulk
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.invalid_items import unreadable_on
from frontdesk.sync import status_view
from frontdesk.sync.status_view import view_health
from frontdesk.text.fuzzy import UnusableWords
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, IS_SHOWN, is_private

WAIT_SECONDS = 30.0
MAX_WAIT_SECONDS = 3_600.0

Handler = Callable[[Session, str], None]

TARGET_HELP = (
    "Without numbers, it works on the marked rows, or else on what is open."
    ' To use what is open even if rows are marked, type "this" after the command.',
    "For several, type 2,4 or 2-6.",
)


class Heading(StrEnum):
    """The heading of a command, in the order of help."""

    LISTS = "Lists"
    READING = "Reading"
    DOING = "Actions"
    DONE = "Activity and campaigns"
    WORKFLOWS = "Workflows"
    PROGRAM = "General"


LISTS, READING, DOING, DONE, WORKFLOWS, PROGRAM = Heading


@dataclass(frozen=True, slots=True)
class Command:
    """An action as it is typed in the linear mode.

    Attributes:
        id: the action's; one of its own where only the linear mode has it.
        do: runs it with the words after the name.
        words: the name and other names; single letters are the screens' keys.
        arguments: what may follow, in capitals where it stands for something.
        does: one sentence without its full stop; empty for the action's help.
        more: further sentences of its help.
        undo: taken from the action where it has one.
        opens: it opens something; nothing is open after it failed.
        writes: a read-only run refuses it, as what can be undone; taken from the action where it has one.
        lists: without words it only lists.
    """

    id: str
    do: Handler
    words: str
    arguments: str
    heading: Heading
    does: str = ""
    more: tuple[str, ...] = ()
    undo: Undo = Undo.NEVER
    opens: bool = False
    writes: bool = False
    lists: bool = False

    def run(self, session: Session, words: str) -> None:
        is_write = (self.writes or self.undo is not Undo.NEVER) and (words or not self.lists)
        if is_write and session.store.settings.read_only:
            raise NotUnderstood(f"Nothing was done: {IS_READ_ONLY}.")
        session.undo, session.meant_tasks = self.undo, {}
        try:
            self.do(session, words)
        except (NotUnderstood, UnusableWords) as error:
            # Without its optional words it works on what is open, which stays open.
            if self.opens and (words or not self.arguments.startswith("[")):
                close_opened(session)
            if isinstance(error, UnusableWords):
                raise refusal(error) from error
            raise

    @property
    def names(self) -> list[str]:
        return self.words.split()

    @property
    def usage(self) -> str:
        return f"{self.names[0]} {self.arguments}".rstrip()

    @property
    def help(self) -> str:
        return f"{self.does}."


def make_commands(actions: Iterable[Action], *tables: Iterable[Command]) -> dict[str, Command]:
    """Merge tables of commands: by all their names, in the order of help, with the words of their actions.

    Raises:
        ValueError: two commands have the same name, or one has no help.
    """
    by_id = {each.id: each for each in actions}
    commands = [
        replace(
            each, does=each.does or by_id[each.id].help, undo=by_id[each.id].undo, writes=by_id[each.id].writes
        )
        if each.id in by_id
        else each
        for table in tables
        for each in table
    ]
    headings = list(Heading)
    found: dict[str, Command] = {}
    for command in sorted(commands, key=lambda each: headings.index(each.heading)):
        for name in command.names:
            if name in found or not command.does:
                raise ValueError(f"the command {name} is a duplicate or has no help")
            found[name] = command
    return found


def close_opened(session: Session) -> None:
    """Leave nothing open, so that the next command can't change what was open before by mistake."""
    if session.conversation_id is None and session.task_id is None:
        return
    session.conversation_id = session.task_id = None
    session.pages = []
    session.report_focus_soon()


def help_on(session: Session, words: str) -> None:
    """`help`: all commands, or all of one."""
    if words:
        command = session.commands[find_name(words.split()[0], session.commands)]
        _, *aliases = command.names
        others = f" Also: {', '.join(aliases)}." if aliases else ""
        session.print(f"{command.usage}: {command.help}{others}", *command.more)
        return
    session.print("Commands. A number means a row of the last list. For more on a command, type help COMMAND.")
    heading = ""
    for command in dict.fromkeys(session.commands.values()):
        if command.heading != heading:
            heading = command.heading
            session.print(f"{heading}:")
        session.print(f"{command.usage}: {command.help}")


def more(session: Session, words: str) -> None:
    """`more`: the next rows of the list last printed."""
    session.print_more(max(1, int(words[:6])) if words.isdecimal() else ROWS)


def mark(session: Session, words: str) -> None:
    """`mark`: mark things of the list for the next action; `mark all` those printed, `mark none`."""
    if words.lower() == "none":
        session.marks = {}
        session.print("Nothing is marked.")
        return
    listing = session.listing
    if words.lower() == "all" and listing is not None and listing.printed:
        things = [session.at_number(place) for place in range(1, listing.printed + 1)]
        session.meant_tasks = listing.tasks
    elif words:
        things = session.parse_only_targets(words)
    else:
        _print_marks(session)
        return
    if any(kind not in (ListKind.CONVERSATION, ListKind.TASK) for kind, _ in things):
        raise NotUnderstood("Only conversations and tasks can be marked.")
    for kind, key in things:
        session.marks[key] = kind
        session.marked_tasks.pop(key, None)
        if (task := session.meant_tasks.get(key)) is not None:
            session.marked_tasks[key] = task
    _print_marks(session)


def unmark(session: Session, words: str) -> None:
    """`unmark`: take marks off things of the list, or all."""
    if words and words.lower() != "all":
        things, _ = session.parse_targets(words, all_numbers=True)
        for _, key in things:
            session.marks.pop(key, None)
    else:
        session.marks = {}
    _print_marks(session)


_GONE = "no longer available"


def _print_marks(session: Session) -> None:
    if not session.marks:
        session.print("Nothing is marked.")
        return
    session.print(f"{len(session.marks):,} marked. The next action works on them and clears the marks:")
    for key, kind in session.marks.items():
        names = [session.name(kind, key)]
        if (task := session.marked_tasks.get(key)) is not None:
            names.append(f"task {session.name(ListKind.TASK, task) or _GONE}")
        session.print(f"{kind.capitalize()} {', '.join(filter(None, names)) or _GONE}.")


def leave(session: Session, words: str) -> None:  # noqa: ARG001
    """`quit`: leave; says what is not sent yet."""
    print_unsent(session)
    session.is_over = True


def print_unsent(session: Session) -> None:
    """Say what the platform has not confirmed yet, and that it is kept."""
    unsent, undecided = (count(session.db) for count in (bulk.unconfirmed_count, bulk.undecided_count))
    if session.store.settings.read_only:
        session.print(f"This run is {bulk.describe_read_only(unsent)}.")
    elif unsent:
        session.print(f"{bulk.describe_unconfirmed(unsent)} {bulk.SENT_LATER}")
    if undecided:
        needs = "1 change needs" if undecided == 1 else f"{undecided:,} changes need"
        session.print(f"{needs} your decision. To decide, type activity.")


def news(session: Session, words: str) -> None:  # noqa: ARG001
    """`news`: what happened and was not said yet."""
    lines = session.news.pop_lines(everything=True)
    session.print(*(lines or [trusted("No new notifications.")]))


def announce(session: Session, words: str) -> None:
    """`announce`: when news is said: now, at the prompt, or off."""
    if words:
        session.news.announce = Announce(find_choice(words, [str(each) for each in Announce]))
    says = {
        Announce.NOW: "Notifications are shown immediately.",
        Announce.PROMPT: "Notifications are shown before the next prompt.",
        Announce.OFF: "Notifications are saved. To show them, type news.",
    }
    session.print(says[session.news.announce])


def print_start(session: Session) -> None:
    """Say what is known from before, while the engine starts."""
    _, known, read_at = _known_state(session)
    session.print(f"Connecting. {known} loaded{read_at and f', as of {read_at}'}.")
    print_unsent(session)
    _print_privacy(session)


def show_connection(session: Session, words: str = "") -> None:  # noqa: ARG001
    """Print the state of the connection, and what is not sent yet (`connection`)."""
    state, known, read_at = _known_state(session)
    session.print(f"Connection: {state}.{read_at and f' Data as of {read_at}.'} {known} loaded.")
    if share := read_coverage(session.db).sentence(of_threads=True):
        session.print(share)
    if unreadable := unreadable_on(session.db, session.focus.screen):
        session.print(f"Unreadable items: {unreadable}. To see them, type activity.")
    print_unsent(session)
    _print_privacy(session)


def _print_privacy(session: Session) -> None:
    if is_private():
        session.print(f"{IS_HIDDEN}. To show them, type privacy off.")


def _known_state(session: Session) -> tuple[str, str, str]:
    """Return the connection's state (no news from then on), the known conversations and the time of reading."""
    health, view = view_health(clients.shown_health(session.store), session.focus), session.view()
    state = status_view.sentence(health, view)
    session.news.note_health(status_view.sentence(health._replace(late=()), view))
    known = counted(record_lookup.conversation_count(session.db), "conversation")
    return state, known, "" if health.fresh_at is None else view.spoken_moment(health.fresh_at)


def refresh(session: Session, words: str) -> None:
    """`refresh`: read the open conversation again now; `refresh all` everything."""
    target = "" if words.lower() == "all" else session.conversation_id or ""
    session.wait_for(SyncRequests(session.store).request_refresh(target))
    session.print("Refreshing everything." if not target else "Refreshing this conversation.")


def refresh_all(session: Session, words: str) -> None:  # noqa: ARG001
    """`R`: read everything again now."""
    refresh(session, "all")


def pause(session: Session, words: str) -> None:  # noqa: ARG001
    """`pause`: stop polling, or go on."""
    session.is_paused = not session.is_paused
    session.report_focus_soon()
    session.print("Polling paused. To resume, type pause again." if session.is_paused else "Polling resumed.")


def privacy(session: Session, words: str) -> None:
    """`privacy`: hide names, numbers and texts, or show them."""
    if words.lower() not in ("", "on", "off"):
        raise NotUnderstood("Type privacy, privacy on or privacy off.")
    session.outbox.keep_privacy(words.lower() == "on" if words else not is_private())
    if not is_private():
        session.print(IS_SHOWN)
    _print_privacy(session)


def wait(session: Session, words: str) -> None:
    """`wait`: until everything was read once and what was done is confirmed, or needs a decision."""
    seconds = min(MAX_WAIT_SECONDS, float(words)) if words.isdecimal() and len(words) < 9 else WAIT_SECONDS
    if words and not words.isdecimal():
        raise NotUnderstood("Type wait or wait SECONDS.")

    def is_settled() -> bool:
        return read_coverage(session.db).is_whole and not bulk.unconfirmed_count(session.db)

    try:
        came = session.news.wait(is_settled, seconds)
    except KeyboardInterrupt:
        came = False
    if not came:
        session.console.has_failed = True
        session.print("Not everything is loaded and confirmed yet.")
        show_connection(session)
    elif bulk.undecided_count(session.db):
        session.print("Everything is sent, but some changes need your decision. To decide, type activity.")
    else:
        session.print("Everything is loaded, sent and confirmed.")


_PAGES = {
    "conversation": "conversation",
    "task": "task",
    "campaign": "campaign",
    "workflow": "workflow",
    "AI agent": "ai_agent",
}


def page(session: Session, words: str) -> None:
    """`page`: the address of the platform's own page of a row, or of what is open."""
    (kind, key), *others = session.parse_only_targets(words or "this")
    if others or kind not in _PAGES:
        raise NotUnderstood("Choose one conversation, task, campaign, workflow or AI agent.")
    ids = {_PAGES[kind]: key}
    if kind == "conversation":
        ids = record_lookup.conversation_ids(session.db, ConversationId(key))
    elif kind == "task" and (task := record_lookup.task(session.db, TaskId(key))) is not None:
        ids |= record_lookup.conversation_ids(session.db, task.conversation_id)
    try:
        session.print(show_line(page_address(session.store.profile.web_url, _PAGES[kind], ids), 2_000))
    except NoPage as error:
        raise refusal(error) from error


def profile(session: Session, words: str) -> None:
    """`profile`: which there are; with a name, open that one."""
    here = session.store.profile.name
    try:
        others = {name: host for name, host in session.profiles().items() if name != here}
    except ConfigError as error:
        raise NotUnderstood(show_line(str(error), 300).text) from error
    if not words:
        session.print(trusted(f"Current profile: {show_line(here, 40).text}."))
        for name, host in others.items():
            session.print(trusted(f"Other profile: {show_line(name, 40).text}, at {show_line(host, 80).text}."))
        if not others:
            session.print("No other profiles. To add one, run frontdesk login NAME.")
        return
    session.next_profile = find_record(words, {name: name for name in others}, "other profile")
    print_unsent(session)
    session.is_over = True


COMMANDS = (
    Command("go.leave", leave, "quit q exit", "", PROGRAM, "Quit and show how many changes are unsent"),
    Command(
        "view.refresh", refresh, "refresh r", "[all]", PROGRAM, "Refresh the open conversation, or everything"
    ),
    Command("view.refresh_all", refresh_all, "reload R", "", PROGRAM),
    Command("profile.switch", profile, "profile", "[NAME]", PROGRAM, "List profiles, or open another one"),
    Command("app.help", help_on, "help ?", "[COMMAND]", PROGRAM, "List commands, or explain one"),
    Command(
        "page.open",
        page,
        "page",
        "[N]",
        READING,
        "Print the address of the platform's own page of this",
        ("The addresses are set by web_url in the config.",),
    ),
    Command("app.privacy", privacy, "privacy H", "[on|off]", PROGRAM),
    Command("sync.pause", pause, "pause P", "", PROGRAM),
    Command("list.more", more, "more next", "[ROWS]", LISTS, "Show the next rows of the last list"),
    Command(
        "marks.add",
        mark,
        "mark",
        "[N|all|none]",
        DOING,
        "Mark rows for the next action; without a number, show what is marked",
    ),
    Command("marks.remove", unmark, "unmark", "[N|all]", DOING, "Clear marks"),
    Command("news.list", news, "news", "", PROGRAM, "Show new notifications"),
    Command(
        "news.announce",
        announce,
        "announce",
        "[now|prompt|off]",
        PROGRAM,
        "Choose when to show notifications: immediately, before the next prompt, or on request",
        ("The announce setting in the config sets the default.",),
    ),
    Command(
        "sync.connection",
        show_connection,
        "connection",
        "",
        PROGRAM,
        "Show the connection and unsent changes",
    ),
    Command(
        "sync.wait",
        wait,
        "wait",
        "[SECONDS]",
        PROGRAM,
        "Wait until everything is loaded and your changes are confirmed",
        ("For scripts. Default: 30 seconds.",),
    ),
)
