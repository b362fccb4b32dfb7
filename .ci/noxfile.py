"""Install the wheel on each Python with pip, pipx and uv, and use it; run tests on another Python; pin versions.

    .venv/bin/nox -f .ci/noxfile.py                               each Python, and each installer on one: CI's part
    .venv/bin/nox -f .ci/noxfile.py -s installed                  each installer on each Python
    .venv/bin/nox -f .ci/noxfile.py -s tests-3.13 -- tests/tasks  these tests on another Python, without src/
    .venv/bin/nox -f .ci/noxfile.py -s constraints -- --upgrade   the newest versions, instead of the pinned ones

The Pythons are those of pyproject.toml's classifiers; nox names each that isn't there, which is no failure.
"""

import os
import shutil
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
HASHES = ROOT / ".ci" / "hashes.txt"

PYTHONS = nox.project.python_versions(nox.project.load_toml(ROOT / "pyproject.toml"))
INSTALLERS = ("pip", "pipx", "uv")

SAMPLE = ("tests/config", "tests/storage", "tests/text")
"""The tests of what depends most on the standard library and on SQLite."""

SECONDS = 300
"""What takes longer hangs."""

CREDENTIALS = {"FRONTDESK_COOKIE": "token=sandbox", "FRONTDESK_API_KEY": "sandbox-key"}

nox.options.envdir = str(ROOT / ".nox")
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = [f"installed-{python}({each})" for python, each in zip(PYTHONS, cycle(INSTALLERS))]
if pyenv := shutil.which("pyenv"):  # without this its shims find no version but the chosen one
    versions = subprocess.run([pyenv, "versions", "--bare"], capture_output=True, text=True, check=True).stdout
    os.environ["PYENV_VERSION"] = ":".join(versions.split())


@nox.session(venv_backend="none")
def wheel(session: nox.Session) -> None:
    """Build the wheel that the other sessions install."""
    shutil.rmtree(built(session), ignore_errors=True)
    session.chdir(ROOT)
    session.run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built(session)))


@nox.session(python=PYTHONS, requires=["wheel"])
@nox.parametrize("installer", [nox.param(each, id=each) for each in INSTALLERS])
def installed(session: nox.Session, installer: str) -> None:
    """Install the wheel as people do, and use it."""
    folder = Path(session.create_tmp())
    python = str(Path(session.bin) / "python")
    (wheel,) = map(str, built(session).glob("*.whl"))
    # Compiling all that is never imported takes half of pip's time.
    options = ["--no-compile", "--constraint", str(CONSTRAINTS)]
    environ = {
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
        "UV_TOOL_DIR": str(folder / "tools"),
        "UV_TOOL_BIN_DIR": str(folder / "bin"),
        "UV_CACHE_DIR": str(folder / "cache"),
    }
    if installer == "pip":
        session.run("python", "-m", "venv", str(folder))
        command = [str(folder / "bin" / "pip"), "install", "-q", *options]
    elif installer == "pipx":
        command = [str(TOOLS / "pipx"), "install", "-q", "--python", python, "--pip-args", " ".join(options)]
    else:
        command = [str(TOOLS / "uv"), "tool", "install", "-q", "--python", python, "-c", str(CONSTRAINTS)]
    session.run(*command, wheel, env=environ, external=True)
    use(str(folder / "bin" / "frontdesk"), folder / "home")


@nox.session(python=PYTHONS, requires=["wheel"])
def tests(session: nox.Session) -> None:
    """Run tests with the wheel's program, not with src/; without arguments those of `SAMPLE`."""
    (wheel,) = built(session).glob("*.whl")
    session.install("-c", str(CONSTRAINTS), f"{wheel}[dev]")
    session.chdir(ROOT)
    session.run("pytest", "-n", "2", "-p", "no:cacheprovider", *(session.posargs or SAMPLE))


@nox.session(venv_backend="none")
def constraints(session: nox.Session) -> None:
    """Pin the versions of an installation with all extras of `dev`, and the hashes of their files."""
    session.chdir(ROOT)
    command = "nox -f .ci/noxfile.py -s constraints"
    options = ("-q", "--universal", "--python-version", PYTHONS[0], "--no-emit-index-url")
    compile_ = (str(TOOLS / "uv"), "pip", "compile", *options, "--custom-compile-command", command)
    pinned, hashes = str(CONSTRAINTS.relative_to(ROOT)), str(HASHES.relative_to(ROOT))
    from_project = ("pyproject.toml", "--extra", "dev", "--annotation-style", "line", "-o", pinned)
    session.run(*compile_, *from_project, *session.posargs, external=True)
    # Of their own, since pip refuses `-e .` as soon as a constraint has a hash.
    session.run(*compile_, pinned, "--no-deps", "--no-annotate", "--generate-hashes", "-o", hashes, external=True)


def built(session: nox.Session) -> Path:
    """Return the folder of the wheel."""
    return Path(session.cache_dir) / "dist"


def use(frontdesk: str, home: Path) -> None:
    """Use the installed program as a newcomer would, away from the repository.

    That is its version, the demo in the linear mode, the sandbox and a command.
    """
    home.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("FRONTDESK_", "XDG_"))}
    environ["HOME"] = str(home)

    def expect(words: str, *arguments: str, stdin: str = "") -> None:
        command = [frontdesk, *arguments]
        done = subprocess.run(
            command,
            env=environ,
            cwd=home,
            input=stdin,
            stdout=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        assert words in done.stdout, f"{words!r} isn't in what {command} printed: {done.stdout}"

    expect("frontdesk", "--version")
    expect("conversations", "demo", "--linear", stdin="inbox\nquit\n")
    sandbox = [frontdesk, "sandbox", "--port", "0", "--no-crowd"]
    service = subprocess.Popen(sandbox, env=environ, cwd=home, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        environ |= CREDENTIALS
        environ["FRONTDESK_BASE_URL"] = service.stdout.readline().strip().removeprefix("sandbox ready at ")
        expect("assignedAgentIds", "tasks", "list", "--limit", "1", "--json")
    finally:
        service.terminate()
        service.wait(SECONDS)
