"""What is kept of an earlier start's compiling gives what compiling gives, and nothing else is trusted."""

import collections
import dataclasses
import marshal
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk import frozen
from frontdesk.cli.compiled import Compiled

# Each is seen nowhere else, so that `re` has none of them at hand.
EXPRESSIONS: list[tuple[str | bytes, int, str | bytes]] = [
    (r"(?P<compiled_word>\w+)-(\d+)?", 0, "abc-12"),
    (r"(?i)compiled straße|ΣΊΣΥΦΟΣ", 0, "COMPILED STRASSE σίσυφος"),
    (r"(?x) compiled (?# said) \s+ (?=it)", re.MULTILINE, "compiled it"),
    (rb"[\x00-\x1f]compiled+", re.DOTALL, b"\x01compiledd"),
    (r"(a)(?:b|(?P<last>c))*compiled(?(last)x|y)", 0, "abccompiledx"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "compiled.bin"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    re.purge()
    yield
    re.purge()


def use(path: Path) -> list[object]:
    """Take up what is kept, make one of everything with it, put it down."""
    compiled = Compiled(path)
    compiled.take_up()
    try:
        patterns = [re.compile(expression, flags) for expression, flags, _ in EXPRESSIONS]
        pair = collections.namedtuple("pair", "left right", defaults=(7,))
        plain = dataclasses.make_dataclass("Plain", [("size", int), ("name", str, "x")], order=True)
        ours = frozen.dataclass(frozen=True, slots=True)(type("Ours", (), {"__annotations__": {"size": int}}))
    finally:
        compiled.put_down()
    for thread in threading.enumerate():
        if thread.name == "compiled":
            thread.join()
    return [
        *((each.groups, dict(each.groupindex), each.flags, each.pattern) for each in patterns),
        *(
            [(found.span(), found.groups()) for found in pattern.finditer(text)]  # type: ignore[arg-type]
            for pattern, (_, _, text) in zip(patterns, EXPRESSIONS, strict=True)
        ),
        (pair(1), pair(1, 2)._asdict(), repr(plain(3)), plain(1) < plain(2), plain(1) == plain(1, "x")),
        (repr(ours(size=3)), ours(3) == ours(3)),
    ]


def plainly() -> list[object]:
    """The same without anything kept."""
    return use(Path("/nonexistent/compiled.bin"))


def test_what_was_kept_is_what_compiling_gives(path: Path) -> None:
    assert use(path) == plainly()
    assert path.exists()
    re.purge()
    before = path.stat()
    assert use(path) == plainly()
    assert path.stat().st_mtime_ns == before.st_mtime_ns  # nothing had to be compiled


def test_expressions_are_python_s_own(path: Path) -> None:
    """Compared with what `re` itself compiles, in the codes of the engine."""
    use(path)
    kept = marshal.loads(path.read_bytes()[4:])[1]
    for expression, flags, _ in EXPRESSIONS:
        re.purge()
        own = re.compile(expression, flags)
        said, _, groups, names, _ = kept[type(expression).__name__, expression, flags]
        assert (said, groups, names) == (own.flags, own.groups, dict(own.groupindex))


def test_afterwards_the_standard_library_is_as_it_was(path: Path) -> None:
    from re import _compiler  # type: ignore[attr-defined]

    before = _compiler.compile
    use(path)
    assert _compiler.compile is before
    assert all("exec" not in vars(module) for module in (dataclasses, frozen))
    assert "eval" not in vars(collections)


def test_a_fault_in_an_expression_is_told_as_ever(path: Path) -> None:
    compiled = Compiled(path)
    compiled.take_up()
    try:
        with pytest.raises(re.error, match="unterminated character set"):
            re.compile("compiled[")
    finally:
        compiled.put_down()


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"frontdesk", bytes(range(256))])
def test_a_damaged_file_is_made_anew(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert use(path) == plainly()
    assert path.read_bytes() != content


def test_a_file_cut_short_or_with_one_byte_changed_is_made_anew(path: Path) -> None:
    use(path)
    whole = path.read_bytes()
    for broken in (whole[:-1], whole[: len(whole) // 2], whole[:900] + bytes([whole[900] ^ 1]) + whole[901:]):
        path.write_bytes(broken)
        re.purge()
        assert use(path) == plainly()
        assert path.read_bytes() != broken


def test_what_another_python_or_another_user_wrote_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o622)
    assert not Compiled(path)._kept
    path.chmod(0o600)
    assert Compiled(path)._kept
    with monkeypatch.context() as patch:
        patch.setattr("frontdesk.cli.compiled.MAKES", "another Python")
        assert not Compiled(path)._kept
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert not Compiled(path)._kept


def test_a_cache_that_can_t_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert use(tmp_path / "cache" / "compiled.bin") == plainly()
