"""Questions, declared once for every surface that asks them.

`tui.dialogs.form` draws a table of questions as a page, and `cli.prompts` asks them one after the other; options
have their names and faults from it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a person decides.

    Attributes:
        key: of the answer.
        label: its name beside a field and in what is said of it.
        asked: how a prompt asks for it.
        empty: what an empty answer means, or that there has to be one.
        fault: returns the fault of an answer that isn't empty; empty if it has none.
        hint: what helps to answer.
        example: shown in an empty field.
        name: precedes a fault in a line; empty if faults say what they are of.
        option: of the command line; `variable` is of the environment.
    """

    key: str
    label: str
    asked: str = ""
    empty: str = ""
    fault: Callable[[str], str] = lambda _: ""
    hint: str = ""
    example: str = ""
    name: str = ""
    is_required: bool = False
    is_secret: bool = False
    option: str = ""
    variable: str = ""


def table(*questions: Question) -> dict[str, Question]:
    return {each.key: each for each in questions}


def fault_of(check: Callable[[str], object]) -> Callable[[str], str]:
    """Make a `fault` of a function that raises ValueError."""

    def fault(typed: str) -> str:
        try:
            check(typed)
        except ValueError as error:
            return str(error).removeprefix(": ")
        return ""

    return fault


@dataclass
class Answers:
    """The typed answers to a table of questions."""

    questions: Mapping[str, Question]
    typed: dict[str, str] = field(default_factory=dict, repr=False)

    def value(self, key: str) -> str:
        return self.typed.get(key, "").strip()

    def fault(self, key: str) -> str:
        """Return the fault of a typed answer; empty if it has none, or nothing was typed."""
        value = self.value(key)
        return self.questions[key].fault(value) if value else ""

    def is_missing(self, key: str) -> bool:
        return self.questions[key].is_required and not self.value(key)

    def first_fault(self) -> str | None:
        return next((key for key in self.questions if self.is_missing(key) or self.fault(key)), None)

    def draft(self) -> str:
        """Return what was typed, without secrets, for `read_draft`."""
        kept = (key for key, question in self.questions.items() if not question.is_secret and self.value(key))
        return json.dumps({key: self.value(key) for key in kept})

    def read_draft(self, draft: str) -> None:
        self.typed |= json.loads(draft) if draft else {}
