"""Tables and pictures of HTML pages: unknown is a gap, and no text of a stranger is markup."""

import re
from xml.etree import ElementTree as Xml

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.html_pages import Mark, bar_svg, curve_svg, html_table
from frontdesk_lines.display_text import show_label

TEXT = st.text("<>&\"'/ =ab\u05d0-!", max_size=20)


def shapes(svg: str) -> list[str]:
    return [each.tag for each in Xml.fromstring(svg) if each.tag in ("polyline", "rect")]


def test_a_value_that_is_not_known_is_a_gap_and_no_zero() -> None:
    found = Xml.fromstring(curve_svg("pace", [None, None, 0.0, 4.0, None, 2.0], ("9:00", "10:00"), "4"))
    assert [each.tag for each in found if each.tag in ("polyline", "rect")] == [
        "rect",
        "polyline",
        "rect",
        "polyline",
    ]
    (first, _) = found.findall("polyline")
    heights = [float(each.split(",")[1]) for each in first.attrib["points"].split()]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 2


def test_nothing_at_all_is_a_picture_without_a_curve() -> None:
    assert shapes(curve_svg("pace", [], ("", ""), "")) == []
    assert shapes(curve_svg("pace", [0.0, 0.0], ("", ""), "0")) == ["polyline"]
    assert bar_svg(None) == ""


@given(TEXT, TEXT)
def test_every_text_of_a_picture_or_table_stays_text(one: str, other: str) -> None:
    picture = Xml.fromstring(curve_svg(one, [1.0], (other, one), other, [Mark(2.0, one)]))
    assert picture.attrib["aria-label"] == show_label(one).text
    assert {each.tag for each in picture.iter()} <= {"svg", "path", "polyline", "rect", "text", "title"}
    table = Xml.fromstring(html_table((one, other), [(other, one)], caption=one or "x", bars=[bar_svg(0.5)]))
    assert [each.text or "" for each in table.iter("bdi")] == [
        show_label(each).text for each in (one, other, other, one)
    ]
    assert {each.tag for each in table.iter()} == {
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "svg", "rect")
    }


def test_numbers_are_told_from_words_and_each_heading_has_its_scope() -> None:
    table = html_table(("Name", "Why", "Count"), [("a", "b", "1")], words=2)
    assert re.findall(r"<(t[hd](?: [^>]*)?)>", table) == [
        *('th scope="col"', 'th scope="col"', 'th scope="col" class="number"'),
        *('th scope="row"', "td", 'td class="number"'),
    ]
