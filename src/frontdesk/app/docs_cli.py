"""`frontdesk docs`: the docs that come with the program, in the terminal."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from frontdesk.cli.docs_pages import SCHEMA, NoSuchTopic, read_topic, topics, topics_by_group
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.config.processes import child_environment

_LESS = "FRX"
"""As git sets it: quit if all fits on the screen, keep bold, leave the text there."""


def _complete_topic(incomplete: str) -> list[str]:
    return [name for name in topics() if name.startswith(incomplete)]


def docs(
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="A page, such as configuration, or a section of it: configuration#keys. Default: list the pages.",
            autocompletion=_complete_topic,
        ),
    ] = None,
) -> None:
    """Read the docs that come with the program; without TOPIC, list the pages.

    In a terminal, a page is shown with PAGER. In a pipe, it is printed as it is, in Markdown.
    """
    try:
        text = read_topic(topic) if topic else _list_topics()
    except NoSuchTopic as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if not topic or topic == [SCHEMA] or not sys.stdout.isatty():
        print(text, end="")
        return
    from frontdesk.cli.markdown_text import render

    _page(render(text, shutil.get_terminal_size().columns), os.environ)


def _list_topics() -> str:
    width = max(len(name) for _, rows in topics_by_group() for name, _ in rows)
    lines = ["To read a page, run `frontdesk docs TOPIC`.", ""]
    for heading, rows in topics_by_group():
        if rows:
            lines += [heading, *(f"  {name:{width}}  {about}" for name, about in rows), ""]
    lines += ["For programs", f"  {SCHEMA:{width}}  The JSON schema of config.toml, for editors", ""]
    return "\n".join(lines)


def _page(text: str, environ: Mapping[str, str]) -> None:
    """Show the text with the person's pager, which is a shell command as git's is; without one, print it."""
    pager = environ.get("PAGER", "").strip() or ("less" if shutil.which("less") else "cat")
    environment = child_environment(environ)
    if "LESS" not in environ:
        environment["LESS"] = _LESS
    try:
        ended = subprocess.run(pager, shell=True, input=text.encode(), env=environment, check=False).returncode
    except OSError:  # no shell, or the pager ended early
        ended = None
    if ended == 127:  # the shell didn't find it
        print(text, end="")
