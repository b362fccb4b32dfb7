"""The tree of commands. Each imports what it needs when it runs, so that help and errors are fast."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from frontdesk import __version__
from frontdesk.accounts import config_check, doctor, login, profile_removal
from frontdesk.activity.actions import ACTIONS
from frontdesk.ai_agents import cli as agent_cli
from frontdesk.app import open_record
from frontdesk.app.run_web import web
from frontdesk.automation import cli as macros
from frontdesk.campaigns.cli import app as campaign_app
from frontdesk.cli import docs, hand_over, undo
from frontdesk.cli.command_help import CommandTree, add_examples
from frontdesk.cli.completion import (
    CommandServices,
    NameQuery,
    StoredKind,
    complete_profile,
    print_completion,
)
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsLines, AsObject, DryRun, WriteOptions, writes
from frontdesk.cli.read_only import unless_read_only
from frontdesk.cli.run_options import (
    PRIVACY,
    PRIVACY_HELP,
    READ_ONLY,
    READ_ONLY_HELP,
    apply_run_options,
    without_global_options,
)
from frontdesk.config.actions import RunCommand, help_of
from frontdesk.inbox.cli import actions as inbox_actions
from frontdesk.inbox.cli import conversations, messages, views
from frontdesk.inbox.cli import search as stored_search
from frontdesk.metrics import cli as metrics_cli
from frontdesk.registry.actions import WRITING_COMMANDS
from frontdesk.tasks.cli import app as task_cli
from frontdesk.team.cli import app as team_cli
from frontdesk.team.cli import journal as journal
from frontdesk.workflows.cli import app as workflow_app
from frontdesk_lines.display_text import set_terminal
from frontdesk_sandbox.options import (
    MAX_SPEED,
    PLANS,
    SIZES,
    Plan,
    SandboxCannotStart,
    SandboxOptions,
    Size,
    reader_language,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import apsw

    from frontdesk.campaigns.preflight_facts import WorkflowSource
    from frontdesk.metrics.facts import RunningCampaign
    from frontdesk.metrics.promises import Promises
    from frontdesk.outbox.changes import ChangeHandlers
    from frontdesk.outbox.sender import Sender
    from frontdesk.storage.database import ProfileStore

# Typer brings its own copy of click or uses the installed one, depending on its version.
_UsageError: type[Exception] = cast("Any", typer.BadParameter).__mro__[1]


def _change_number(typed: str) -> int:
    if typed.isascii() and typed.isdecimal() and 0 < int(typed) < 2**63:
        return int(typed)
    raise typer.BadParameter(f"{typed[:40]!r} isn't a change number; to list changes, run `frontdesk outbox list`")


ChangeId = Annotated[
    int, typer.Argument(metavar="ID", parser=_change_number, help="The change's number in `outbox list`.")
]


def sandbox(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 8787,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Save the state in this folder. Default: a temporary one.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed creates the same sample data.")] = 1,
    size: Annotated[Size, typer.Option(metavar="|".join(SIZES), help="How much sample data to create.")] = "small",
    crowd: Annotated[bool, typer.Option("--crowd/--no-crowd", help="Simulate customers and deliveries.")] = True,
    speed: Annotated[
        float, typer.Option(metavar="X", min=0.001, max=MAX_SPEED, help="The speed of simulated time.")
    ] = 1.0,
    plan: Annotated[
        Plan, typer.Option(metavar="|".join(PLANS), help="The account's plan; basic has no workflow analytics.")
    ] = "expert",
    other_codes: Annotated[
        bool,
        typer.Option(
            "--other-codes",
            help="Randomly use other status codes of the same class where the platform's docs give none.",
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also answer requests to this name or NAME:PORT; may be repeated."),
    ] = None,
    listen_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run the sandbox, a simulated platform, in the foreground.

    Credentials: Cookie token=sandbox, x-api-key sandbox-key, Bearer sandbox-bearer.
    """
    from frontdesk_sandbox.service import run

    options = SandboxOptions(
        host=host,
        port=port,
        data=data,
        seed=seed,
        size=size,
        crowd=crowd,
        speed=speed,
        language=reader_language(os.environ),
        plan=plan,
        other_codes=other_codes,
        allow_hosts=tuple(allow_host or ()),
        listen_fd=listen_fd,
    )
    try:
        run(options, lambda url: print(f"sandbox ready at {url}", flush=True))
    except SandboxCannotStart as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None


app = typer.Typer(
    name="frontdesk",
    cls=CommandTree,
    help="A terminal inbox for a business messaging platform. Without a command, it opens the inbox.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
outbox = typer.Typer(help="List, resend or discard changes that aren't confirmed.", no_args_is_help=True)
app.add_typer(task_cli.app, name="tasks")
app.add_typer(messages.app, name="messages")
app.add_typer(conversations.app, name="conversations")
app.add_typer(inbox_actions.tags, name="tags")
app.add_typer(campaign_app.app, name="campaigns")
app.add_typer(workflow_app.app, name="workflows")
app.add_typer(agent_cli.app, name="agents")
app.add_typer(workflow_app.webhooks, name="webhooks")
app.add_typer(outbox, name="outbox")
app.add_typer(team_cli.app, name="team")
app.add_typer(config_check.app, name="config")
app.command(name="login")(login.login)
app.command(name="logout")(profile_removal.logout)
app.command(name="forget")(profile_removal.forget)
app.command(name="doctor")(doctor.doctor)
app.command(name="sandbox")(sandbox)
app.command(name="search")(stored_search.search)
app.command(name="open")(open_record.open_record)
app.command(name="journal")(journal.journal)
app.command(name="stats")(metrics_cli.show_stats)
app.command(name="docs")(docs.docs)
app.command(name="completion")(print_completion)
app.command(name="web")(web)
app.add_typer(views.app, name="views")
app.add_typer(macros.app, name="macros")
conversations.app.command(name="hand-over")(hand_over.hand_over)
conversations.app.command(name="take-back")(hand_over.take_back)
app.command(name="undo")(undo.undo)
app.command(name="redo")(undo.redo)


def _name_queries() -> "Mapping[StoredKind, NameQuery]":
    from frontdesk.registry.name_queries import NAME_QUERIES

    return NAME_QUERIES


def _workflow_source() -> "WorkflowSource":
    from frontdesk.registry.campaign_workflows import CampaignWorkflows

    return CampaignWorkflows()


def _load_promises(store: "ProfileStore") -> "tuple[Promises, str]":
    from frontdesk.registry.service_policies import load_promises

    return load_promises(store)


def _read_campaigns(db: "apsw.Connection", now: float) -> "Sequence[RunningCampaign]":
    from frontdesk.registry.running_campaigns import read_campaigns

    return read_campaigns(db, now)


def _load_handlers() -> "ChangeHandlers":
    from frontdesk.registry.changes import CHANGE_HANDLERS

    return CHANGE_HANDLERS


def _make_sender(*parts: Any) -> "Sender":
    from frontdesk.engine.features import make_sender

    return make_sender(*parts)


@functools.cache
def _command() -> Callable[..., object]:
    """Build the command line of `app` once per process; a call of `app` itself builds it each time."""
    command: Any = typer.main.get_command(app)
    add_examples(command)
    for words in WRITING_COMMANDS:
        found = functools.reduce(lambda group, word: group.commands[word], words.split(), command)
        found.callback = unless_read_only(found.callback)
    return cast("Callable[..., object]", command)


def run_command(arguments: list[str], run: RunCommand) -> int:
    """Run one command line and return its exit status; raises what `errors.report` understands.

    Args:
        run: what the linear mode runs its command lines with.
    """
    _refuse_blank(arguments)
    services = CommandServices(
        _name_queries, _workflow_source, _load_promises, _read_campaigns, run, _load_handlers, _make_sender
    )
    try:
        answer = _command()(arguments, prog_name="frontdesk", standalone_mode=False, obj=services)
    except typer.Abort:
        return 130
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # click's own ending for it, with status 1
            raise end.__context__ from None
        raise
    except _UsageError as error:
        words = str(getattr(error, "format_message", error.__str__)()).replace("Value error, ", "")
        if type(error).__name__ == "NoArgsIsHelpError":
            print(words)
        else:
            context = getattr(error, "ctx", None)
            command = context.command_path if context is not None else "frontdesk"
            option = str(getattr(error, "option_name", ""))
            if option in _BEFORE_COMMAND and command != "frontdesk":
                words = f"{words.rstrip('.')} here; it goes before the command: `frontdesk {option} …`"
                print_error(words)
            else:
                print_error(f"{words.rstrip('.')}; see `{command} --help`")
        return INPUT_WRONG
    return answer if isinstance(answer, int) else 0


_BEFORE_COMMAND = frozenset({READ_ONLY, "--profile", "--sentences"})
"""Global options; the others mean nothing to a command."""

_MAY_BE_EMPTY = frozenset(
    {"--assign", "--viewed-by", "--agent-id", "--title", "--body", "--description", "--say", "--let"}
)
"""Options with which an empty value means something, such as nobody."""


def _refuse_blank(arguments: list[str]) -> None:
    """Refuse an empty value before anything is asked, read or sent: usually a variable of a script isn't set."""
    is_update = without_global_options(arguments)[:2] == ["tasks", "update"]
    allowed = _MAY_BE_EMPTY | ({"--conversation", "--phone"} if is_update else set())
    for before, given in zip(["", *arguments], arguments, strict=False):
        name, sign, value = given.partition("=") if given.startswith("--") else (before, "=", given)
        if sign and not value.strip() and name not in allowed:
            subject = name if name.startswith("--") else "an argument"
            raise CommandFailed(INPUT_WRONG, f"{subject} can't be empty; nothing was sent")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"frontdesk {__version__}")
        raise typer.Exit


ReadOnlyOption = Annotated[bool, typer.Option(READ_ONLY, help=READ_ONLY_HELP)]
PrivacyOption = Annotated[bool, typer.Option(PRIVACY, help=PRIVACY_HELP)]


@app.callback(invoke_without_command=True)
def _before_all(
    context: typer.Context,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="The profile to use.", autocompletion=complete_profile),
    ] = None,
    read_only: ReadOnlyOption = False,
    privacy: PrivacyOption = False,
    sentences: Annotated[
        bool, typer.Option("--sentences", help="Print tables as sentences, for screen readers.")
    ] = False,
    _version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
    linear: Annotated[
        bool, typer.Option("--linear", help="The inbox as plain lines and commands, for screen readers and pipes.")
    ] = False,
    width: Annotated[
        int | None, typer.Option("--width", metavar="N", help="With --linear, wrap lines at N columns.")
    ] = None,
) -> int | None:
    if profile is not None:
        os.environ["FRONTDESK_PROFILE"] = profile  # for this process and for those it starts
    if privacy and context.invoked_subcommand not in (None, "demo", "web"):
        raise typer.BadParameter(
            f"{PRIVACY} is for the inbox, --linear, demo and web; what a command prints isn't hidden"
        )
    apply_run_options(read_only=read_only, privacy=privacy)
    if context.invoked_subcommand is not None:
        set_terminal(reads_out=sentences)
        return None
    if linear:
        from frontdesk.linear.run import run_linear

        wrapped = [] if width is None else ["--width", str(width)]
        return run_linear([*wrapped, *([] if profile is None else [profile])], context.obj.run_command)
    if width is not None:
        raise typer.BadParameter("--width requires --linear")
    from frontdesk.app.run_tui import run_inbox

    return run_inbox(profile)


@app.command()
def demo(
    context: typer.Context,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over with fresh sample data.")] = False,
    linear: Annotated[
        bool, typer.Option("--linear", help="Use plain lines and commands, for screen readers and pipes.")
    ] = False,
    width: Annotated[
        int | None, typer.Option("--width", metavar="N", help="With --linear, wrap lines at N columns.")
    ] = None,
    team: Annotated[
        int | None,
        typer.Option(
            "--team",
            metavar="N",
            min=2,
            help="Open one of N people's inboxes in a team, over an embedded PostgreSQL. Run the same command "
            "in another terminal to open the next one.",
        ),
    ] = None,
    read_only: ReadOnlyOption = False,
    privacy: PrivacyOption = False,
) -> int:
    """Open the inbox with sample data; no account needed.

    In a second terminal, opens the same demo.
    """
    from frontdesk.app.run_demo import run_demo

    apply_run_options(read_only=read_only, privacy=privacy)
    wrapped = [] if width is None else ["--width", str(width)]
    desks = [] if team is None else ["--team", str(team)]
    return run_demo([*(["--fresh"] * fresh), *(["--linear"] * linear), *desks, *wrapped], context.obj.run_command)


@app.command()
def sync() -> int:
    """Keep the store up to date without opening the inbox.

    Prints a line on standard error whenever the connection is lost, refused or back.
    """
    from frontdesk.config.credential_sources import add_outside_credentials
    from frontdesk.config.credentials import load_credentials
    from frontdesk.config.settings import load_config, resolve_profile
    from frontdesk.engine.main import main

    chosen = resolve_profile(load_config(), os.environ)
    os.environ.update(add_outside_credentials(chosen, os.environ))
    load_credentials(chosen, os.environ)  # refused now, not in the log
    print("frontdesk: keeping the store up to date; press ctrl+c to stop", file=sys.stderr)
    profile = os.environ.get("FRONTDESK_PROFILE")
    return main(["--profile", profile] if profile else [])


@outbox.command("list")
def outbox_list(as_json: AsLines = False) -> int:
    """List unconfirmed, rejected and conflicting changes."""
    from frontdesk.activity.cli import list_changes
    from frontdesk.registry.changes import CHANGE_VIEWS

    return list_changes(CHANGE_VIEWS, as_json=as_json)


@outbox.command(
    "retry",
    help=f"{help_of(ACTIONS, 'change.retry')}.\n\n"
    "If it changes a workflow that someone else has changed in the meantime, this prints "
    "their changes and sends yours only with --over-theirs.",
)
@writes(on_store=True)
def outbox_retry(
    write: WriteOptions,
    change: ChangeId,
    over_theirs: Annotated[
        bool, typer.Option("--over-theirs", help="Overwrite a workflow that someone else has changed.")
    ] = False,
) -> int:
    """Resend a rejected or conflicting change."""
    from frontdesk.activity.cli import retry
    from frontdesk.registry.changes import CHANGE_HANDLERS, CHANGE_VIEWS
    from frontdesk.storage.records import ChangeKind
    from frontdesk.workflows.cli.read import print_conflict

    printers = {ChangeKind.WORKFLOW_UPDATE: print_conflict}
    return retry(CHANGE_HANDLERS, CHANGE_VIEWS, printers, change, write, over_theirs=over_theirs)


@outbox.command("drop", help=f"{help_of(ACTIONS, 'change.drop')}.")
def outbox_drop(change: ChangeId, dry_run: DryRun = False, as_json: AsObject = False) -> int:
    """Discard a change."""
    from frontdesk.activity.cli import drop
    from frontdesk.registry.changes import CHANGE_HANDLERS

    return drop(CHANGE_HANDLERS, change, dry_run=dry_run, as_json=as_json)
