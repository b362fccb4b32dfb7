"""Commands that act on the profile's store like the inbox: on conversations, views and macros, and undo and redo.

Only their options are here; what they do is imported when it runs.
"""

from typing import Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.options import AsLines, AsObject, DryRun, Until, WriteOptions, group

Conversations = Annotated[
    list[str],
    typer.Argument(
        metavar="CONVERSATION...",
        help="Their ids, in quotes: they contain a #; - reads them from standard input, one per line.",
        autocompletion=completion.complete_conversation,
    ),
]
Conversation = Annotated[
    str,
    typer.Argument(
        metavar="CONVERSATION",
        help="Its id, in quotes: it contains a #.",
        autocompletion=completion.complete_conversation,
    ),
]
NoteText = Annotated[str, typer.Argument(metavar="TEXT", help="The note; @NAME mentions a colleague.")]

views = group("List saved views; add, remove or share your own.")
ViewName = Annotated[str, typer.Argument(metavar="NAME", help="The view's name.")]
macros = group("List your macros, and run one.")


def add_commands(app: typer.Typer, conversations: typer.Typer) -> None:
    """Add the groups, and the commands, to the tree and to those on conversations."""
    for command in (snooze, read, unread, no_answer, note, hand_over, take_back):
        conversations.command(command.__name__.replace("_", "-"))(command)
    app.add_typer(views, name="views")
    app.add_typer(macros, name="macros")
    app.command("undo")(undo)
    app.command("redo")(redo)


def snooze(
    context: typer.Context,
    conversations: Conversations,
    until: Until,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Snooze conversations until a time or until they write; off wakes them."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.outbox.snooze_view import SNOOZE_VERB

    return run_verb(SNOOZE_VERB, "conversation", conversations, WriteOptions(context.obj, dry_run, as_json), until)


def read(
    context: typer.Context, conversations: Conversations, dry_run: DryRun = False, as_json: AsObject = False
) -> int:
    """Mark conversations as read, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import READ

    options = WriteOptions(context.obj, dry_run, as_json)
    return run_verb(READ, "conversation", conversations, options, local={"read": True})


def unread(
    context: typer.Context, conversations: Conversations, dry_run: DryRun = False, as_json: AsObject = False
) -> int:
    """Mark conversations as unread, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import UNREAD

    options = WriteOptions(context.obj, dry_run, as_json)
    return run_verb(UNREAD, "conversation", conversations, options, local={"read": False})


def no_answer(
    context: typer.Context,
    conversations: Conversations,
    needed: Annotated[bool, typer.Option("--needed", help="Remove the mark.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Mark conversations as needing no answer, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import NEEDS_ANSWER, NO_ANSWER

    verb = NEEDS_ANSWER if needed else NO_ANSWER
    return run_verb(verb, "conversation", conversations, WriteOptions(context.obj, dry_run, as_json))


def note(
    context: typer.Context,
    conversation: Conversation,
    text: NoteText,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Write a note that only the team sees."""
    from frontdesk.inbox import actions_cli

    return actions_cli.write_note(conversation, text, WriteOptions(context.obj, dry_run, as_json))


def hand_over(
    context: typer.Context,
    conversation: Conversation,
    agent: Annotated[
        str,
        typer.Argument(metavar="AGENT", help="The colleague's id.", autocompletion=completion.complete_agent),
    ],
    text: NoteText,
    due: Annotated[
        str,
        typer.Option("--due", metavar="WHEN", help="New due date of its open task. Default: unchanged."),
    ] = "",
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Hand a conversation over with a note, and assign its open task."""
    from frontdesk.app import action_cli

    return action_cli.hand_over(conversation, agent, text, due, WriteOptions(context.obj, dry_run, as_json))


def take_back(
    context: typer.Context, conversation: Conversation, dry_run: DryRun = False, as_json: AsObject = False
) -> int:
    """Take back your last note about a conversation."""
    from frontdesk.app import action_cli

    return action_cli.take_back(conversation, WriteOptions(context.obj, dry_run, as_json))


@views.command("list")
def list_views(as_json: AsLines = False) -> int:
    """List the saved views: built-in ones, yours and the team's."""
    from frontdesk.inbox import actions_cli

    return actions_cli.print_views(as_json=as_json)


@views.command("add")
def add_view(
    name: ViewName,
    match: Annotated[str, typer.Argument(metavar="WORDS", help="Its filter words, in quotes.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a view of this name.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Save a view of your own in config.toml; open screens of the profile have it at once."""
    from frontdesk.inbox import actions_cli

    return actions_cli.add_view(name, match, replace=replace, dry_run=dry_run, as_json=as_json)


@views.command("remove")
def remove_view(name: ViewName, dry_run: DryRun = False, as_json: AsObject = False) -> int:
    """Remove a view of your own from config.toml."""
    from frontdesk.inbox import actions_cli

    return actions_cli.remove_view(name, dry_run=dry_run, as_json=as_json)


@views.command("share")
def share_view(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The view's name, for the team.")],
    match: Annotated[
        str, typer.Option("--match", metavar="WORDS", help="Its filter words. Default: those of your view NAME.")
    ] = "",
    stop: Annotated[bool, typer.Option("--stop", help="Stop sharing it.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Share a view with the team, or stop."""
    from frontdesk.inbox import actions_cli

    return actions_cli.share_view(name, match, stop=stop, dry_run=dry_run, as_json=as_json)


@macros.command("list")
def list_macros(as_json: AsLines = False) -> int:
    """List the macros in config.toml with their steps."""
    from frontdesk.automation import macros_cli

    return macros_cli.print_macros(as_json=as_json)


@macros.command("run")
def run_macro(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The macro's name, or its beginning.")],
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Task ids, or conversation ids in quotes; - reads them from standard input, one per line.",
        ),
    ],
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Run a macro on tasks or conversations, as one action with one undo.

    On a conversation, it changes the most urgent task.
    """
    from frontdesk.automation import macros_cli

    return macros_cli.run_macro(name, ids, WriteOptions(context.obj, dry_run, as_json))


def undo(
    context: typer.Context,
    change: Annotated[
        int | None,
        typer.Argument(metavar="[ID]", help="A change's number in `outbox list`. Default: the last action."),
    ] = None,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Undo the last action, wherever it was made, or one change."""
    from frontdesk.app import action_cli

    return action_cli.undo(change, WriteOptions(context.obj, dry_run, as_json))


def redo(context: typer.Context, dry_run: DryRun = False, as_json: AsObject = False) -> int:
    """Redo the last undone action on this profile."""
    from frontdesk.app import action_cli

    return action_cli.redo(WriteOptions(context.obj, dry_run, as_json))
