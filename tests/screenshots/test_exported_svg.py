"""What is kept of an exported screen: every viewer paints the same cells."""

import re

from exported_svg import simplify_svg

from .svg_film import SVG, ElementTree

EXPORTED = """<svg class="rich-terminal" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg"><style>
@font-face { font-family: "Fira Code"; src: url("https://example.com/a.woff2") format("woff2"); }
.terminal-7-r1 { fill: #d7d7d7 }</style>
<defs><clipPath id="terminal-7-line-0"><rect x="0" y="1.5" width="9" height="9"/></clipPath></defs>
<g><text x="0" y="20" textLength="61" clip-path="url(#terminal-7-line-0)">&#160;&#160;a&lt;b</text>
<text class="terminal-7-r1" x="61" y="20" textLength="73.2">👩‍👩&#160;ok</text></g></svg>"""


def test_blanks_are_kept_by_browsers_and_by_other_viewers() -> None:
    root = ElementTree.fromstring(simplify_svg(EXPORTED))
    assert root.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"
    assert re.search(r"text \{[^}]*white-space: pre", root.findtext(f"{SVG}style") or "")
    assert [each.text for each in root.iter(f"{SVG}text")] == ["  a<b", "👩‍👩 ok"]


def test_a_text_is_as_long_as_its_cells() -> None:
    root = ElementTree.fromstring(simplify_svg(EXPORTED))
    assert [each.get("textLength") for each in root.iter(f"{SVG}text")] == ["61", "61"]


def test_nothing_is_fetched_and_no_run_is_named() -> None:
    assert not re.search(r"https?:(?!//www.w3.org/2000/svg)|font-face|terminal-\d|-line-", simplify_svg(EXPORTED))
