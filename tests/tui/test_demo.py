"""`frontdesk demo`: its lock outlives `--fresh`, and its sandbox is told no secret."""

from pathlib import Path

import pytest

from frontdesk.cli import demo


def test_a_running_demo_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "data_root", lambda: tmp_path)
    kept = tmp_path / "demo" / "store" / "store.db"
    kept.parent.mkdir(parents=True)
    kept.write_text("rows")
    running = demo._only_one(tmp_path / "demo.lock")
    assert running is not None
    assert demo.run_demo(["--fresh"]) == 2
    assert "open in another terminal" in capsys.readouterr().err
    assert kept.read_text() == "rows"
    running.close()


def test_the_sandbox_inherits_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COOKIE", "API_KEY", "BEARER"):
        monkeypatch.setenv(f"FRONTDESK_{name}", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    environment = demo._without_credentials()
    assert "secret" not in environment.values()
    assert environment["LANG"] == "C.UTF-8"
