"""Counts what SQLite does for a job: statements, and the steps of its virtual machine."""

from collections.abc import Callable
from dataclasses import dataclass

import apsw


@dataclass
class SqlSteps:
    """What was run on the connections that this watches, since it began."""

    statements: int = 0
    steps: int = 0

    def watch(self, db: apsw.Connection) -> None:
        """Count what this connection runs from now on."""
        db.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._count)

    def _count(self, event: dict[str, object]) -> None:
        status = event["stmt_status"]
        assert isinstance(status, dict)
        self.statements += 1
        self.steps += status["SQLITE_STMTSTATUS_VM_STEP"]


def count_steps(db: apsw.Connection, job: Callable[[apsw.Connection], object]) -> SqlSteps:
    """Run a job on a connection and return what SQLite did; a first run compiles the statements."""
    job(db)
    found = SqlSteps()
    found.watch(db)
    try:
        job(db)
    finally:
        db.trace_v2(0, None)
    return found
