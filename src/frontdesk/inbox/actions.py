"""Actions on conversations, threads and views of the inbox."""

from functools import partial

from frontdesk.config.actions import APP, Group, Undo, key_action

INBOX = ("inbox",)
RECORDS = ("inbox", "board", "campaigns", "workflows", "agents", "activity", "numbers", "comparing")
_do = partial(key_action, Group.DO, INBOX)
_find = partial(key_action, Group.FIND, INBOX)
_view_record = partial(key_action, Group.VIEW, RECORDS)
_tag = partial(key_action, Group.DO, ("inbox", "board"), undo=Undo.UNTIL_SENT)
_note = partial(key_action, Group.DO, INBOX, undo=Undo.ALWAYS)
_view = partial(key_action, Group.VIEW, INBOX)

ACTIONS = (
    _find("list.sort", "S", "list('sort')", "sort", "Sort by wait, activity, due, name or sla"),
    _find(
        "find.search", "f", "navigate('find')", "search", "Search messages, tasks and customers", "search", rank=10
    ),
    _find("find.jump", "J", "navigate('jump')", "jump", "Jump to a customer by name, number or id", "open"),
    _find(
        "find.unread",
        "n",
        "navigate('next')",
        "next",
        "Next search hit, or open the next unread",
        "conversations list",
    ),
    _find("find.back", "N", "navigate('previous')", "previous", "Previous search hit, or go back"),
    key_action(
        Group.FIND,
        APP,
        "find.mention",
        "at",
        "open_mention",
        "mention",
        "Open the next mention or hand-over to you",
        "conversations list",
    ),
    _find(
        "view.choose",
        "b",
        "list('choose_view')",
        "view",
        "Open a saved view by its letter",
        "conversations list",
        "views list",
        rank=11,
    ),
    _find("view.next", "]", "list('next_view')", "next view", "Next saved view"),
    _find("view.previous", "[", "list('previous_view')", "prev view", "Previous saved view"),
    _find(
        "view.save",
        "plus",
        "list('save_view')",
        "save view",
        "Save this filter as a view of your own",
        "views add",
        "views remove",
    ),
    _find(
        "view.share",
        "I",
        "team('share_view')",
        "share view",
        "Share this view with the team, or stop",
        "views share",
        writes=True,
    ),
    _find(
        "conversation.open",
        "O",
        "navigate('pair')",
        "open",
        "Open a conversation by line and customer",
        "messages list",
    ),
    _view("thread.older", "L", "thread('load_older')", "older", "Load older messages", "messages list"),
    _view("thread.date", "D", "thread('go_to_date')", "date", "Go to a date in the thread", "messages export"),
    _view(
        "thread.export",
        "F",
        "thread('export')",
        "export",
        "Export the thread as Markdown or HTML",
        "messages export",
    ),
    _view_record("record.raw", "i", "record('show_raw')", "raw", "Show the raw record", "tasks show"),
    key_action(
        Group.VIEW,
        ("inbox", "board", "campaigns", "workflows"),
        "page.open",
        "Z",
        "record('open_page')",
        "web page",
        "Open the platform's own page of this",
    ),
    _tag("conversation.tag", "t", "task('tag')", "tag", "Add tags (they can't be removed)", "tags assign", rank=2),
    _do("conversation.reply", "E", "answer('reply')", "reply", "Answer with one of your replies"),
    _do(
        "conversation.read",
        "m",
        "mark('read')",
        "read",
        "Mark read or unread (in frontdesk only)",
        "conversations read",
        "conversations unread",
    ),
    _note(
        "conversation.no_answer",
        "exclamation_mark",
        "mark('answer')",
        "no answer",
        "Mark no answer needed (frontdesk only)",
        "conversations no-answer",
    ),
    _note(
        "note.write", "w", "team('write')", "note", "Write a note that only the team sees", "conversations note"
    ),
    _note(
        "note.hand_over",
        "W",
        "team('hand_over')",
        "hand over",
        "Hand this conversation over, with a note",
        "conversations hand-over",
    ),
    _do(
        "note.take_back",
        "K",
        "team('take_back')",
        "take back",
        "Take your own note back, or discard it",
        "conversations take-back",
        writes=True,
    ),
    _view("link.open", "o", "thread('open_link')", "link", "Open a link from this message (asks first)"),
    _view("pane.preview", "p", "preview", "preview", "Show or hide the thread beside the list"),
)
