"""What `--help`, the reference and the man page have beside options: headings over the commands, and examples.

The examples work on the demo: with `FRONTDESK_PROFILE=demo` while it is open, or `--profile demo`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from typer.core import TyperGroup

HEADINGS: Sequence[tuple[str, Sequence[str]]] = (
    ("Inbox", ("demo", "login", "open", "web")),
    ("Customers", ("conversations", "tasks", "messages", "tags", "search", "views", "macros", "undo", "redo")),
    ("Campaigns and workflows", ("campaigns", "workflows", "agents", "webhooks")),
    ("Changes and numbers", ("outbox", "journal", "stats", "sync")),
    ("Setup and help", ("docs", "config", "doctor", "completion", "team", "sandbox", "logout", "forget")),
)
"""The commands under their headings, in the order in which people meet them."""

_TASK = "task_cd371e7c355e6ec257"
_EXPORT = "frontdesk workflows export wf-welcome --file welcome.json"
_CONVERSATION = '"442079460018#447700938492"'

EXAMPLES: Mapping[str, Sequence[str]] = {
    "": ("frontdesk demo", "FRONTDESK_PROFILE=demo frontdesk tasks list --limit 5"),
    "demo": ("frontdesk demo", "frontdesk demo --fresh"),
    "login": ("frontdesk login", "frontdesk login acme --base-url https://api.example.com"),
    "open": ("frontdesk open cmp-early-access",),
    "web": ("frontdesk web --demo", "frontdesk web --board --port 8400"),
    "conversations list": ('frontdesk conversations list --match "is:waiting" --limit 5',),
    "conversations export": ('frontdesk conversations export --match "tag:vip" --csv > vip.csv',),
    "conversations snooze": (f'frontdesk conversations snooze {_CONVERSATION} --until "tomorrow 9am"',),
    "conversations read": (f"frontdesk conversations read {_CONVERSATION}",),
    "conversations unread": (f"frontdesk conversations unread {_CONVERSATION}",),
    "conversations no-answer": (f"frontdesk conversations no-answer {_CONVERSATION}",),
    "conversations note": (f'frontdesk conversations note {_CONVERSATION} "@Daniel is the refund paid?"',),
    "conversations hand-over": (
        f'frontdesk conversations hand-over {_CONVERSATION} agent-lina "Please call back" --due fri',
    ),
    "conversations take-back": (f"frontdesk conversations take-back {_CONVERSATION}",),
    "tasks list": (
        "frontdesk tasks list --agent agent-noa --limit 5",
        "frontdesk tasks list --json | jq -r .title",
    ),
    "tasks show": (f"frontdesk tasks show {_TASK}",),
    "tasks history": (f"frontdesk tasks history {_TASK}",),
    "tasks update": (
        f'frontdesk tasks update {_TASK} --status standby --due "tomorrow 9am"',
        "frontdesk tasks list --agent agent-daniel --json | jq -r .taskId |\n"
        "  frontdesk tasks update - --assign agent-noa --dry-run",
    ),
    "tasks complete": (f"frontdesk tasks complete {_TASK}",),
    "tasks snooze": (f'frontdesk tasks snooze {_TASK} --until "fri 9am"',),
    "messages list": ("frontdesk messages list 442079460018 447700938492 --limit 10",),
    "messages export": ("frontdesk messages export 442079460018 447700938492 --html --file thread.html",),
    "tags assign": (f"frontdesk tags assign {_CONVERSATION} tag-vip tag-invoice",),
    "search": ("frontdesk search invoice --limit 5",),
    "views list": ("frontdesk views list",),
    "views add": ('frontdesk views add vip "tag:vip is:waiting"',),
    "views remove": ("frontdesk views remove vip",),
    "views share": ("frontdesk views share vip",),
    "macros list": ("frontdesk macros list",),
    "macros run": (f"frontdesk macros run Later {_TASK} --dry-run",),
    "undo": ("frontdesk undo", "frontdesk undo 3 --dry-run"),
    "redo": ("frontdesk redo",),
    "campaigns create": (
        'frontdesk campaigns create --name "Spring sale" --workflow wf-early-access --line 442079460018 \\\n'
        "  --folder folder-campaigns --list customers.csv --country GB --dry-run",
    ),
    "campaigns get": ("frontdesk campaigns get cmp-early-access",),
    "campaigns watch": ("frontdesk campaigns watch cmp-early-access",),
    "campaigns unwatch": ("frontdesk campaigns unwatch cmp-early-access",),
    "campaigns list": ("frontdesk campaigns list", "frontdesk campaigns list --csv"),
    "campaigns alerts": ("frontdesk campaigns alerts", "frontdesk campaigns alerts --dismiss"),
    "campaigns samples": ("frontdesk campaigns samples cmp-early-access --csv > samples.csv",),
    "campaigns compare": ("frontdesk campaigns compare cmp-weekend cmp-loyalty",),
    "campaigns report": (
        'frontdesk campaigns report --since "yesterday 18:00"',
        "frontdesk campaigns report --html",
    ),
    "campaigns audience": ("frontdesk campaigns audience customers.csv --country GB",),
    "campaigns failures": ("frontdesk campaigns failures cmp-delivery-survey --export failed.csv",),
    "workflows try": ("frontdesk workflows try --workflow wf-welcome --say hello",),
    "workflows list": ("frontdesk workflows list",),
    "workflows show": ("frontdesk workflows show wf-welcome --heat",),
    "workflows create": (_EXPORT, "frontdesk workflows create wf-new --folder folder-service --file welcome.json"),
    "workflows check": (_EXPORT, "frontdesk workflows check welcome.json"),
    "workflows update": (
        _EXPORT,
        "frontdesk workflows update wf-welcome --file welcome.json --dry-run",
    ),
    "workflows activate": ("frontdesk workflows activate wf-comments",),
    "workflows deactivate": ("frontdesk workflows deactivate wf-comments",),
    "workflows diff": (
        _EXPORT,
        "frontdesk workflows diff wf-welcome --file welcome.json",
    ),
    "workflows export": (_EXPORT,),
    "workflows versions": ("frontdesk workflows versions wf-welcome",),
    "workflows restore": ("frontdesk workflows restore wf-welcome 1 --dry-run",),
    "workflows reset-analytics": ("frontdesk workflows reset-analytics wf-welcome --dry-run",),
    "workflows snapshots": ("frontdesk workflows snapshots wf-welcome",),
    "agents list": ("frontdesk agents list --files",),
    "agents show": ("frontdesk agents show ai-01",),
    "webhooks delete": ("frontdesk webhooks delete wh-crm --dry-run",),
    "outbox list": ("frontdesk outbox list",),
    "outbox retry": ("frontdesk outbox retry 3",),
    "outbox drop": ("frontdesk outbox drop 3",),
    "journal": ("frontdesk journal --limit 20",),
    "stats": ("frontdesk stats 7 --by person",),
    "sync": ("frontdesk sync",),
    "docs": ("frontdesk docs configuration#keys", "frontdesk docs saved views"),
    "config path": ("frontdesk config path",),
    "config edit": ("frontdesk config edit",),
    "config check": ("frontdesk config check",),
    "doctor": ("frontdesk doctor",),
    "completion": ("frontdesk completion zsh > ~/.zfunc/_frontdesk",),
    "team init": ("frontdesk team init postgresql://owner@db.example.com/desk --account acme",),
    "team add": ("frontdesk team add noa --agent agent-noa --may-poll",),
    "team remove": ("frontdesk team remove noa",),
    "team status": ("frontdesk team status",),
    "team doctor": ("frontdesk team doctor",),
    "team forget": ("frontdesk team forget 447700938492 --yes",),
    "sandbox": ("frontdesk sandbox --port 0 --size medium",),
    "logout": ("frontdesk logout acme",),
    "forget": ("frontdesk forget acme --dry-run",),
}
"""One or two lines for each command, by its words; those of the program itself have none."""


class CommandTree(TyperGroup):
    """The commands of the program, listed under `HEADINGS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of `HEADINGS`; those without a heading come last."""
        order = [name for _, names in HEADINGS for name in names]
        return sorted(
            super().list_commands(ctx), key=lambda name: order.index(name) if name in order else len(order)
        )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names))
        for heading, listed in HEADINGS:
            with formatter.section(heading):
                shown = (name for name in names if name in listed)
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit)) for name in shown])


def add_examples(command: Any, words: str = "") -> None:
    """Add the examples to the help of a command and of those below it."""
    if examples := EXAMPLES.get(words):
        shown = "\n".join(f"  {each}" for each in "\n".join(examples).split("\n"))
        command.epilog = f"\b\nExample{'s' * (len(examples) > 1)}:\n{shown}"
    for name, child in getattr(command, "commands", {}).items():
        add_examples(child, f"{words} {name}".strip())
