"""Every command of the linear mode, once: what is typed, help and docs/linear.md are made from this table.

Single letters are those of the screens' keys (`tui.keymap`) where a key has a command.
"""

from collections.abc import Callable
from dataclasses import dataclass

from frontdesk.linear import activity, deeds, lists, program, threads
from frontdesk.linear.session import Session

Do = Callable[[Session, str], None]

ON = (
    "Without numbers it works on what is marked, else on what is open; this in front means what is open.",
    "Several: 2,4 or 2-6.",
)


@dataclass(frozen=True, slots=True)
class Command:
    """A line of the table.

    Attributes:
        name: the word that is typed.
        aliases: other words for it; single letters are the screens' keys.
        arguments: what may follow, in capitals where it stands for something.
        help: what it does, one sentence without its full stop.
        group: the heading it stands under.
        do: does it, with the words after the name.
        more: further sentences for `help COMMAND`.
    """

    name: str
    aliases: tuple[str, ...]
    arguments: str
    help: str
    group: str
    do: Do
    more: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that may be typed for it."""
        return (self.name, *self.aliases)

    @property
    def usage(self) -> str:
        """The name and what may follow."""
        return f"{self.name} {self.arguments}".rstrip()


def _command(names: str, arguments: str, does: str, group: str, do: Do, more: tuple[str, ...] = ()) -> Command:
    name, *aliases = names.split()
    return Command(name, tuple(aliases), arguments, does, group, do, more)


LIST, READ, DO, WATCH, PROGRAM = "Lists", "Reading", "Doing", "What was done, and campaigns", "frontdesk itself"

COMMANDS: tuple[Command, ...] = (
    _command(
        "list inbox",
        "[VIEW] [unread] [by ORDER] [ROWS]",
        "The known conversations, numbered",
        LIST,
        lists.conversations,
        (
            "VIEW is one of those that the command views lists.",
            "Orders: waiting, activity, due, name; the order is kept.",
            "ROWS is how many to print.",
        ),
    ),
    _command("views", "", "The saved views, and how many conversations are in each", LIST, lists.saved_views),
    _command("more next", "[ROWS]", "The next rows of the list last printed", LIST, lists.more),
    _command("sort S", "[ORDER]", "Sort conversations by waiting, activity, due or name", LIST, lists.sort),
    _command(
        "find /",
        "WORDS",
        "The conversations with all of the words in name, number, tasks or messages",
        LIST,
        lists.find,
        ("They are those of the screens' filter: is:unread waiting>1h line:service !spam ~dnl.",),
    ),
    _command(
        "search", "WORDS", "The customers, tasks and messages that hold all of the words", LIST, lists.search
    ),
    _command("board", "[STATUS]", "How many tasks are in each status, or the tasks in one", LIST, lists.board),
    _command("tasks", "[N]", "The tasks of the open conversation, or of one of the list", LIST, lists.tasks),
    _command("campaigns", "", "The watched campaigns", LIST, lists.campaigns),
    _command("workflows", "", "The workflows", LIST, lists.workflows),
    _command("agents", "", "The AI agents", LIST, lists.ai_agents),
    _command("names", "[people|statuses|tags]", "What people, statuses and tags are called", LIST, lists.names),
    _command(
        "open O",
        "N|NAME",
        "Open a thing of the list; of a conversation its facts, tasks and newest messages",
        READ,
        threads.open_thing,
        (
            "A number alone opens it, too.",
            "open LINE CUSTOMER opens a conversation that no task names, by two ids.",
        ),
    ),
    _command("jump J", "NAME", "Open a conversation by its customer's name, number or id", READ, threads.jump),
    _command("new n", "", "Open the next conversation with something unread", READ, threads.next_unread),
    _command("thread", "[N]", "The newest messages of the open conversation", READ, threads.thread),
    _command(
        "older L",
        "[skip]",
        "The messages before; those not stored are loaded",
        READ,
        threads.older,
        ("older skip reads on before messages that are missing.",),
    ),
    _command("newer", "", "The messages after, up to the newest", READ, threads.newer),
    _command("task", "[N]", "All of a task; of a conversation its most urgent one", READ, threads.task),
    _command("customer", "[N]", "Who the customer is, their tasks and tags", READ, threads.facts),
    _command(
        "raw i",
        "[N|message]",
        "The record as it came",
        READ,
        threads.raw,
        ("raw message is the message read last.",),
    ),
    _command(
        "status s",
        "[N] STATUS",
        "Put tasks into a status",
        DO,
        deeds.status,
        (*ON, "STATUS is a name, its beginning, or its place on the board: status 3 done."),
    ),
    _command("complete c", "[N]", "Put tasks into the status completed", DO, deeds.complete, ON),
    _command(
        "assign a",
        "[N] NAME, -NAME",
        "Put people on tasks; those with a minus in front are taken off",
        DO,
        deeds.assign,
        ON,
    ),
    _command("unassign", "[N] [NAME]", "Take people off tasks; without a name everybody", DO, deeds.unassign, ON),
    _command("me A", "[N]", "Put me on tasks", DO, deeds.assign_me, ON),
    _command(
        "due d",
        "[N] WHEN",
        "Set when tasks are due, in words, or none",
        DO,
        deeds.due,
        (*ON, "WHEN is as in: tomorrow 9am; fri; +3d; in 2h; 2026-12-24; none."),
    ),
    _command(
        "tag t",
        "[N] NAME, NAME",
        "Give tags to conversations; they can't be taken off",
        DO,
        deeds.tag,
        (
            *ON,
            "id:ID gives a tag that is not known here.",
            "It is held for 5 seconds, in which undo takes it back.",
        ),
    ),
    _command(
        "edit e",
        "[N] title|text [WORDS]",
        "Set title or text of one task; without words the old ones are edited",
        DO,
        deeds.edit,
        ("What someone else wrote meanwhile is not lost: both wait in activity.",),
    ),
    _command("read", "[N]", "Take conversations as read, only here", DO, deeds.read, ON),
    _command("unread", "[N]", "Have conversations wait to be read, only here", DO, deeds.unread, ON),
    _command("toggle m", "[N]", "Read becomes unread and unread read, only here", DO, deeds.toggle_read, ON),
    _command(
        "mark",
        "[N|all|none]",
        "Mark things of the list, for the next action; alone it says what is marked",
        DO,
        deeds.mark,
    ),
    _command("unmark", "[N|all]", "Take marks off", DO, deeds.unmark),
    _command("undo u", "", "Undo what was done last", DO, deeds.undo),
    _command("redo U", "", "Redo what was undone last", DO, deeds.redo),
    _command("activity", "", "Every change, and how far it came", WATCH, activity.activity),
    _command(
        "retry",
        "[N]",
        "Send a refused or conflicting change again",
        WATCH,
        activity.retry,
        ("Without a number, the one that waits for a decision.",),
    ),
    _command(
        "drop",
        "[N]",
        "Give a change up; of a conflict theirs stays",
        WATCH,
        activity.drop,
        ("Without a number, the one that waits for a decision.",),
    ),
    _command("watch w", "ID", "Watch a campaign by its id", WATCH, activity.watch),
    _command("unwatch x", "N", "Stop watching a campaign; it goes on", WATCH, activity.unwatch),
    _command("news", "", "What happened and was not said yet", PROGRAM, program.news),
    _command(
        "announce",
        "[now|prompt|off]",
        "When news is said: at once, before the next prompt, or when asked",
        PROGRAM,
        program.announce,
        ("The setting announce in the config says how it begins.",),
    ),
    _command(
        "connection",
        "",
        "How it stands with the platform, and what is not sent",
        PROGRAM,
        program.say_connection,
    ),
    _command(
        "refresh r", "[all]", "Read the open conversation again now, or everything", PROGRAM, program.refresh
    ),
    _command("reload R", "", "Read everything again now", PROGRAM, program.refresh_all),
    _command("pause P", "", "Pause or resume polling", PROGRAM, program.pause),
    _command(
        "wait",
        "[SECONDS]",
        "Wait until all was read once and what was done is confirmed",
        PROGRAM,
        program.wait,
        ("For scripts; 30 seconds where nothing else is said.",),
    ),
    _command("profile", "[NAME]", "Which profiles there are, or open another", PROGRAM, program.profile),
    _command("help ?", "[COMMAND]", "All commands, or all of one", PROGRAM, program.help_on),
    _command("quit q exit", "", "Leave; says what is not sent yet", PROGRAM, program.leave),
)

BY_NAME = {name: command for command in COMMANDS for name in command.names}
