"""`frontdesk docs`: the docs that come with the program, in the terminal."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from frontdesk.cli.docs_pages import SCHEMA, NoSuchPage, NoSuchTopic, read_topic, search, topics, topics_by_group
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.config.processes import child_environment

MAX_FOUND, MAX_MORE = 20, 6
"""Number of sections that a search lists in a pipe, and below the best one."""
_LESS = "FRX"
"""As git sets it: quit if all fits on the screen, keep bold, leave the text there."""


def _complete_topic(incomplete: str) -> list[str]:
    return [name for name in topics() if name.startswith(incomplete)]


def docs(
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC|WORDS]",
            help="A page, such as configuration, a section of it, configuration#keys, or words to search for.",
            autocompletion=_complete_topic,
        ),
    ] = None,
) -> None:
    """Read or search the docs that come with the program.

    Without TOPIC, lists the pages. In a terminal, shows a page with PAGER; in a pipe, prints it as it is, in
    Markdown. Searches for WORDS that name no page: in a terminal, shows the best section; in a pipe, lists all.
    """
    try:
        text = _read(topic) if topic else _list_topics()
    except NoSuchTopic as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if not topic or topic == [SCHEMA] or not sys.stdout.isatty():
        print(text, end="")
        return
    from frontdesk.cli.markdown_text import render

    _page(render(text, shutil.get_terminal_size().columns), os.environ)


def _read(topic: list[str]) -> str:
    """Return the page or section, else what is found by its words."""
    try:
        return read_topic(topic)
    except NoSuchPage:
        found = search(" ".join(topic))[:MAX_FOUND]
        if not found:
            raise
    if not sys.stdout.isatty():
        return "".join(f"{each.page}: {each.heading}\n" for each in found)
    more = ", ".join(each.topic for each in found[1:MAX_MORE])
    return read_topic([found[0].topic]) + (f"\nSee also: {more}\n" if more else "")


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
