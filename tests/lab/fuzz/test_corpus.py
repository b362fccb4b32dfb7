"""The kept inputs of each fuzz target hold what the target promises; no fuzzer is needed for that."""

from pathlib import Path

import pytest

from lab.fuzz import corpus
from lab.fuzz.targets import TARGETS, run_show_line

SLOW = {"audience_files", "cell_widths", "due_words"}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow) if each in SLOW else each for each in TARGETS]
)
def test_the_kept_inputs_hold(name: str) -> None:
    inputs = corpus.load(name)
    assert len(inputs) >= 20, "the target has a corpus"
    for data in inputs:
        TARGETS[name].run(data)


def test_each_target_has_a_corpus_and_no_other() -> None:
    assert {path.stem for path in corpus.FOLDER.glob("*.txt")} == set(TARGETS)


def test_a_corpus_reads_back_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "FOLDER", tmp_path)
    inputs = [b"\x00\xff\n'\"", b"", bytes(range(256))]
    corpus.save("any", inputs)
    assert corpus.load("any") == sorted(inputs, key=len)


def test_a_broken_promise_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    from frontdesk_lines import display_text

    monkeypatch.setattr(display_text, "show_line", lambda raw, limit=200: display_text.SafeText(raw[:limit]))
    with pytest.raises(AssertionError):
        run_show_line(b"\x00\x00\x1b]0;OWNED\x07")


def test_the_corpus_keeps_what_reaches_something_new() -> None:
    target = TARGETS["due_words"]
    assert corpus.reduce(target, [b"fri", b"fri", b"+3d", b"+9d"]) == [b"+3d", b"fri"]
