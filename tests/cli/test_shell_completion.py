"""`frontdesk completion SHELL`: what it prints completes commands in the real shells."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BASH = """
eval "$(frontdesk completion bash)"
complete -p frontdesk
COMP_WORDS=(frontdesk camp) COMP_CWORD=1
_frontdesk_completion frontdesk
echo "${COMPREPLY[@]}"
COMP_WORDS=(frontdesk campaigns w) COMP_CWORD=2
_frontdesk_completion frontdesk
echo "${COMPREPLY[@]}"
"""
ZSH = """
autoload -U compinit
frontdesk completion zsh > $HOME/_frontdesk
fpath=($HOME $fpath)
compinit -D -u
print $_comps[frontdesk]
eval "$(frontdesk completion zsh)"
print $_comps[frontdesk]
_arguments() { print -r -- "$@" }
words=(frontdesk camp) CURRENT=2
_frontdesk_completion
"""
FISH = """
frontdesk completion fish | source
complete -C "frontdesk camp"
complete -C "frontdesk campaigns w"
"""


def run(folder: Path, shell: str, *arguments: str) -> str:
    """Run a script in a shell whose PATH has the program."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} isn't installed")
    program = folder / "bin" / "frontdesk"
    program.parent.mkdir()
    main = "from frontdesk.cli.main import main; main()"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{main}' \"$@\"\n")
    program.chmod(0o755)
    environ = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8"}
    if "PYTHONPATH" in os.environ:
        environ["PYTHONPATH"] = os.environ["PYTHONPATH"]
    done = subprocess.run(
        [shell, *arguments], env=environ, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


def test_bash(tmp_path: Path) -> None:
    registered, command, subcommand = run(tmp_path, "bash", "--norc", "-c", BASH).splitlines()
    assert registered.endswith("-F _frontdesk_completion frontdesk")
    assert (command, subcommand) == ("campaigns", "watch")


def test_zsh(tmp_path: Path) -> None:
    autoloaded, evaluated, *offers = run(tmp_path, "zsh", "-f", "-c", ZSH).splitlines()
    assert (autoloaded, evaluated) == ("_frontdesk", "_frontdesk_completion")
    assert '"campaigns":' in "\n".join(offers)


def test_fish(tmp_path: Path) -> None:
    command, subcommand = run(tmp_path, "fish", "--no-config", "-c", FISH).splitlines()
    assert command.split("\t")[0] == "campaigns"
    assert subcommand.split("\t")[0] == "watch"
