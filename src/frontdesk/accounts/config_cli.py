"""`frontdesk config`: where config.toml is, editing it, and what is wrong with it."""

import os

import typer

from frontdesk.accounts.config_check import check_config, first_problem_line
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
from frontdesk.cli.options import AsLines
from frontdesk.cli.output import print_json, print_line
from frontdesk.config.editor_command import NoEditor, find_editor, run_editor
from frontdesk.config.paths import make_private
from frontdesk.config.settings import config_path

app = typer.Typer(help="Show, edit or check the configuration.", no_args_is_help=True)


@app.command("path")
def print_path() -> None:
    """Print the path of config.toml."""
    print(config_path())


@app.command("edit")
def edit() -> int:
    """Edit config.toml in your editor, then check it.

    Opens VISUAL or EDITOR at the first problem. Exit status 1 if the file has problems afterwards.
    """
    path = config_path()
    try:
        command = find_editor(os.environ)
    except NoEditor as error:
        raise CommandFailed(INPUT_WRONG, str(error).rstrip(".")) from None
    make_private(path.parent)
    if not path.exists():
        path.touch(mode=0o600)
    try:
        status = run_editor(command, path, first_problem_line())
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"couldn't start the editor {command[0]}: {error.strerror}") from None
    if status:
        raise CommandFailed(REFUSED, f"the editor {command[0]} ended with status {status}")
    return check()


@app.command("check")
def check(as_json: AsLines = False) -> int:
    """List the problems of config.toml, by line.

    Exit status 1 if frontdesk can't use a part of it; warnings alone leave it at 0.
    """
    found = [each for each in check_config() if each.verdict != "ok"]
    for each in found:
        if as_json:
            print_json({"verdict": each.verdict.lower(), "words": each.words})
        else:
            print_line(each.words if each.status else f"{each.words} (warning)")
    if not found and not as_json:
        path = config_path()
        print_line(f"{path} has no problems." if path.exists() else f"There is no {path} yet; defaults apply.")
    return REFUSED if any(each.status for each in found) else 0
