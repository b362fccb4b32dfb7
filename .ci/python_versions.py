"""Install the wheel with pip, pipx and uv on each version of Python that this machine has, and use it.

    .venv/bin/python .ci/python_versions.py             each version and each installer once, as CI does
    .venv/bin/python .ci/python_versions.py --every     each installer on each version
    .venv/bin/python .ci/python_versions.py --sample    with pip, and the tests of `SAMPLE` on the other versions
    .venv/bin/python .ci/python_versions.py --all       and the whole quick tier on them

Each installation is a new one, with the versions of `.ci/constraints.txt`, and is used as a newcomer would: its
version, the demo in the linear mode, the sandbox and a command. The tests run with the wheel's program, not with
src/. A version that isn't there is named, and no failure; the exit status is 1 if anything else failed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"

VERSIONS = ("3.11", "3.12", "3.13")

SAMPLE = ["tests/config", "tests/storage", "tests/text"]
"""The tests of what depends most on the standard library and on SQLite."""

SECONDS = 900
"""What takes longer hangs."""

CREDENTIALS = {
    "FRONTDESK_COOKIE": "token=sandbox",
    "FRONTDESK_API_KEY": "sandbox-key",
}


class Failed(Exception):
    """A step failed; the text names it, and ends with what it printed."""


def main() -> int:
    """Try what the options say; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", action="store_true", help="each installer on each version")
    parser.add_argument("--sample", action="store_true", help="with pip, and some tests on the other versions")
    parser.add_argument("--all", action="store_true", help="with pip, and the quick tier on the other versions")
    options = parser.parse_args()
    pythons = {version: _find(version) for version in VERSIONS}
    for version in VERSIONS:
        if pythons[version] is None:
            print(f"Python {version}: not on this machine, so nothing was tried")
    found = {version: python for version, python in pythons.items() if python is not None}
    has_failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", name], cwd=ROOT)
        (wheel,) = folder.glob("*.whl")
        for index, (version, installer) in enumerate(_trials([*found], options)):
            started = time.monotonic()
            try:
                if options.sample or options.all:
                    words = _run_tests(found[version], version, wheel, folder / str(index), options.all)
                else:
                    words = _try_installer(installer, found[version], wheel, folder / str(index))
            except Failed as error:
                has_failed = True
                print(f"Python {version}, {installer}: {error}", flush=True)
            else:
                seconds = time.monotonic() - started
                print(f"Python {version}, {installer}: {words} ({seconds:.0f} s)", flush=True)
    return 1 if has_failed else 0


def _trials(versions: list[str], options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield versions and installers: each of both at least once, whatever versions are there."""
    if options.sample or options.all:
        yield from ((version, "pip") for version in versions)
    elif options.every:
        yield from ((version, installer) for version in versions for installer in INSTALLERS)
    elif versions:
        names = [*INSTALLERS]
        for index in range(max(len(versions), len(names))):
            yield versions[index % len(versions)], names[index % len(names)]


def _find(version: str) -> str | None:
    """Return an interpreter of this version: a shim on the PATH may be there without one."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = [f"python{version}", *(str(each) for each in sorted(pyenv.glob(f"{version}.*/bin/python")))]
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    for each in filter(None, map(shutil.which, named)):
        asked = subprocess.run([each, "-c", question], capture_output=True, text=True, check=False)
        if asked.stdout.strip() == version:
            return each
    return None


def _try_installer(installer: str, python: str, wheel: Path, folder: Path) -> str:
    """Install the wheel and use it; returns what was tried, in words.

    Raises:
        Failed: a step failed.
    """
    folder.mkdir()
    started = time.monotonic()
    program = INSTALLERS[installer](python, wheel, folder)
    seconds = time.monotonic() - started
    _use(program, folder / "home")
    return f"installed in {seconds:.0f} s, works"


NOT_COMPILED = ["--no-compile"]
"""Compiling all that is never imported takes half of pip's time."""


def _install_with_pip(python: str, wheel: Path, folder: Path) -> Path:
    _run([python, "-m", "venv", str(folder / "venv")])
    _run([str(folder / "venv/bin/pip"), "install", *NOT_COMPILED, "-q", "-c", str(CONSTRAINTS), str(wheel)])
    return folder / "venv/bin/frontdesk"


def _install_with_pipx(python: str, wheel: Path, folder: Path) -> Path:
    places = {"PIPX_HOME": "home-of-pipx", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}
    environ = {**os.environ, **{name: str(folder / place) for name, place in places.items()}}
    options = " ".join((*NOT_COMPILED, "--constraint", str(CONSTRAINTS)))
    arguments = ["install", "--python", python, "--pip-args", options, str(wheel)]
    _run([str(_tool("pipx", folder)), *arguments], environ)
    return folder / "bin/frontdesk"


def _install_with_uv(python: str, wheel: Path, folder: Path) -> Path:
    environ = {
        **os.environ,
        "UV_TOOL_DIR": str(folder / "tools"),
        "UV_TOOL_BIN_DIR": str(folder / "bin"),
        "UV_CACHE_DIR": str(folder / "cache"),
    }
    arguments = ["tool", "install", "-q", "--no-python-downloads", "--python", python, "-c", str(CONSTRAINTS)]
    _run([str(_tool("uv", folder)), *arguments, str(wheel)], environ)
    return folder / "bin/frontdesk"


INSTALLERS: dict[str, Callable[[str, Path, Path], Path]] = {
    "pip": _install_with_pip,
    "pipx": _install_with_pipx,
    "uv tool": _install_with_uv,
}


def _tool(name: str, folder: Path) -> Path:
    """Install the tools beside the trials, so that this machine's own ones and their settings don't matter."""
    venv = folder.parent / "venv-of-tools"
    if not venv.exists():
        _run([sys.executable, "-m", "venv", str(venv)])
        _run([str(venv / "bin/pip"), "install", *NOT_COMPILED, "-q", "pipx", "uv"])
    return venv / "bin" / name


def _run_tests(python: str, version: str, wheel: Path, folder: Path, is_all: bool) -> str:
    """Install the wheel with what the tests need, and run them where CI doesn't; returns what was tried, in words.

    Raises:
        Failed: a step failed.
    """
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return "this is the version that .ci/run runs the tests on"
    _run([python, "-m", "venv", str(folder)])
    _run([str(folder / "bin" / "pip"), "install", "-q", f"{wheel}[dev]"])
    options = ["-n", "2", "-o", f"cache_dir={folder / 'cache'}", *([] if is_all else SAMPLE)]
    printed = _run([str(folder / "bin" / "pytest"), *options]).strip().splitlines()
    return f"tests: {printed[-1].strip('= ')}"


def _use(program: Path, home: Path) -> None:
    """Use the installed program away from the repository.

    Raises:
        Failed: a command failed or printed something else.
    """
    frontdesk = str(program)
    home.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("FRONTDESK_", "XDG_"))}
    environ |= {"HOME": str(home)}
    _expect("frontdesk", _run([frontdesk, "--version"], environ, home))
    _expect("conversations", _run([frontdesk, "demo", "--linear"], environ, home, "inbox\nquit\n"))
    service = subprocess.Popen(
        [frontdesk, "sandbox", "--port", "0", "--no-crowd"],
        env=environ,
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert service.stdout is not None
        url = service.stdout.readline().strip().removeprefix("sandbox ready at ")
        command = [frontdesk, "tasks", "list", "--limit", "1", "--json"]
        _expect("assignedAgentIds", _run(command, {**environ, **CREDENTIALS, "FRONTDESK_BASE_URL": url}, home))
    finally:
        service.terminate()
        service.wait(SECONDS)


def _expect(words: str, printed: str) -> None:
    if words not in printed:
        raise Failed(f"{words!r} isn't in what was printed: {printed}")


def _run(
    command: list[str], environ: dict[str, str] | None = None, cwd: Path | None = None, stdin: str = ""
) -> str:
    done = subprocess.run(
        command, env=environ, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
