import json
from pathlib import Path

import pytest

from lab.proof import comparison
from lab.proof.comparison import compare, versions

COUNTS = {"board: bytes": 1000, "board: calls": 500}


@pytest.fixture(autouse=True)
def _expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "expected.json"
    path.write_text(json.dumps({"versions": versions(), "counts": COUNTS}))
    monkeypatch.setattr(comparison, "EXPECTED", path)


def moved(counts: dict[str, int]) -> list[str]:
    return [each for each in compare(counts) if each.startswith("moved")]


@pytest.mark.parametrize("size", [970, 1000, 1030])
def test_three_percent_are_allowed(size: int) -> None:
    assert not moved(COUNTS | {"board: bytes": size})


@pytest.mark.parametrize(("size", "share"), [(969, "-3.1%"), (1031, "+3.1%"), (2000, "+100.0%")])
def test_more_either_way_is_named_with_how_to_accept_it(size: int, share: str) -> None:
    found = compare(COUNTS | {"board: bytes": size})
    assert found[0] == f"moved: board: bytes: 1,000 expected, {size:,} counted ({share})"
    assert "python -m lab.proof --accept" in found[1]


def test_a_count_that_is_gone_or_new_is_named() -> None:
    assert moved({"board: bytes": 1000, "inbox: bytes": 7}) == [
        "moved: board: calls: 500 expected, nothing counted",
        "moved: inbox: bytes: nothing expected, 7 counted",
    ]


def test_where_nothing_is_expected_one_is_too_many() -> None:
    comparison.EXPECTED.write_text(json.dumps({"versions": versions(), "counts": {"idle: bytes": 0}}))
    assert moved({"idle: bytes": 1}) == ["moved: idle: bytes: 0 expected, 1 counted"]


def test_calls_are_compared_on_the_same_python_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "versions", lambda: versions() | {"python": "3.99"})
    found = compare({"board: bytes": 2000, "board: calls": 900})
    assert [each for each in found if each.startswith("moved")] == [
        "moved: board: bytes: 1,000 expected, 2,000 counted (+100.0%)"
    ]
    assert any("3.99 now; so not compared: board: calls" in each for each in found)
