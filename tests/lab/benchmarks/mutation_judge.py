"""Runs the tests of each mutant in a fork of a process that has collected them all; mutation.py starts it.

The arguments are files: the work, `{"workers": 2, "mutants": […]}`; the tests of each function, which are found
out unless the file is there; and the results to write, `{"noticed": {mutant: whether a test failed},
"run_at_import": [function, …]}`. A fork whose tests take far more of a processor than they should, or hang, counts
as failed.
"""

import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest
from mutmut.state import state

TESTS = (
    "tests/text", "tests/outbox", "tests/sync", "tests/tasks", "tests/activity/test_view.py",
    "tests/ai_agents/test_view.py", "tests/campaigns/test_preflight.py",
    "tests/campaigns/test_preflight_findings.py", "tests/campaigns/test_line_queue.py",
    "tests/campaigns/test_throughput.py", "tests/campaigns/test_time_left.py", "tests/campaigns/test_commands.py",
    "tests/campaigns/test_delivery.py", "tests/campaigns/cli/test_create.py", "tests/campaigns/view",
    "tests/inbox/store/test_notifications.py", "tests/workflows/view", "tests/workflows/test_delivery.py",
)  # fmt: skip
"""The plain tests of the rules."""

OPTIONS = (
    "--rootdir=.", "--tb=no", "-q", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-profile=mutation",
    "--timeout=60", "-m", "not (lab or pty or slow)",
)  # fmt: skip
"""A test that takes a minute hangs."""

MAX_TEST_SECONDS = 15.0
"""A mutant that the quickest tests of its function don't notice within this time of a processor has survived."""

MAX_CPU_SECONDS = 60


class Judge:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, mutants: Sequence[str], workers: int, functions_file: Path) -> None:
        self.noticed: dict[str, bool] = {}
        self._mutants = mutants
        self._workers = workers
        self._functions_file = functions_file
        self._running: dict[int, Callable[[int], None]] = {}
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if not self._functions_file.exists():
            self._find_functions(session.items)
        functions = json.loads(self._functions_file.read_text())
        items = {item.nodeid: item for item in session.items}
        for mutant in self._mutants:
            names = functions.get(mutant.rpartition("__mutmut_")[0], ())
            tests = [items[name] for name in names if name in items]
            if tests:
                self._fork(lambda mutant=mutant, tests=tests: self._try(mutant, tests), self._noter(mutant))
            else:
                self._noter(mutant)(0)
        self._wait_for(0)
        return True

    def _find_functions(self, items: Sequence[pytest.Item]) -> None:
        """Write the tests that run each function, the quickest first; without those that fail without a mutant."""
        parts = []
        for number, (_, group) in enumerate(groupby(items, key=lambda item: item.path)):
            part = self._functions_file.with_suffix(f".{number}")
            parts.append(part)
            self._fork(lambda part=part, tests=list(group): self._watch(part, tests), lambda _: None)
        self._wait_for(0)
        found = defaultdict(list)
        for part in parts:
            for name, seconds, functions in json.loads(part.read_text()):
                for function in functions:
                    found[function].append((seconds, name))
            part.unlink()
        self._functions_file.write_text(json.dumps({name: _affordable(tests) for name, tests in found.items()}))

    def _watch(self, part: Path, tests: Sequence[pytest.Item]) -> int:
        os.environ["MUTANT_UNDER_TEST"] = "stats"
        found = []
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            # Where mutmut's functions note that they run; its own runner empties it after each test, too.
            state()._stats.clear()
            self._failed, began = False, time.process_time()
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            if self._failed:
                print(f"left out, since it fails without a mutant: {test.nodeid}", file=sys.stderr, flush=True)
            else:
                found.append((test.nodeid, time.process_time() - began, sorted(state()._stats)))
        part.write_text(json.dumps(found))
        return 0

    def _try(self, mutant: str, tests: Sequence[pytest.Item]) -> int:
        """Run tests until one fails; returns 1 if one did."""
        os.environ["MUTANT_UNDER_TEST"] = mutant
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            if self._failed:
                return 1
        return 0

    def _noter(self, mutant: str) -> Callable[[int], None]:
        def note(status: int) -> None:
            self.noticed[mutant] = status != 0
            if status == 0 or len(self.noticed) % 20 == 0:
                done = f"{len(self.noticed)} of {len(self._mutants)}"
                print(f"{done}, {mutant} {'noticed' if status else 'survived'}", file=sys.stderr, flush=True)

        return note

    def _fork(self, work: Callable[[], int], ended: Callable[[int], None]) -> None:
        self._wait_for(self._workers - 1)
        process = os.fork()
        if process == 0:
            os.setsid()
            status = 1
            try:
                status = work()
            finally:
                os._exit(status)  # whatever was raised, the fork ends here
        self._running[process] = ended

    def _wait_for(self, running: int) -> None:
        while len(self._running) > running:
            process, status = os.wait()
            with suppress(ProcessLookupError):
                os.killpg(
                    process, signal.SIGKILL
                )  # a fork that ended at a failure leaves the services of its tests
            self._running.pop(process)(status)


def _affordable(tests: Sequence[tuple[float, str]]) -> list[str]:
    chosen, left = [], MAX_TEST_SECONDS
    for seconds, name in sorted(tests):
        left -= seconds
        if left > 0:
            chosen.append(name)
    return chosen


class ImportWatch:
    """Notes which functions with mutants run while the tests are collected."""

    def __init__(self) -> None:
        self.run: set[str] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name.endswith("__mutmut_orig"):
            self.run.add(f"{frame.f_globals['__name__']}.{frame.f_code.co_name.removesuffix('__mutmut_orig')}")

    def pytest_collection_finish(self) -> None:
        sys.setprofile(None)


def main(work_file: str, functions_file: str, results_file: str) -> None:
    """Judge the mutants; no results are written if the tests can't be collected."""
    work = json.loads(Path(work_file).read_text())
    judge, watch = Judge(work["mutants"], work["workers"], Path(functions_file)), ImportWatch()
    sys.setprofile(watch.note)
    pytest.main([*OPTIONS, *TESTS], plugins=[judge, watch])
    if judge.noticed:
        Path(results_file).write_text(json.dumps({"noticed": judge.noticed, "run_at_import": sorted(watch.run)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
