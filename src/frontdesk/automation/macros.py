"""Macros: several verbs as one action with one undo.

The config has them (`config.macros`); a step that names nothing known switches its macro off and says so, and
nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from frontdesk.config.actions import Action, Group, Undo
from frontdesk.config.config_tables import MacroFile, MacroSetting
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk.inbox.commands import TAG
from frontdesk.outbox.snooze_view import SNOOZE_VERB
from frontdesk.outbox.verbs import RecordChange, Verb, VerbContext
from frontdesk.tasks.commands import ASSIGN, DUE_VERB, STATUS_VERB, fields_part
from frontdesk.text.fuzzy import UnusableWords
from frontdesk_lines.display_text import show_label, show_line
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Line, span

CONTEXTS = ("inbox", "board")
"""The screens on which macros work."""

VERBS: Mapping[str, Verb] = {each.word: each for each in (STATUS_VERB, ASSIGN, DUE_VERB, TAG, SNOOZE_VERB)}
"""The verbs of steps, by their first word; a title or a text is of one task."""

MAX_DOES_CELLS = 60
"""The most cells of what a macro did, in its notice."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro that can be run.

    Attributes:
        action: its words, for the keymap.
        texts: its steps as the config has them.
        steps: the words after each verb.
    """

    name: str
    key: str
    where: str
    action: Action
    texts: Sequence[str]
    steps: Mapping[str, str]

    def change(self, context: VerbContext) -> RecordChange:
        """Return what it does now: all fields of a task at once.

        Raises:
            UnusableWords: its times are over, as `today 9am` in the evening, or count from a clock that is off.
        """
        context = context._replace(is_kept=True)
        changes = [VERBS[verb].parse(self.steps[verb], context) for verb in VERBS if verb in self.steps]
        fields = {name: value for each in changes for name, value in each.fields.items()}
        gets: Line = tuple(part for each in changes if each.gets for part in (span("  "), *each.gets))
        name, does = show_label(self.name, 40).text, show_line(", ".join(self.texts), MAX_DOES_CELLS).text
        return RecordChange(
            f"Macro: {self.name}",
            name,
            f"{name} ({does}):",
            f"as {name} leaves it",
            lambda on: f"{name} on {on}?",
            lambda on: f"{name}: {on}",
            [
                *([fields_part(fields)] if fields else []),
                *(part for each in changes for part in each.parts if not part.fields),
            ],
            gets=gets[1:],
            undo=Undo.UNTIL_SENT if "tag" in self.steps else Undo.ALWAYS,
            leaves=any(each.leaves for each in changes),
        )


def load(file: MacroFile, profile: Profile, now: datetime) -> tuple[list[Macro], list[str]]:
    """Read the macros of a config for a profile, and a sentence for each that can't be used, with its line."""
    # When the day begins: what is over by now is fine tomorrow, and is refused when the macro runs.
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    context = VerbContext(RenderContext(Catalogue(profile), glyphs(True), begin, now.tzinfo or UTC), is_kept=True)
    macros: list[Macro] = []
    faults, names = list(file.faults), set[str]()
    for each in file.macros:
        if each.name.casefold() in names:
            faults.append(f"{each.where}: another macro is also named {each.name}; this one is ignored")
            continue
        names.add(each.name.casefold())
        steps, wrong = dict[str, str](), list[str]()
        for step in each.steps:
            try:
                _read_step(step.text.strip(), steps, context)
            except UnusableWords as error:
                wrong.append(f"{step.where}: {error}; the macro {each.name} is ignored")
        faults += wrong
        if not wrong:
            texts = [step.text.strip() for step in each.steps]
            macros.append(Macro(each.name, each.key, each.where, _action(each, len(macros)), texts, steps))
    return macros, faults


def _action(setting: MacroSetting, number: int) -> Action:
    name = f"macro.{number + 1}"
    method, group = f"app.macro('{name}')", Group.CUSTOM
    return Action(name, (), method, setting.name, setting.name, group, CONTEXTS, undo=Undo.ALWAYS, writes=True)


def _read_step(text: str, steps: dict[str, str], context: VerbContext) -> None:
    """Add a step to the words of its verb."""
    word, _, words = text.partition(" ")
    verb, words = VERBS.get(word.lower()), words.strip()
    if verb is None:
        raise UnusableWords(f"unknown step {text!r}; a step begins with {', '.join(VERBS)}")
    if not words:
        raise UnusableWords(f"the step {verb.word!r} is incomplete; write, for example, {verb.example!r}")
    if verb.word in steps and not verb.joins:
        raise UnusableWords(f"a second {verb.word!r} in one macro; keep one of them")
    verb.parse(words, context)
    steps[verb.word] = f"{steps[verb.word]}, {words}" if verb.word in steps else words
