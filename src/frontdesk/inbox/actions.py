"""Actions on conversations, threads and views of the inbox."""

from functools import partial

from frontdesk.config.actions import Group, Undo, key_action

INBOX = ("inbox",)
RECORDS = ("inbox", "board", "campaigns", "workflows", "agents", "activity", "comparing")
_do = partial(key_action, Group.DO, INBOX)
_find = partial(key_action, Group.FIND, INBOX)
_view_record = partial(key_action, Group.VIEW, RECORDS)
_tag = partial(key_action, Group.DO, ("inbox", "board"), undo=Undo.UNTIL_SENT)
_view = partial(key_action, Group.VIEW, INBOX)

ACTIONS = (
    _find("list.sort", "S", "sort", "sort", "Sort by waiting, last activity, due or name"),
    _find("find.search", "f", "search", "search", "Search messages, tasks and customers", 10, "search"),
    _find("find.jump", "J", "jump", "jump", "Jump to a conversation by name, number or id"),
    _find("find.unread", "n", "find_next", "next", "Next hit of a search, else next unread"),
    _find("find.back", "N", "find_previous", "previous", "Previous hit, else the way back"),
    _find("view.next", "]", "step_view(1)", "next view", "Next saved view", 11),
    _find("view.previous", "[", "step_view(-1)", "view before", "Previous saved view"),
    _find(
        "conversation.open",
        "O",
        "open_pair",
        "open",
        "Open a conversation by line and customer",
        0,
        "messages list",
    ),
    _view("thread.older", "L", "load_older", "older", "Load older messages"),
    _view_record(
        "record.raw", "i", "record('show_raw')", "raw", "The raw record, and what fetched it", 0, "tasks show"
    ),
    _tag("conversation.tag", "t", "task('tag')", "tag", "Give tags; they cannot be taken off", 2, "tags assign"),
    _do("conversation.read", "m", "toggle_read", "read", "Read or unread; only here"),
    _view("link.open", "o", "open_link", "link", "Open a link of this message; shows it first"),
    _view("pane.preview", "p", "preview", "preview", "The thread beside the list, or the list alone"),
)
