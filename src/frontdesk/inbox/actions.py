"""Actions on conversations, threads and views of the inbox."""

from frontdesk.config.actions import Group, Undo, key_action

FIND, DO, VIEW = Group.FIND, Group.DO, Group.VIEW
INBOX = ("inbox",)
ROWS = ("inbox", "board")

ACTIONS = (
    key_action("list.sort", "S", "sort", "sort", "Sort by waiting, last activity, due or name", FIND, INBOX),
    key_action(
        "find.search",
        "f",
        "search",
        "search",
        "Search messages, tasks and customers",
        FIND,
        INBOX,
        10,
        commands=("search",),
    ),
    key_action("find.jump", "J", "jump", "jump", "Jump to a conversation by name, number or id", FIND, INBOX),
    key_action("find.unread", "n", "find_next", "next", "Next hit of a search, else next unread", FIND, INBOX),
    key_action("find.back", "N", "find_previous", "previous", "Previous hit, else the way back", FIND, INBOX),
    key_action("view.next", "]", "step_view(1)", "next view", "Next saved view", FIND, INBOX, 11),
    key_action("view.previous", "[", "step_view(-1)", "view before", "Previous saved view", FIND, INBOX),
    key_action(
        "conversation.open",
        "O",
        "open_pair",
        "open",
        "Open a conversation by line and customer",
        FIND,
        INBOX,
        commands=("messages list",),
    ),
    key_action("thread.older", "L", "load_older", "older", "Load older messages", VIEW, INBOX),
    key_action(
        "record.raw",
        "i",
        "record('show_raw')",
        "raw",
        "The raw record, and what fetched it",
        VIEW,
        ["inbox", "board", "campaigns", "workflows", "agents", "activity", "comparing"],
        commands=("tasks show",),
    ),
    key_action(
        "conversation.tag",
        "t",
        "task('tag')",
        "tag",
        "Give tags; they cannot be taken off",
        DO,
        ROWS,
        2,
        commands=("tags assign",),
        undo=Undo.UNTIL_SENT,
    ),
    key_action("conversation.read", "m", "toggle_read", "read", "Read or unread; only here", DO, INBOX),
    key_action("link.open", "o", "open_link", "link", "Open a link of this message; shows it first", VIEW, INBOX),
    key_action(
        "pane.preview", "p", "preview", "preview", "The thread beside the list, or the list alone", VIEW, INBOX
    ),
)
