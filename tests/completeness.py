"""Whether every collected test ran: a pytest plugin that conftest registers.

A worker that crashes again and again, or an error inside a hook, ends a run early with the exit status of an
ordinary failure. Here such a run fails as incomplete, and a record of each run stays in pytest's cache for
`.ci/run_tests.py`. A skipped test didn't run either: the record names it with its reason.
"""

from collections.abc import Sequence

import pytest

RECORD = "frontdesk/run"
"""The record's key in pytest's cache."""

MAX_NAMED = 20
"""Tests that did not run and are named; the rest is counted."""


class Completeness:
    """Compares the tests collected with the tests run, where the session is led: not in xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._collected: dict[str, None] = {}
        self._ran: set[str] = set()
        self._failed: dict[str, None] = {}
        self._skipped: dict[str, str] = {}
        self._has_begun = False
        self._has_collected_all = True
        self._is_broken = False

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._add([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._add(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._has_collected_all = False
        elif report.skipped:  # a whole file, whose tests nobody knows
            self._skipped[report.nodeid] = _reason(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        self._has_begun = True

    def pytest_internalerror(self) -> None:
        self._is_broken = True  # a worker's too, after which xdist may end as if nothing had been

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self) -> None:
        self._is_broken = True  # others run what its worker had left, and it would pass at a second try

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = without_group(report.nodeid)
        if report.failed:
            self._failed[test] = None
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped[test] = _reason(report)
        # A test whose worker crashed has one report, of no phase.
        if report.when not in ("setup", "call"):
            self._ran.add(test)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not self._has_begun or self._config.option.collectonly:
            self._keep_record(is_complete=False)
            return
        missing = self._missing()
        self._is_broken |= bool(missing) and not self._is_stopped(session)
        if self._is_broken and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        self._keep_record(is_complete=self._has_collected_all and not missing)
        if missing and session.exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            self._print(missing)

    def _add(self, tests: Sequence[str]) -> None:
        self._collected.update(dict.fromkeys(map(without_group, tests)))

    def _missing(self) -> list[str]:
        return [test for test in self._collected if test not in self._ran]

    def _is_stopped(self, session: pytest.Session) -> bool:
        """Whether -x or --maxfail ended the session: its exit status says that already."""
        most = self._config.getoption("maxfail")
        return bool(most) and session.testsfailed >= most

    def _print(self, missing: list[str]) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        reporter.section(f"{len(missing)} of {len(self._collected)} collected tests did not run", red=True)
        for test in missing[:MAX_NAMED]:
            reporter.write_line(test)
        if len(missing) > MAX_NAMED:
            reporter.write_line(f"and {len(missing) - MAX_NAMED} more")

    def _keep_record(self, *, is_complete: bool) -> None:
        if (cache := getattr(self._config, "cache", None)) is not None:
            record = {
                "is_complete": is_complete,
                "collected": list(self._collected),
                "ran": len(self._ran),
                "failed": list(self._failed),
                "skipped": self._skipped,
            }
            cache.set(RECORD, record)


def register_completeness(config: pytest.Config) -> None:
    """Watch this run, in the process that leads it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Completeness(config))


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why it was skipped: pytest has a file, a line and the words."""
    words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return words.removeprefix("Skipped: ")


def without_group(test: str) -> str:
    """The id of a test without the group that xdist appends; a parameter may hold an @ too."""
    at = test.rfind("@")
    return test[:at] if at > test.rfind("]") else test
