"""The linear mode's `macro`: lists the macros of the config, and runs one."""

from frontdesk.automation import macros
from frontdesk.config import settings as config_settings
from frontdesk.config.actions import Undo
from frontdesk.config.config_tables import load_macros
from frontdesk.linear.commands import DOING, TARGET_HELP, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record
from frontdesk.linear.session import Session
from frontdesk.linear.verbs import carry_out, context_of, records_among
from frontdesk_lines.display_text import show_line


def macro(session: Session, words: str) -> None:
    """`macro`: run a macro of the config on tasks or conversations; without a name, list them."""
    file = load_macros(config_settings.config_path())
    found, faults = macros.load(file, session.store.profile, session.now())
    if not words:
        session.print(*(show_line(f"{each.name}: {'; '.join(each.texts)}.", 300) for each in found))
        session.print(*(show_line(f"{each}.", 300) for each in faults))
        if not file.macros and not faults:
            session.print("No macros yet. To add one, write [[macros]] in config.toml.")
        return
    things, rest = session.parse_targets(words)
    by_name = {each.name: each for each in found}
    known = f"Macros: {', '.join(by_name) or 'none'}."
    if not rest:
        raise NotUnderstood(f"Which macro? {known}")
    chosen = by_name[find_record(rest, {each: each for each in by_name}, "macro", known)]
    if len({kind for kind, _ in things}) > 1:
        raise NotUnderstood("Choose tasks or conversations; a macro works on one kind at a time.")
    change = chosen.change(context_of(session))
    carry_out(session, change, things, records_among(session, things, change.on))


COMMANDS = (
    Command(
        "list.macro",
        macro,
        "macro",
        "[[N] NAME]",
        DOING,
        "Run one of your macros, or list them",
        more=(
            *TARGET_HELP,
            "On a conversation, it changes the most urgent task. All changes are one action with one undo.",
        ),
        undo=Undo.ALWAYS,
        lists=True,
    ),
)
