"""Try the wheel on each version of Python that this machine has.

    .venv/bin/python .ci/python_versions.py             the wheel alone
    .venv/bin/python .ci/python_versions.py --sample    and the tests of `SAMPLE` on the other versions
    .venv/bin/python .ci/python_versions.py --all       and the whole quick tier on them

The wheel is installed in a new virtual environment for each version and used as a newcomer would: its version, the
sandbox, a command and a conversation in the linear mode. The tests run with the wheel's program, not with src/. A
version that isn't there is named, and no failure; the exit status is 1 if anything else failed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def main(options: list[str]) -> int:
    """Try each version; returns the exit status."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder)
        _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, "."])
        (wheel,) = built.glob("*.whl")
        for version in VERSIONS:
            python = _find(version)
            if python is None:
                print(f"Python {version}: not on this machine, so nothing was tried")
                continue
            started = time.monotonic()
            try:
                is_this_one = version == f"{sys.version_info.major}.{sys.version_info.minor}"
                tests = None if is_this_one or not options else options
                tried = _try_version(python, wheel, built / version, tests)
            except Failed as error:
                failed.append(version)
                print(f"Python {version}: {error}")
            else:
                print(f"Python {version}: {tried} ({time.monotonic() - started:.0f} s)", flush=True)
    return 1 if failed else 0


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


def _try_version(python: str, wheel: Path, folder: Path, tests: list[str] | None) -> str:
    """Install the wheel and use it; with `tests`, run those as well. Returns what was tried, in words.

    Raises:
        Failed: a step failed.
    """
    _run([python, "-m", "venv", str(folder)])
    extra = "sandbox" if tests is None else "dev"
    _run([str(folder / "bin" / "pip"), "install", "-q", f"{wheel}[{extra}]"])
    _use(folder)
    if tests is None:
        return "the wheel works"
    chosen = [] if "--all" in tests else SAMPLE
    options = ["-n", "2", "-o", f"cache_dir={folder / 'cache'}", *chosen]  # .ci/run_tests.py reads the usual one
    printed = _run([str(folder / "bin" / "pytest"), *options]).strip().splitlines()
    return f"the wheel works, tests: {printed[-1].strip('= ')}"


def _use(venv: Path) -> None:
    """Use the installed program away from the repository.

    Raises:
        Failed: a command failed or printed something else.
    """
    frontdesk = str(venv / "bin" / "frontdesk")
    home = venv / "home"
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
    sys.exit(main(sys.argv[1:]))
