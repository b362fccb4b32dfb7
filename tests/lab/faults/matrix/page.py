"""faults.md, made of the results of a whole run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from lab.faults.matrix.engine_process import BACK_SECONDS, FAULT_SECONDS, Measured
from lab.faults.matrix.files import RECOVERS, SENTENCE, StartCell
from lab.faults.matrix.judgement import Cell, Finding
from lab.faults.matrix.modes import Mode
from lab.faults.matrix.sample import OPERATIONS
from lab.faults.replaced_files import FILES, REPLACEMENTS

PAGE = Path(__file__).with_name("faults.md")
MAX_MEGABYTES, MAX_LIVE_SECONDS = 200, 15
"""What the engine should stay below."""

_INTRODUCTION = """\
# Faults

What happens to people's changes, and what screens show, when the platform or something between it and you fails:
the fault matrix, each fault at each operation. This page is written by a run of the whole matrix.
[Troubleshooting](../../../../docs/troubleshooting.md#the-status-line) has the words of the status line, with what
to do. The modes are faults of the [sandbox](../../../../docs/command-line.md#faults).

    PYTHONPATH=tests .venv/bin/python -m lab.faults.matrix         # all of it, half an hour; writes this page
    .venv/bin/pytest -n 2 -m lab tests/lab/faults/test_matrix.py   # a sample, as CI runs it
"""

_FILES = f"""\
An engine is started on a store in which something else has taken a file's place. With `{SENTENCE}` it ended with
status 2 and one line that names the file and what to do; with `{RECOVERS}` it went on to poll.
"""

_METHOD = """\
## How a cell is judged

Each cell runs the real engine with a real store over real connections, on a clock ten times as fast as the
machine's. The judge is the sandbox's own log, which tells what was carried out apart from what was answered.

- **Changes**: a person makes the change, and its request meets the fault twice. Once everything is settled, a
  change shown as confirmed was carried out exactly once, and one shown as rejected never was. If the outcome can't
  be known, the person decides, and no text claims that nothing happened. `get_task` is met by a change as well,
  since a task is read before its PATCH. Adding the same tag twice is harmless and doesn't count as doubled.
- **Reads**: while the fault lasts, no row goes away, and the status line of the screen that shows it isn't "live",
  unless something else says what is wrong: a problem beside the data, or broken items in Activity. After it, the
  screen is live again, and what changed on the platform meanwhile is there.
- **Credentials**: in the modes that send the request back, the store, the engine's log and all texts of the status
  line and of Activity are searched for the test's credentials, in any encoding.

Memory and time are those of the engine as a process of its own, in real time, with the usual settings: all polled
operations meet the fault at once for {fault_seconds} s while somebody looks at the inbox, and presses `R` only
where the platform asked for an hour's pause. The words of the status line are the ones shown longest
during the fault. The targets are at most {most} MB, and live again within {live} s after the fault has ended. On a
machine that has other work to do, times are longer.

One case no client can detect isn't in the table: if something other than the platform answers a webhook's deletion
with an empty 200, frontdesk believes it, since the interface doesn't show the answer.
"""


@dataclass(frozen=True, slots=True)
class Results:
    """What a run has found of one mode."""

    mode: Mode
    cells: Sequence[Cell]
    measured: Measured


def write_page(results: Sequence[Results], starts: Sequence[StartCell], day: date) -> None:
    """Write the page."""
    parts = [
        *(_INTRODUCTION, _totals(results, starts, day), _modes(results), _operations(results)),
        *(_files(starts), _findings(results)),
    ]
    method = _METHOD.format(fault_seconds=f"{FAULT_SECONDS:.0f}", most=MAX_MEGABYTES, live=MAX_LIVE_SECONDS)
    PAGE.write_text("\n".join([*filter(None, parts), method]), encoding="utf-8")


def _totals(results: Sequence[Results], starts: Sequence[StartCell], day: date) -> str:
    cells = [cell for each in results for cell in each.cells]
    measured = [each.measured for each in results]
    rows = [("modes × operations", f"{len(results)} × {len(OPERATIONS)} = {len(cells)} cells")]
    rows += [(f"{finding}", str(_count(cells, finding))) for finding in Finding]
    small = sum(each.peak_megabytes <= MAX_MEGABYTES for each in measured)
    soon = sum(each.live_seconds is not None and each.live_seconds <= MAX_LIVE_SECONDS for each in measured)
    most = max(each.peak_megabytes for each in measured)
    rows += [
        (f"engine at most {MAX_MEGABYTES} MB", f"{small} of {len(measured)} modes; at most {most:.0f} MB"),
        (f"live again within {MAX_LIVE_SECONDS} s", f"{soon} of {len(measured)} modes"),
    ]
    good = sum(each.outcome in (SENTENCE, RECOVERS) for each in starts)
    rows.append(("starts on replaced files", f"{good} of {len(starts)} end with a sentence or recover"))
    return f"## Result of {day:%Y-%m-%d}\n\n{_table(('figure', 'value'), rows)}"


def _modes(results: Iterable[Results]) -> str:
    heads = ("mode", "status line", "cells", *_HEADS, "memory, MB", "live again, s")
    rows = [
        (
            f"`{each.mode.name}`",
            f"`{each.measured.words}`",
            str(len(each.cells)),
            *_counts(each.cells),
            *_figures(each.measured),
        )
        for each in results
    ]
    return f"## By mode\n\n{_table(heads, rows)}"


def _operations(results: Sequence[Results]) -> str:
    rows = []
    for name in OPERATIONS:
        cells = [cell for each in results for cell in each.cells if cell.operation == name]
        rows.append((f"`{name}`", str(len(cells)), *_counts(cells)))
    return f"## By operation\n\n{_table(('operation', 'cells', *_HEADS), rows)}"


def _files(starts: Sequence[StartCell]) -> str:
    outcomes = {(each.name, each.replacement): each.outcome for each in starts}
    rows = [(f"`{name}`", *(outcomes[name, each] for each in REPLACEMENTS)) for name in FILES]
    return f"## Files at start\n\n{_FILES}\n{_table(('file', *REPLACEMENTS), rows)}"


def _findings(results: Iterable[Results]) -> str:
    cells = [cell for each in results for cell in each.cells if cell.findings]
    lines = [
        f"- `{cell.mode}` × `{cell.operation}`: {finding}: {details}"
        for cell in cells
        for finding, details in cell.findings
    ]
    return "\n".join(["## What isn't right yet\n", *lines, ""]) if lines else ""


_MISSED = " (missed)"
_HEADS = ("lost", "doubled", "wrong", "credentials", "not settled")


def _counts(cells: Sequence[Cell]) -> tuple[str, ...]:
    return tuple(str(_count(cells, finding)) for finding in Finding)


def _count(cells: Sequence[Cell], finding: Finding) -> int:
    return sum(1 for cell in cells for found, _ in cell.findings if found is finding)


def _figures(measured: Measured) -> tuple[str, str]:
    peak, live = measured.peak_megabytes, measured.live_seconds
    seconds = f"over {BACK_SECONDS:.0f}" if live is None else f"{live:.1f}"
    is_soon = live is not None and live <= MAX_LIVE_SECONDS
    return f"{peak:.0f}{_MISSED * (peak > MAX_MEGABYTES)}", f"{seconds}{_MISSED * (not is_soon)}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines) + "\n"
