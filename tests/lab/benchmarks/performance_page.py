"""Draws performance.md from a run of `prove.py`; tests/docs_checks compares the page with the kept run."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

MEASURED = "measured"

INTRODUCTION = """# Performance

<!-- Written by tests/lab/benchmarks/prove.py from performance.json; don't edit. -->

How fast frontdesk is, compared with the least that such a program can take and with mail programs in a terminal.
Read ratios, not milliseconds: machines differ, and other work on the same machine makes every program slower. So
each time is shown beside others that were measured in turn in the same minutes, and [the counts](#counts) are the
same on any machine.
"""

HOW = """
## Measure it yourself

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.prove --store /tmp/large --out /tmp/figures --keep

The first run makes a store of 100,000 conversations, which takes ten minutes; a run takes fifteen more. Every
value is in the files of `--out`, and those of the run above are in [performance.json](performance.json). neomutt
and aerc are measured if they are installed.
"""


def draw_page(run: dict[str, Any]) -> str:
    """Return the page."""
    return "\n".join([INTRODUCTION, *_header(run), *_benchmarks(run), *_counts(run["counts"]), HOW])


def _header(run: dict[str, Any]) -> Iterator[str]:
    size = ", ".join(f"{number:,} {name}" for name, number in run["store"].items())
    yield "| this run | |\n|---|---|"
    yield f"| date, commit | {run['date']}, {run['commit']} |"
    yield f"| program | Python {run['python']}, Textual {run['textual']}, SQLite {run['sqlite']} |"
    yield f"| machine | {run['system']}, {run['cores']} cores |"
    yield f"| load before and after | {run['load_before']}, {run['load_after']} |"
    yield f"| store | {size} |"
    yield f"| took | {run['seconds']} s |"


def _heading(name: str) -> str:
    return "SSH" if name == "ssh" else name.replace("-", " ").capitalize()


def _benchmarks(run: dict[str, Any]) -> Iterator[str]:
    for name, benchmark in run["benchmarks"].items():
        yield f"\n## {_heading(name)}\n"
        if benchmark["state"] != MEASURED:
            yield f"{benchmark['state'].capitalize()}."
        if "command" in benchmark:
            yield f"`{benchmark['command']}`, {benchmark['seconds']} s. Medians; in brackets least and most."
            if "date" in benchmark:
                yield f"Measured {benchmark['date']} at {benchmark['commit']}."
        if figures := benchmark.get("figures", []):
            yield ""
            yield from _table(figures)
        elif printed := benchmark.get("printed", []):
            yield ""
            yield from printed


def _table(figures: Sequence[dict[str, Any]]) -> Iterator[str]:
    others = list(dict.fromkeys(name for each in figures for name in each["beside"]))
    yield "| " + " | ".join(["what", "frontdesk", *others, "target", ""]) + " |"
    yield "|---" * (4 + len(others)) + "|"
    for each in figures:
        beside = [_spread(each["beside"].get(name, []), each["unit"]) for name in others]
        target, verdict = _judge(each)
        cells = [each["what"].replace("|", "\\|"), _spread(each["values"], each["unit"]), *beside, target, verdict]
        yield "| " + " | ".join(cells) + " |"


def _spread(values: Sequence[float], unit: str) -> str:
    if not values:
        return "not measured"
    shown = f"{_number(statistics.median(values))} {unit}"
    return shown if len(values) == 1 else f"{shown} ({_number(min(values))}–{_number(max(values))})"


def _judge(figure: dict[str, Any]) -> tuple[str, str]:
    target, median = figure["target"], statistics.median(figure["values"])
    if target is None:
        return "–", ""
    if not figure["times"]:
        return f"≤ {target:g}", "met" if median <= target else "missed"
    floor = figure["beside"].get(figure["times"], [])
    if not floor:
        return f"≤ {target:g} × {figure['times']}", "not measured"
    ratio = median / statistics.median(floor)
    return f"≤ {target:g} × {figure['times']}", f"{ratio:.2f} ×, {'met' if ratio <= target else 'missed'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.1f}"


def _counts(counts: dict[str, int]) -> Iterator[str]:
    yield "\n## Counts\n"
    yield (
        "What the program does for each of these, on the sandbox's business of 300 conversations in a terminal of"
        " 120x36. Each is the same on a busy machine as on a quiet one, so CI fails if one moves by more than 3 %"
        " (`python -m lab.proof`, [contributing](../../../docs/contributing.md#counts)).\n"
    )
    if not counts:
        yield "Not measured."
        return
    columns: dict[str, dict[str, int]] = {}
    for name, value in counts.items():
        what, _, unit = name.rpartition(": ")
        columns.setdefault(what, {})[unit] = value
    yield "| what | counted |\n|---|---|"
    for what, values in columns.items():
        yield f"| {what} | {', '.join(f'{unit} {value:,}' for unit, value in values.items())} |"
