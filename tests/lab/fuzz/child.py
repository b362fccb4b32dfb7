"""One target under atheris, in a process of its own: libFuzzer ends the process that it runs in.

`fuzz.run` starts it. What it finds is written at once, so that nothing is lost when it is ended.
"""

import hashlib
import sys
import time
import traceback
from pathlib import Path

import atheris


def main() -> None:
    """Fuzz the target named first, with the folder for findings second; the rest is libFuzzer's."""
    name, folder, *options = sys.argv[1:]
    from lab.fuzz.targets import TARGETS  # not instrumented: only its list of packages is read

    packages = TARGETS[name].instrument
    for module in [each for each in sys.modules if each.split(".")[0] in ("frontdesk", "lab")]:
        del sys.modules[module]
    with atheris.instrument_imports(include=list(packages), enable_loader_override=False):
        from lab.fuzz import targets
    run, max_seconds = targets.TARGETS[name].run, targets.TARGETS[name].max_seconds
    found = Path(folder)
    seen: set[str] = set()
    run(b"")  # what is loaded at first use takes long, and once

    def keep(kind: str, data: bytes, words: str) -> None:
        path = found / f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(words, "utf-8", "backslashreplace")

    def test_one_input(data: bytes) -> None:
        began = time.thread_time()
        try:
            run(data)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} {frame.filename}:{frame.lineno}"
            if place not in seen:
                seen.add(place)
                keep("crash", data, traceback.format_exc())
        lasted = time.thread_time() - began
        if lasted > max_seconds:  # with the fuzzer's own instruments: `fuzz.run` measures again without
            keep("slow", data, f"{lasted:.3f} s")

    atheris.Setup([sys.argv[0], *options], test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
