"""Runs the tests of each mutant in a fork of a process that has collected them all; mutation.py starts it.

The arguments are two files: the work, `{"workers": 2, "tests": {mutant: [test, …]}}`, and the results to write,
`{"noticed": {mutant: whether a test failed}, "run_at_import": [function, …]}`. A fork counts as failed too when
its tests take far more of a processor than all of them should, or one of them hangs.
"""

import json
import os
import resource
import sys
import tomllib
from pathlib import Path
from types import FrameType

import pytest

MAX_CPU_SECONDS = 60
"""What a mutant's tests may take of a processor; four times what they should."""

HANG_SECONDS = 60
"""How long one test may take."""


class Judge:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, tests: dict[str, list[str]], workers: int) -> None:
        self.noticed: dict[str, bool] = {}
        self._tests = tests
        self._workers = workers
        self._running: dict[int, str] = {}
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for mutant, tests in self._tests.items():
            while len(self._running) >= self._workers:
                self._wait()
            process = os.fork()
            if process == 0:
                os.environ["MUTANT_UNDER_TEST"] = mutant
                if mutant.startswith("frontdesk."):
                    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
                os._exit(self._run([items[test] for test in tests if test in items]))
            self._running[process] = mutant
        while self._running:
            self._wait()
        return True

    def _run(self, items: list[pytest.Item]) -> int:
        """Run tests until one fails; returns 1 if one did."""
        try:
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._failed:
                    return 1
        except BaseException:  # a mutant may raise anything, SystemExit too
            return 1
        return 0

    def _wait(self) -> None:
        process, status = os.wait()
        if process in self._running:
            mutant = self._running.pop(process)
            self.noticed[mutant] = status != 0
            if status == 0 or len(self.noticed) % 20 == 0:
                done = f"{len(self.noticed)} of {len(self._tests)}"
                print(f"{done}, {mutant} {'noticed' if status else 'survived'}", file=sys.stderr, flush=True)


class ImportWatch:
    """Notes which functions with mutants run while the tests are collected."""

    def __init__(self) -> None:
        self.run: set[str] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name.endswith("__mutmut_orig"):
            self.run.add(f"{frame.f_globals['__name__']}.{frame.f_code.co_name.removesuffix('__mutmut_orig')}")

    def pytest_collection_finish(self) -> None:
        sys.setprofile(None)


def main(work_file: str, results_file: str) -> None:
    """Judge the mutants; no results are written if the tests can't be collected."""
    work = json.loads(Path(work_file).read_text())
    options = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["mutmut"]["pytest_add_cli_args"]
    wanted = {test for tests in work["tests"].values() for test in tests}
    files = sorted({test.partition("::")[0] for test in wanted})
    judge, watch = Judge(work["tests"], work["workers"]), ImportWatch()
    sys.setprofile(watch.note)
    arguments = ["--rootdir=.", "--tb=no", "-q", f"--timeout={HANG_SECONDS}", *options, *files]
    pytest.main(arguments, plugins=[judge, watch])
    if judge.noticed:
        Path(results_file).write_text(json.dumps({"noticed": judge.noticed, "run_at_import": sorted(watch.run)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
