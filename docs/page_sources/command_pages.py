"""The page of all commands."""

import textwrap

from frontdesk.cli.docs_pages import anchor_of, headings
from page_sources.command_tree import CommandEntry, Parameter, commands
from page_sources.markdown import DOCS, WIDTH, page, table, wrap


def commands_page() -> str:
    """Return the page with every command, its arguments and its options."""
    explained = {each.words for each in headings((DOCS / "command-line.md").read_text(encoding="utf-8"))}
    return page(
        "Commands",
        "cli/commands.py and the features' `cli` modules",
        wrap(
            "Every command with its arguments, options and defaults, as `--help` (`-h`) after a command shows "
            "them. [Command line](../command-line.md) explains what all commands share, exit statuses, and "
            "what needs more explanation; `--read-only`, `--profile` and the other options of "
            "`frontdesk` itself go before the command."
        ),
        *(block for each in commands() for block in _section(each, explained)),
    )


def _section(command: CommandEntry, explained: set[str]) -> list[str]:
    level = "###" if len(command.words) > 1 else "##"
    title = " ".join(command.words) or "frontdesk"
    return [
        f"{level} {title}",
        usage_lines(command),
        *(wrap(_marked(each)) for each in command.paragraphs),
        "\n".join(("```console", *(f"$ {each}" for each in command.examples), "```")) if command.examples else "",
        table(("argument", "means"), ([f"`{each.written}`", _means(each)] for each in command.arguments)),
        table(("option", "means"), ([_written(each), _means(each)] for each in command.options)),
        f"[More](../command-line.md#{anchor_of(title)})" if title in explained else "",
    ]


def usage_lines(command: CommandEntry) -> str:
    """Return how the command is written, indented as code."""
    parts = [command.name, *command.usage]
    kept = [part.replace(" ", "\u00a0") for part in parts]  # a break only between parts
    lines = textwrap.wrap(
        " ".join(kept),
        WIDTH - 4,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(f"    {line}" for line in lines).replace("\u00a0", " ")


def _written(option: Parameter) -> str:
    return ", ".join(f"`{each}`" for each in option.written.split(", "))


def _means(given: Parameter) -> str:
    default = f" Default: `{given.default}`." if given.default and "Default:" not in given.help else ""
    return _marked(given.help) + default


def _marked(text: str) -> str:
    """Keep Markdown from reading signs of the help as its own."""
    return text.replace("*", "\\*").replace("<", "&lt;") if "`" not in text else text
