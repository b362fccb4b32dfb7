"""Curves as cells: in roles, in exactly the room there is, honest about holes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.campaigns.view.charts import (
    CURVE_ROLES,
    LETTERS,
    LINE_EVERY,
    MIN_HEIGHT,
    MIN_WIDTH,
    Curve,
    draw,
)
from frontdesk_lines.glyphs import ASCII, UNICODE
from frontdesk_lines.lines import Role, width_of
from sample_records import words

PARTS = st.lists(
    st.lists(st.tuples(st.floats(0, 1e6), st.floats(-10, 1e12)), min_size=1, max_size=8).map(sorted), max_size=3
)


def number(value: float) -> str:
    return f"{value:,.0f}"


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    parts=st.lists(PARTS, min_size=1, max_size=len(LETTERS)),
    until=st.floats(1, 1e6),
    most=st.floats(1e-3, 1e12),
    width=st.integers(MIN_WIDTH, 220),
    height=st.integers(MIN_HEIGHT, 60),
    share=st.floats(-1, 2),
    plain=st.booleans(),
)
def test_a_picture_fills_its_room(
    parts: list[list[list[tuple[float, float]]]],
    until: float,
    most: float,
    width: int,
    height: int,
    share: float,
    plain: bool,
) -> None:
    curves = [Curve(index, [part for part in each if part]) for index, each in enumerate(parts)]
    picture = draw(curves, until, most, width, height, ASCII if plain else UNICODE, number)
    assert picture is not None
    lines = picture.at(share, "|")
    assert len(lines) == height
    assert all(width_of(line) == width for line in lines)
    said = words(*lines)
    assert said.replace("\n", "").isprintable()
    assert said.isascii() or not plain


def drawn(*curves: Curve, width: int = 60, height: int = 12) -> str:
    picture = draw(curves, 100, 100, width, height, ASCII, number)
    assert picture is not None
    return words(*picture.at(1, " "))


def test_a_hole_stays_empty() -> None:
    whole = drawn(Curve(0, [[(0, 50), (100, 50)]])).splitlines()
    holed = drawn(Curve(0, [[(0, 50), (30, 50)], [(70, 50), (100, 50)]])).splitlines()
    (full,), (open_,) = ([row for row in each if "aaa" in row] for each in (whole, holed))
    assert full.count("a") > open_.count("a") > 10
    assert " " * 15 in open_.rstrip("A a").rstrip() or " " * 15 in open_.split("a", 1)[1]


def test_each_curve_has_its_role_and_ends_with_its_letter() -> None:
    curves = [Curve(index, [[(0, 0), (90, 10 + 15 * index)]]) for index in range(len(LETTERS))]
    picture = draw(curves, 100, 100, 100, 30, UNICODE, number)
    assert picture is not None
    seen = {role for row in picture.cells for sign, role in row if 0x2800 < ord(sign) < 0x2900}
    assert seen == set(CURVE_ROLES)
    letters = {sign: role for row in picture.cells for sign, role in row if sign in LETTERS}
    assert letters == dict(zip(LETTERS, CURVE_ROLES, strict=True))


def test_curves_that_end_alike_keep_their_letters_apart() -> None:
    said = drawn(*(Curve(index, [[(0, 0), (100, 100)]]) for index in range(len(LETTERS))))
    assert all(said.count(letter) == 1 for letter in LETTERS)


def test_the_upright_line_stands_at_its_time_and_under_no_curve() -> None:
    picture = draw([Curve(0, [[(0, 100), (100, 100)]])], 100, 100, 60, 12, UNICODE, number)
    assert picture is not None
    for share, column in ((0.0, picture.left), (1.0, 59)):
        rows = words(*picture.at(share, "!")).splitlines()
        assert [row[column] for row in rows[: picture.lines]].count("!") == len(
            range(LINE_EVERY, picture.lines, LINE_EVERY)
        )
        assert "!" not in "".join(rows[picture.lines :])


@pytest.mark.parametrize(("width", "height"), [(MIN_WIDTH - 1, 20), (80, MIN_HEIGHT - 1), (0, 0)])
def test_without_room_there_is_no_picture(width: int, height: int) -> None:
    assert draw([Curve(0, [[(0, 1)]])], 10, 10, width, height, UNICODE, number) is None


def test_no_colour_is_left_that_is_not_a_role() -> None:
    picture = draw([], 10, 10, 60, 12, UNICODE, number)
    assert picture is not None
    assert {role for row in picture.cells for _, role in row} <= {Role.DIM, Role.TEXT}
