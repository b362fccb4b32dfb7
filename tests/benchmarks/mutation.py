"""How many of the mistakes that mutmut plants in the rules the plain tests notice.

    .venv/bin/pip install mutmut
    .venv/bin/python tests/benchmarks/mutation.py [MUTANTS] [SEED]

Of all mutants of the modules that pyproject.toml names, MUTANTS (400) are drawn with SEED (19) and tested, each by
the tests that run its function. The score and the survivors are printed; a score below 90 % is exit status 1.
`.venv/bin/mutmut show NAME` shows a survivor. It takes about half an hour, and writes only to the folder mutants/.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

WANTED = 0.9
FIRST = "frontdesk.text.percentages*"
"""Makes all mutants, and finds out which tests run which functions."""

SURVIVED, NOT_TESTED = 0, 33
"""mutmut's results; all others mean that a test failed, or took too long."""


def main(mutants: int = 400, seed: int = 19) -> int:
    """Run the benchmark; returns the exit status."""
    _mutmut([FIRST])
    drawn = random.Random(seed).sample(sorted(_results()), mutants)
    _mutmut(drawn)
    results = _results()
    survivors = [name for name in drawn if results[name] in (SURVIVED, NOT_TESTED, None)]
    for module, count in sorted(Counter(map(_module, drawn)).items()):
        lived = sum(_module(name) == module for name in survivors)
        print(f"{module:40} {count - lived:4} of {count:4}")
    for name in survivors:
        print(f"{'not tested' if results[name] == NOT_TESTED else 'survived'}: {name}")
    score = 1 - len(survivors) / len(drawn)
    print(f"{score:.1%} of {len(drawn)} mutants noticed, seed {seed}")
    return 0 if score >= WANTED else 1


def _mutmut(names: Sequence[str]) -> None:
    subprocess.run([str(Path(sys.executable).with_name("mutmut")), "run", *names], check=True)


def _results() -> dict[str, int | None]:
    """Return the exit status of each mutant's tests by its name; None was not run."""
    files = Path("mutants").rglob("*.meta")
    return {
        name: code for file in files for name, code in json.loads(file.read_text())["exit_code_by_key"].items()
    }


def _module(name: str) -> str:
    return name.partition(".x_")[0].partition(".xǁ")[0].removeprefix("frontdesk.")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
