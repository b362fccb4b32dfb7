"""What `.ci/run_tests.py` makes of a run: green only if every test ran, and what failed passed once more.

Each test makes a small tree of tests with this repository's settings for pytest and runs it, in real workers where
they can make a difference.
"""

import os
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "-p xdist -p pytest_timeout -p no:unraisableexception -n 0",
}
"""Without the plugins that take long to import or to end, and without workers."""

WORKERS = ("-n", "2")
A_WORKER = ("-n", "1")
"""Where it matters that reports come from another process, and that a group's name is part of a test's."""

REPOSITORY = Path(__file__).resolve().parents[2]

CONFTEST = """
from pathlib import Path

import pytest

from completeness import register_completeness

ROOT = Path(__file__).parent.parent


def pytest_configure(config):
    register_completeness(config)


@pytest.fixture(autouse=True)
def is_second_try(request):
    name = request.node.name
    with open(ROOT / "journal", "a+") as journal:
        journal.write(name + "\\n")
        journal.flush()
        journal.seek(0)
        return journal.read().splitlines().count(name) > 1
"""

PASSING = """
import os, time
import pytest

@pytest.mark.parametrize("number", range(20))
def test_passing(number): pass

@pytest.mark.slow
def test_slow(): pass

@pytest.mark.lab
def test_lab(): pass

@pytest.mark.pty
def test_pty(): pass
"""
COUNT = 23

CRASHING = """
@pytest.mark.parametrize("number", range(40))
def test_crashing(number, is_second_try):
    if number == 5 and not is_second_try: os._exit({status})
"""

BROKEN_HOOK = """
def pytest_runtest_logfinish(nodeid):
    if "test_passing[5]" in nodeid and not (ROOT / "tried").exists():
        (ROOT / "tried").touch()
        raise RuntimeError("a fault in a hook")
"""


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit status, its output, and how often each test began."""

    status: int
    output: str
    began: Counter[str]

    @property
    def tries(self) -> int:
        return self.output.count("once more")


class Tree:
    """A small repository with tests of its own and the settings of this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tests").mkdir(parents=True)
        shutil.copy(REPOSITORY / "pyproject.toml", folder)
        shutil.copy(REPOSITORY / "tests" / "completeness.py", folder / "tests")
        self.write("conftest.py", CONFTEST)
        self.write("test_it.py", PASSING)

    def write(self, name: str, text: str) -> None:
        with (self.folder / "tests" / name).open("a") as file:
            file.write(text)

    def run_tiers(self, *options: str, allowed: Mapping[str, str] | None = None) -> Ended:
        """Run both tiers; only the tests in `allowed` may be skipped, by default those of this repository."""
        script = REPOSITORY / ".ci" / "run_tests.py"
        if allowed is not None:
            text = script.read_text()
            changed = text.replace("\nMAY_BE_SKIPPED = {", f"\nMAY_BE_SKIPPED = {dict(allowed)!r} | {{")
            assert changed != text
            script = self.folder / "run_tests.py"
            script.write_text(changed)
        return self._run(str(script), sys.executable, "-m", "pytest", *options)

    def run_pytest(self, *options: str) -> Ended:
        return self._run("-m", "pytest", *options)

    def _run(self, *words: str) -> Ended:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, **PLUGINS},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=240,
        )
        journal = self.folder / "journal"
        began = Counter(journal.read_text().splitlines()) if journal.exists() else Counter[str]()
        return Ended(done.returncode, done.stdout, began)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """In a folder whose name has a space and a letter beyond ASCII."""
    return Tree(tmp_path / "a folder é")


def test_where_all_pass_each_test_runs_once(tree: Tree) -> None:
    ended = tree.run_tiers(*WORKERS)
    assert ended.status == 0, ended.output
    assert sum(ended.began.values()) == len(ended.began) == COUNT
    assert "20 passed in" in ended.output
    assert "3 passed in" in ended.output
    assert f"all {COUNT} tests ran" in ended.output
    assert ended.tries == 0


def test_what_failed_and_nothing_else_runs_once_more_and_is_named(tree: Tree) -> None:
    failing = """
@pytest.mark.xdist_group("g")
@pytest.mark.parametrize("words", ["a b@c [d]::é", "passes"])
def test_grouped(words, is_second_try): assert is_second_try or words == "passes"
@pytest.mark.parametrize("number", range(2))
def test_plain(number): pass
@pytest.mark.pty
def test_slow_one(is_second_try): assert is_second_try
"""
    tree.write("test_it.py", failing)
    ended = tree.run_tiers(*A_WORKER)
    assert ended.status == 0, ended.output
    again = {name for name, times in ended.began.items() if times > 1}
    assert len(again) == 2
    assert again == {name for name in ended.began if name.startswith(("test_grouped[a b@c", "test_slow_one"))}
    assert set(ended.began.values()) == {1, 2}
    assert ended.tries == 2
    assert ended.output.count("passed at the second try: tests/test_it.py::test_") == 2


def test_what_fails_twice_fails(tree: Tree) -> None:
    tree.write("test_it.py", "\ndef test_wrong(): assert 1 == 2\n")
    ended = tree.run_tiers()
    assert ended.status == 1
    assert ended.began["test_wrong"] == 2
    assert "FAILED quick tests: failed twice: tests/test_it.py::test_wrong" in ended.output
    assert ended.began["test_pty"] == 1, "the slower tier runs whatever fails before"


def test_after_a_worker_that_crashed_nothing_is_tried_again(tree: Tree) -> None:
    """The crashed test would pass at a second try."""
    tree.write("test_it.py", CRASHING.format(status=1))
    ended = tree.run_tiers(*WORKERS)
    assert ended.status == 1
    assert ended.tries == 0
    assert "crashed while running 'tests/test_it.py::test_crashing[5]'" in ended.output
    assert "FAILED quick tests: pytest ended with status 3" in ended.output


def test_after_an_error_in_a_hook_nothing_is_tried_again(tree: Tree) -> None:
    tree.write("conftest.py", BROKEN_HOOK)
    ended = tree.run_tiers(*WORKERS)
    assert ended.status == 1
    assert ended.tries == 0
    assert "INTERNALERROR" in ended.output
    assert "FAILED quick tests: pytest ended with status 3" in ended.output


def test_a_process_that_ends_well_before_its_last_test_is_no_success(tree: Tree) -> None:
    tree.write("test_it.py", CRASHING.format(status=0))
    ended = tree.run_tiers()
    assert ended.status == 1
    assert "FAILED quick tests: pytest ended with status 0 and left no record of its run" in ended.output


def test_a_file_that_cannot_be_collected_is_no_failed_test(tree: Tree) -> None:
    tree.write("test_other.py", "raise RuntimeError('a fault at import')\n")
    ended = tree.run_tiers(*A_WORKER)
    assert ended.status == 1
    assert ended.tries == 0
    assert "FAILED quick tests" in ended.output


def test_the_two_tiers_have_every_test() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    options = shlex.split(settings["tool"]["pytest"]["ini_options"]["addopts"])
    assert options[options.index("-m") + 1] == f"not ({_of_script('SLOWER')[1]})"


SKIPPED = "tests/test_it.py::test_skipped"

SKIPPING = """
@pytest.mark.skip(reason="no reason at all")
def test_skipped(): pass

@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_skipped_later(number): pytest.skip("there is no disk")

@pytest.mark.xfail
def test_known_to_fail(): raise AssertionError
"""


def test_a_skipped_test_did_not_run_and_is_named_with_its_reason(tree: Tree) -> None:
    tree.write("test_it.py", SKIPPING)
    ended = tree.run_tiers(*A_WORKER)
    assert ended.status == 1
    assert f"skipped: {SKIPPED}: no reason at all" in ended.output
    assert f"FAILED skipped, and not named in run_tests.py: {SKIPPED}" in ended.output
    assert f"skipped: {SKIPPED}_later[1]: there is no disk" in ended.output
    assert "test_known_to_fail" not in ended.output
    assert "tests ran" not in ended.output


def test_a_file_that_is_skipped_whole_is_named(tree: Tree) -> None:
    tree.write("test_other.py", "import pytest\npytest.skip('not here', allow_module_level=True)\n")
    ended = tree.run_tiers(*A_WORKER)
    assert ended.status == 1
    assert "FAILED skipped, and not named in run_tests.py: tests/test_other.py" in ended.output


def test_a_test_that_may_be_skipped_is_named_and_no_failure(tree: Tree) -> None:
    tree.write("test_it.py", SKIPPING)
    allowed = {SKIPPED: "as an example", f"{SKIPPED}_later": "as another"}
    ended = tree.run_tiers(allowed=allowed)
    assert ended.status == 0, ended.output
    assert f"skipped: {SKIPPED}: no reason at all" in ended.output
    assert "24 of 27 tests ran, the rest was skipped" in ended.output


def test_what_failed_and_is_then_skipped_did_not_pass(tree: Tree) -> None:
    failing = """
def test_wrong(is_second_try):
    if is_second_try: pytest.skip("enough")
    raise AssertionError
"""
    tree.write("test_it.py", failing)
    ended = tree.run_tiers()
    assert ended.status == 1
    assert (
        "FAILED quick tests: failed, and skipped at the second try: tests/test_it.py::test_wrong" in ended.output
    )


def test_every_test_that_may_be_skipped_exists() -> None:
    for name in _of_script("MAY_BE_SKIPPED"):
        path, *_, function = name.split("::")
        assert f"def {function}(" in (REPOSITORY / path).read_text(), name


def _of_script(name: str) -> Any:
    return runpy.run_path(str(REPOSITORY / ".ci" / "run_tests.py"))[name]


class TestPytestAlone:
    """The same plugin guards a run that a developer starts."""

    def test_a_run_that_ends_early_is_no_success(self, tree: Tree) -> None:
        tree.write("test_it.py", "\ndef test_leaving(): pytest.exit('enough', 0)\ndef test_last(): pass\n")
        ended = tree.run_pytest()
        assert ended.status == pytest.ExitCode.INTERNAL_ERROR
        assert "2 of 22 collected tests did not run" in ended.output
        assert "tests/test_it.py::test_last" in ended.output

    @pytest.mark.parametrize("workers", ["0", "2"])
    def test_who_stops_at_the_first_failure_wanted_that(self, tree: Tree, workers: str) -> None:
        tree.write("test_a.py", "def test_wrong(): assert 1 == 2\n")
        ended = tree.run_pytest("-x", "-n", workers)
        assert ended.status in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
        assert "did not run" not in ended.output

    def test_tests_that_are_only_listed_or_left_out_do_not_count(self, tree: Tree) -> None:
        assert tree.run_pytest("--collect-only").status == 0
        assert tree.run_pytest("-k", "passing").status == 0
        assert tree.run_pytest("--fixtures").status == 0

    def test_what_is_raised_in_a_hook_fails_with_its_own_words(self, tree: Tree) -> None:
        alarm = """
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    yield
    if item.name == "test_passing[5]": raise RuntimeError("an alarm")
"""
        tree.write("conftest.py", alarm)
        ended = tree.run_pytest()
        assert ended.status == pytest.ExitCode.TESTS_FAILED
        assert "FAILED tests/test_it.py::test_passing[5] - RuntimeError: an alarm" in ended.output

    def test_a_limit_is_for_the_tests_own_function(self, tree: Tree) -> None:
        slow_fixture = """
@pytest.fixture
def slow():
    time.sleep(0.6)
    yield
    time.sleep(0.6)

@pytest.mark.timeout(0.5)
def test_of_a_slow_fixture(slow): pass

@pytest.mark.timeout(0.5)
def test_that_hangs(): time.sleep(60)
"""
        tree.write("test_it.py", slow_fixture)
        ended = tree.run_pytest()
        assert ended.status == pytest.ExitCode.TESTS_FAILED
        assert "1 failed, 21 passed" in ended.output
        assert "Timeout (>0.5s)" in ended.output
