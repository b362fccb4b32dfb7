"""Every command of the linear mode, once: what is typed, help and docs/linear.md are made from this table.

Single letters are those of the screens' keys (`tui.keymap`) where a key has a command.
"""

from collections.abc import Callable
from dataclasses import dataclass

from frontdesk.activity import linear as activity_linear
from frontdesk.app import linear_builtins, linear_lists
from frontdesk.inbox.linear import commands as inbox_commands
from frontdesk.linear.session import Session
from frontdesk.tasks import linear as task_linear

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
        linear_lists.conversations,
        (
            "VIEW is one of those that the command views lists.",
            "Orders: waiting, activity, due, name; the order is kept.",
            "ROWS is how many to print.",
        ),
    ),
    _command(
        "views", "", "The saved views, and how many conversations are in each", LIST, linear_lists.saved_views
    ),
    _command("more next", "[ROWS]", "The next rows of the list last printed", LIST, linear_lists.more),
    _command("sort S", "[ORDER]", "Sort conversations by waiting, activity, due or name", LIST, linear_lists.sort),
    _command(
        "find /",
        "WORDS",
        "The conversations with all of the words in name, number, tasks or messages",
        LIST,
        linear_lists.find,
        ("They are those of the screens' filter: is:unread waiting>1h line:service !spam ~dnl.",),
    ),
    _command(
        "search",
        "WORDS",
        "The customers, tasks and messages that hold all of the words",
        LIST,
        linear_lists.search,
    ),
    _command(
        "board", "[STATUS]", "How many tasks are in each status, or the tasks in one", LIST, linear_lists.board
    ),
    _command(
        "tasks", "[N]", "The tasks of the open conversation, or of one of the list", LIST, linear_lists.tasks
    ),
    _command("campaigns", "", "The watched campaigns", LIST, linear_lists.campaigns),
    _command("workflows", "", "The workflows", LIST, linear_lists.workflows),
    _command("agents", "", "The AI agents", LIST, linear_lists.ai_agents),
    _command(
        "names", "[people|statuses|tags]", "What people, statuses and tags are called", LIST, linear_lists.names
    ),
    _command(
        "open O",
        "N|NAME",
        "Open a thing of the list; of a conversation its facts, tasks and newest messages",
        READ,
        inbox_commands.open_thing,
        (
            "A number alone opens it, too.",
            "open LINE CUSTOMER opens a conversation that no task names, by two ids.",
        ),
    ),
    _command(
        "jump J", "NAME", "Open a conversation by its customer's name, number or id", READ, inbox_commands.jump
    ),
    _command("new n", "", "Open the next conversation with something unread", READ, inbox_commands.next_unread),
    _command("thread", "[N]", "The newest messages of the open conversation", READ, inbox_commands.thread),
    _command(
        "older L",
        "[skip]",
        "The messages before; those not stored are loaded",
        READ,
        inbox_commands.older,
        ("older skip reads on before messages that are missing.",),
    ),
    _command("newer", "", "The messages after, up to the newest", READ, inbox_commands.newer),
    _command("task", "[N]", "All of a task; of a conversation its most urgent one", READ, inbox_commands.task),
    _command("customer", "[N]", "Who the customer is, their tasks and tags", READ, inbox_commands.facts),
    _command(
        "raw i",
        "[N|message]",
        "The record as it came",
        READ,
        inbox_commands.raw,
        ("raw message is the message read last.",),
    ),
    _command(
        "status s",
        "[N] STATUS",
        "Put tasks into a status",
        DO,
        task_linear.status,
        (*ON, "STATUS is a name, its beginning, or its place on the board: status 3 done."),
    ),
    _command("complete c", "[N]", "Put tasks into the status completed", DO, task_linear.complete, ON),
    _command(
        "assign a",
        "[N] NAME, -NAME",
        "Put people on tasks; those with a minus in front are taken off",
        DO,
        task_linear.assign,
        ON,
    ),
    _command(
        "unassign", "[N] [NAME]", "Take people off tasks; without a name everybody", DO, task_linear.unassign, ON
    ),
    _command("me A", "[N]", "Put me on tasks", DO, task_linear.assign_me, ON),
    _command(
        "due d",
        "[N] WHEN",
        "Set when tasks are due, in words, or none",
        DO,
        task_linear.due,
        (*ON, "WHEN is as in: tomorrow 9am; fri; +3d; in 2h; 2026-12-24; none."),
    ),
    _command(
        "tag t",
        "[N] NAME, NAME",
        "Give tags to conversations; they can't be taken off",
        DO,
        task_linear.tag,
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
        task_linear.edit,
        ("What someone else wrote meanwhile is not lost: both wait in activity.",),
    ),
    _command("read", "[N]", "Take conversations as read, only here", DO, task_linear.read, ON),
    _command("unread", "[N]", "Have conversations wait to be read, only here", DO, task_linear.unread, ON),
    _command("toggle m", "[N]", "Read becomes unread and unread read, only here", DO, task_linear.toggle_read, ON),
    _command(
        "mark",
        "[N|all|none]",
        "Mark things of the list, for the next action; alone it says what is marked",
        DO,
        task_linear.mark,
    ),
    _command("unmark", "[N|all]", "Take marks off", DO, task_linear.unmark),
    _command("undo u", "", "Undo what was done last", DO, task_linear.undo),
    _command("redo U", "", "Redo what was undone last", DO, task_linear.redo),
    _command("activity", "", "Every change, and how far it came", WATCH, activity_linear.activity),
    _command(
        "retry",
        "[N]",
        "Send a refused or conflicting change again",
        WATCH,
        activity_linear.retry,
        ("Without a number, the one that waits for a decision.",),
    ),
    _command(
        "drop",
        "[N]",
        "Give a change up; of a conflict theirs stays",
        WATCH,
        activity_linear.drop,
        ("Without a number, the one that waits for a decision.",),
    ),
    _command("watch w", "ID", "Watch a campaign by its id", WATCH, activity_linear.watch),
    _command("unwatch x", "N", "Stop watching a campaign; it goes on", WATCH, activity_linear.unwatch),
    _command("news", "", "What happened and was not said yet", PROGRAM, linear_builtins.news),
    _command(
        "announce",
        "[now|prompt|off]",
        "When news is said: at once, before the next prompt, or when asked",
        PROGRAM,
        linear_builtins.announce,
        ("The setting announce in the config says how it begins.",),
    ),
    _command(
        "connection",
        "",
        "How it stands with the platform, and what is not sent",
        PROGRAM,
        linear_builtins.update_connection,
    ),
    _command(
        "refresh r",
        "[all]",
        "Read the open conversation again now, or everything",
        PROGRAM,
        linear_builtins.refresh,
    ),
    _command("reload R", "", "Read everything again now", PROGRAM, linear_builtins.refresh_all),
    _command("pause P", "", "Pause or resume polling", PROGRAM, linear_builtins.pause),
    _command(
        "wait",
        "[SECONDS]",
        "Wait until all was read once and what was done is confirmed",
        PROGRAM,
        linear_builtins.wait,
        ("For scripts; 30 seconds where nothing else is said.",),
    ),
    _command("profile", "[NAME]", "Which profiles there are, or open another", PROGRAM, linear_builtins.profile),
    _command("help ?", "[COMMAND]", "All commands, or all of one", PROGRAM, linear_builtins.help_on),
    _command("quit q exit", "", "Leave; says what is not sent yet", PROGRAM, linear_builtins.leave),
)

BY_NAME = {name: command for command in COMMANDS for name in command.names}
