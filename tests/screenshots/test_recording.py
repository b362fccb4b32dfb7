"""The recording at the top of the README: safe to show as an image, and it tells its story."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from story import NIGHT, NIGHT_SHOWN_SECONDS, STEPS

from .svg_film import SVG, Film

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "screenshots" / "recording.svg"
MAX_BYTES = 1_000_000
TAGS = {"svg", "title", "style", "g", "rect", "circle", "path", "text"}
MACHINE_PATHS = ("/home", "/root", "/tmp", "/Users", "/work", "\\Users", "127.0.0.1", "localhost")


def check_image(svg: str) -> None:
    """It is small, says nothing of the machine, runs nothing and asks for nothing."""
    assert len(svg.encode()) <= MAX_BYTES
    elements = [*Film(svg).root.iter()]
    assert {each.tag.removeprefix(SVG) for each in elements} <= TAGS
    assert not [name for each in elements for name in each.attrib if "href" in name or name.startswith("on")]
    rest = svg.replace('xmlns="http://www.w3.org/2000/svg"', "", 1)
    assert not re.search(r"https?:|url\(|@import|@font-face|<!", rest)
    assert not [path for path in MACHINE_PATHS if path in rest]


def test_recording_is_a_small_image_that_stands_alone() -> None:
    check_image(RECORDING.read_text(encoding="utf-8"))


def test_every_step_shows_what_it_promises_with_its_caption() -> None:
    film = Film(RECORDING.read_text(encoding="utf-8"))
    begins, caption, at = [], "", 0.0
    for step in STEPS:
        if step.is_restart:
            assert NIGHT in film.text_at(at + 0.1)
            at += NIGHT_SHOWN_SECONDS
        caption = step.caption or caption
        begins.append(at)
        for moment in (at + 0.1, at + step.seconds - 0.1):
            words = film.text_at(moment).replace("  ", " ")
            assert not [each for each in (*step.shows, caption) if each not in words], words
        at += step.seconds
    assert at == pytest.approx(film.seconds)
    assert 20 <= film.seconds <= 26


def test_viewers_that_do_not_animate_see_the_changes_that_wait() -> None:
    film = Film(RECORDING.read_text(encoding="utf-8"))
    assert "10 unconfirmed" in film.poster_text()
    assert "offline" in film.poster_text()
    assert "everything sent" not in film.poster_text()


def test_readme_opens_with_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    images = re.findall(r"!\[[^\]]{20,}\]\((\S+)\)", readme.partition("python3 -m venv")[0])
    assert images == ["screenshots/recording.svg"]


@pytest.mark.slow
def test_recording_holds_nothing_of_the_machine_that_made_it(tmp_path: Path) -> None:
    """With other folders, another time zone and another terminal it is the same image to the byte."""
    made = tmp_path / "recording.svg"
    own = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "TZ": "Asia/Tokyo", "TERM": "dumb"}
    own["PYTHONPATH"] = str(ROOT / "tests")
    command = [sys.executable, ROOT / "screenshots" / "record.py", "--to", made]
    subprocess.run(command, env=os.environ | own, cwd=tmp_path, check=True)
    assert made.read_text(encoding="utf-8") == RECORDING.read_text(encoding="utf-8")
