"""Asks questions in a terminal, each until its answer can be used."""

import getpass

import typer

from frontdesk.cli.errors import print_error
from frontdesk.text.questions import Question


def ask(question: Question, kept: str = "", kept_words: str = "the saved one") -> str:
    """Ask for an answer; an empty one keeps what is kept. A secret is neither shown nor proposed.

    Args:
        kept_words: what a kept secret is called.
    """
    if question.hint:
        print(question.hint)
    while True:
        if question.is_secret:
            typed = getpass.getpass(f"{question.asked}{f' [keep {kept_words}]' if kept else ''}: ")
        else:
            typed = str(typer.prompt(question.asked, default=kept, show_default=bool(kept)))
        answer = typed.strip() or kept
        if not answer and not question.is_required:
            return ""
        if not (fault := question.fault(answer)):
            return answer
        print_error(f"{question.name}: {fault}" if question.name else fault)
