"""What is typed on the command line and in the linear mode over a hostile platform.

Run as a program in a terminal, it runs each command line in turn and prints its number before it; starting the
program anew for each would take most of the time.
"""

import json
import sys
from collections.abc import Mapping, Sequence

SEPARATOR = "#### "

ANSWERED: Mapping[str, Sequence[str]] = {
    "doctor": ["doctor"],
    "search": ["search zq --limit 40", "search zq --json"],
    "stats": [
        "stats 28 --by agent --by line --by tag --by status",
        "stats 28 --json --by agent",
        "stats 28 --csv --by line",
        "stats 28 --markdown --by status",
        "stats 28 --list messages-in",
        "stats 28 --list backlog",
        "stats 28 --list backlog --json",
    ],
    "tasks list": ["tasks list", "tasks list --json"],
    "tasks show": ["tasks show t1", "tasks show t1 --json", "tasks show t0"],
    "tasks history": ["tasks history t1", "tasks history t1 --json", "tasks history t0"],
    "tasks complete": ["tasks complete t1 t0", "tasks complete t1 --dry-run"],
    "tasks snooze": ["tasks snooze t1 --until +3d", "tasks snooze t0 --until off --json"],
    "tasks update": ["tasks update t1 --title x", *["tasks update t2 --body x --json"] * 3],
    "conversations list": ["conversations list", "conversations list --json"],
    "conversations export": [f"conversations export --{each}" for each in ("csv", "markdown", "html")],
    "conversations snooze": [
        "conversations snooze L1#C1 --until +3d --dry-run",
        "conversations snooze x --until off",
    ],
    "conversations read": ["conversations read L1#C1", "conversations read x --json"],
    "conversations unread": ["conversations unread L1#C1 --json"],
    "conversations no-answer": ["conversations no-answer L1#C1 --json"],
    "conversations note": ["conversations note L1#C1 words"],
    "conversations hand-over": ["conversations hand-over L1#C1 noa words"],
    "conversations take-back": ["conversations take-back L1#C1"],
    "views list": ["views list", "views list --json"],
    "views add": ["views add x tag:vip --dry-run"],
    "views remove": ["views remove x --dry-run"],
    "views share": ["views share x --match tag:vip"],
    "macros list": ["macros list", "macros list --json"],
    "macros run": ["macros run x t1"],
    "undo": ["undo --dry-run", "undo --json", "undo"],
    "redo": ["redo --dry-run --json", "redo"],
    "messages export": [f"messages export {each}" for each in ("L1 C1 --markdown", "L1 C1 --html", "C1 --html")],
    "messages list": ["messages list L1 C1", "messages list L1 C1 --json", "messages list L1 C0"],
    "tags assign": ["tags assign L1#C1 vip", "tags assign L1#C1 vip --json", "tags assign L1#C1 vip"],
    "campaigns get": ["campaigns get c0", "campaigns get c1", "campaigns get c2 --json", "campaigns get none"],
    "campaigns watch": ["campaigns watch c1 --every 1", "campaigns watch c1 --json"],
    "campaigns list": ["campaigns list", "campaigns list --csv", "campaigns list --json"],
    "campaigns unwatch": ["campaigns unwatch c9", "campaigns unwatch c0 --dry-run"],
    "campaigns alerts": ["campaigns alerts", "campaigns alerts --json", "campaigns alerts --dismiss --dry-run"],
    "campaigns samples": ["campaigns samples c0 c1", "campaigns samples c0 --csv", "campaigns samples c0 --json"],
    "campaigns compare": ["campaigns compare c0 c1", "campaigns compare c0 c1 --csv"],
    "campaigns report": ["campaigns report", "campaigns report --html"],
    "campaigns audience": ["campaigns audience {list}", "campaigns audience {list} --json"],
    "campaigns failures": ["campaigns failures c1 --budget 3 --export {failures}", "campaigns failures c1 --json"],
    "campaigns create": [
        "campaigns create --file {campaign}",
        "campaigns create --name x --workflow w1 --line L1 --folder f --list {list} --country DE --dry-run",
    ],
    "workflows list": ["workflows list", "workflows list --json", "workflows list --full --json"],
    "workflows show": ["workflows show w0", "workflows show w1 --heat", "workflows show w1 --json"],
    "workflows check": ["workflows check {workflow}", "workflows check {workflow} --json"],
    "workflows try": [
        "workflows try {workflow} --say hello --wait 1h",
        "workflows try {workflow} --say hello --json",
        "workflows try --workflow w1 --say hello --press 1",
    ],
    "workflows create": ["workflows create w9 --folder f --file {workflow} --despite-errors"] * 3,
    "workflows update": ["workflows update w1 --file {workflow} --despite-errors --dry-run"],
    "workflows versions": ["workflows versions w1", "workflows versions w1 --json"],
    "workflows restore": ["workflows restore w1 1 --dry-run", "workflows restore w1 1 --despite-errors"],
    "workflows diff": ["workflows diff w1 --file {workflow}", "workflows diff w1 --file {workflow} --json"],
    "workflows export": ["workflows export w1", "workflows export w1 --file {exported}"],
    "workflows activate": ["workflows activate w2"],
    "workflows deactivate": ["workflows deactivate w1 --json"] * 3,
    "workflows reset-analytics": ["workflows reset-analytics w1 --yes"] * 3,
    "workflows snapshots": ["workflows snapshots w1", "workflows snapshots w1 --json"],
    "agents list": ["agents list", "agents list --files", "agents list --json"],
    "agents show": ["agents show a1", "agents show a1 --json"],
    "webhooks delete": ["webhooks delete h1 --yes", "webhooks delete h1 --yes --json", "webhooks delete h1 --yes"],
    "journal": ["journal", "journal --here --json"],
    "outbox list": ["outbox list", "outbox list --json"],
    "outbox retry": ["outbox retry 3", "outbox retry 9"],
    "outbox drop": ["outbox drop 3", "outbox drop 9"],
}
"""By the command's name, what is typed. Names in braces are files."""

WITHOUT_STRANGERS = {
    "": "the inbox itself: tests/lab/hostile/walk.py and LINEAR",
    "login": "asks before it has anything to show; what the platform answers is in `doctor`'s words",
    "logout": "tells of files on this machine alone",
    "forget": "tells of files on this machine alone",
    "sandbox": "serves, and prints its own address",
    "demo": "the inbox on the sandbox",
    "web": "serves, and prints its own address; the inbox in it is that of a terminal",
    "open": "the inbox at a record: tests/lab/hostile/walk.py; refuses with what was typed",
    "sync": "prints nothing but its own sentence",
    "docs": "prints its own pages, and what was typed",
    "completion": "prints typer's own script",
    "config path": "prints a path",
    "config edit": "opens the person's editor, then does what `config check` does",
    "config check": "prints what is in the person's own file",
    "team init": "prints what was typed",
    "team add": "prints what was typed",
    "team remove": "prints what was typed, and names of roles",
    "team status": "prints names of desks: tests/team/test_team_cli.py",
    "team doctor": "prints the name of a desk: tests/team/test_team_cli.py",
    "team forget": "prints what was typed",
}
"""Commands that show nothing from outside, and why."""

LINEAR = (
    *("watch c0", "watch c1", "wait 60", "wait 20", "start", "create x", "clone 99"),
    *(
        "list",
        "more",
        "1",
        "thread",
        "links",
        "date yesterday",
        "reply",
        "page",
        "older",
        "newer",
        "export",
        "customer",
        "names",
        "raw",
        "mark 1-3",
        "mark",
        "unmark",
    ),
    *("status this completed", "undo", "redo", "assign this", "unassign this", "due this tomorrow", "edit this x"),
    *("tag this", "tag this vip", "me", "done", "complete 1", "read 1", "unread 1", "toggle 1", "noanswer 1"),
    *("board", "task 1"),
    *(
        "tasks",
        "open 2",
        "new",
        "mention",
        "next",
        "find zq",
        "search zq",
        "open 1",
        "jump zq",
        "sort name",
        "views",
        "snooze 1 until they write",
        "snoozed",
        "undo",
        "macro",
    ),
    *("campaigns", "open 1", "watch c0", "alerts", "dismiss", "unwatch 1", "workflows", "open 1", "raw 1"),
    *("watch c0", "campaigns by name", "failures 1", "compare 1", "samples 1", "report", "workflows list"),
    *("workflows by name", "tree 1", "check 1", "worst 1", "try 1\rzq\rend", "snapshots 1", "versions 1"),
    *("restore 1 1 --dry-run", "save 1", "switch 1 on\rno", "reset 1\rno", "update 1"),
    *(
        "inbox",
        "open 1",
        "note a note",
        "hand noa: what is open",
        "takeback",
        "share",
        "watch c1",
        "wait 20",
        "agents",
        "stats 28",
        "stats 28 by agent",
        "stats 28 by status",
    ),
    *("open 1", "activity", "open 1", "retry 1", "drop 1", "news", "announce now", "connection", "profile"),
    *("refresh all", "wait 20", "reload", "pause", "pause", "help", "help due", "nonsense", "yes"),
    *("privacy on", "list", "privacy off", "run", "quit"),
)
"""Lines of the linear mode with the answers to what they ask; each command is among them."""


def main() -> int:
    """Run the command lines of the JSON file that is named."""
    from frontdesk.cli.main import run

    with open(sys.argv[1], encoding="utf-8") as file:
        lines = json.load(file)
    for number, words in enumerate(lines):
        print(f"{SEPARATOR}{number}", flush=True)
        run(words)
        sys.stdout.flush()
        sys.stderr.flush()
    print(f"{SEPARATOR}{len(lines)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
