"""Every command of the linear mode, once: what is typed, help and docs/linear.md are made from this table.

Single letters are those of the screens' keys (`tui.keymap`) where a key has a command.
"""

from dataclasses import replace

from frontdesk.activity import linear as activity_linear
from frontdesk.ai_agents import linear as agent_linear
from frontdesk.campaigns import linear as campaign_linear
from frontdesk.inbox.linear import commands as inbox_commands
from frontdesk.inbox.linear import lists as inbox_lists
from frontdesk.inbox.linear import thread as inbox_thread
from frontdesk.linear import commands as general
from frontdesk.linear.commands import Command, Do
from frontdesk.linear.session import ListKind
from frontdesk.tasks import linear as task_linear
from frontdesk.workflows import linear as workflow_linear

ON = (
    "Without numbers it works on what is marked, else on what is open; this in front means what is open.",
    "Several: 2,4 or 2-6.",
)


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
        inbox_lists.conversations,
        (
            "VIEW is one of those that the command views lists.",
            "Orders: waiting, activity, due, name; the order is kept.",
            "ROWS is how many to print.",
        ),
    ),
    _command(
        "views", "", "The saved views, and how many conversations are in each", LIST, inbox_lists.saved_views
    ),
    _command("more next", "[ROWS]", "The next rows of the list last printed", LIST, general.more),
    _command("sort S", "[ORDER]", "Sort conversations by waiting, activity, due or name", LIST, inbox_lists.sort),
    _command(
        "find /",
        "WORDS",
        "The conversations with all of the words in name, number, tasks or messages",
        LIST,
        inbox_lists.find,
        ("They are those of the screens' filter: is:unread waiting>1h line:service !spam ~dnl.",),
    ),
    _command(
        "search",
        "WORDS",
        "The customers, tasks and messages that hold all of the words",
        LIST,
        inbox_lists.search,
    ),
    _command(
        "board", "[STATUS]", "How many tasks are in each status, or the tasks in one", LIST, task_linear.board
    ),
    _command("tasks", "[N]", "The tasks of the open conversation, or of one of the list", LIST, task_linear.tasks),
    _command("campaigns", "", "The watched campaigns", LIST, campaign_linear.campaigns),
    _command("workflows", "", "The workflows", LIST, workflow_linear.workflows),
    _command("agents", "", "The AI agents", LIST, agent_linear.ai_agents),
    _command(
        "names", "[people|statuses|tags]", "What people, statuses and tags are called", LIST, task_linear.names
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
    _command("thread", "[N]", "The newest messages of the open conversation", READ, inbox_thread.thread),
    _command(
        "older L",
        "[skip]",
        "The messages before; those not stored are loaded",
        READ,
        inbox_thread.older,
        ("older skip reads on before messages that are missing.",),
    ),
    _command("newer", "", "The messages after, up to the newest", READ, inbox_thread.newer),
    _command("task", "[N]", "All of a task; of a conversation its most urgent one", READ, task_linear.show),
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
        inbox_commands.tag,
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
    _command("read", "[N]", "Take conversations as read, only here", DO, inbox_commands.read, ON),
    _command("unread", "[N]", "Have conversations wait to be read, only here", DO, inbox_commands.unread, ON),
    _command(
        "toggle m", "[N]", "Read becomes unread and unread read, only here", DO, inbox_commands.toggle_read, ON
    ),
    _command(
        "mark",
        "[N|all|none]",
        "Mark things of the list, for the next action; alone it says what is marked",
        DO,
        general.mark,
    ),
    _command("unmark", "[N|all]", "Take marks off", DO, general.unmark),
    _command("undo u", "", "Undo what was done last", DO, activity_linear.undo),
    _command("redo U", "", "Redo what was undone last", DO, activity_linear.redo),
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
    _command("watch w", "ID", "Watch a campaign by its id", WATCH, campaign_linear.watch),
    _command("unwatch x", "N", "Stop watching a campaign; it goes on", WATCH, campaign_linear.unwatch),
    _command("news", "", "What happened and was not said yet", PROGRAM, general.news),
    _command(
        "announce",
        "[now|prompt|off]",
        "When news is said: at once, before the next prompt, or when asked",
        PROGRAM,
        general.announce,
        ("The setting announce in the config says how it begins.",),
    ),
    _command(
        "connection",
        "",
        "How it stands with the platform, and what is not sent",
        PROGRAM,
        general.update_connection,
    ),
    _command(
        "refresh r",
        "[all]",
        "Read the open conversation again now, or everything",
        PROGRAM,
        general.refresh,
    ),
    _command("reload R", "", "Read everything again now", PROGRAM, general.refresh_all),
    _command("pause P", "", "Pause or resume polling", PROGRAM, general.pause),
    _command(
        "wait",
        "[SECONDS]",
        "Wait until all was read once and what was done is confirmed",
        PROGRAM,
        general.wait,
        ("For scripts; 30 seconds where nothing else is said.",),
    ),
    _command("profile", "[NAME]", "Which profiles there are, or open another", PROGRAM, general.profile),
    _command("help ?", "[COMMAND]", "All commands, or all of one", PROGRAM, general.help_on),
    _command("quit q exit", "", "Leave; says what is not sent yet", PROGRAM, general.leave),
)

BY_NAME = {name: command for command in COMMANDS for name in command.names}

TYPES = {
    ListKind.CONVERSATION: replace(
        inbox_commands.TYPE, raw=lambda session, key: task_linear.raw(session, (ListKind.CONVERSATION, key))
    ),
    ListKind.TASK: task_linear.TYPE,
    ListKind.CHANGE: activity_linear.TYPE,
    ListKind.CAMPAIGN: campaign_linear.TYPE,
    ListKind.WORKFLOW: workflow_linear.TYPE,
    ListKind.AI_AGENT: agent_linear.TYPE,
    ListKind.HIT: inbox_commands.HIT_TYPE,
}
