"""What is waited for before a picture is taken, and what is kept of it."""

import asyncio
import re
import threading
from xml.etree import ElementTree

from snapshots.settled_app import MAX_PAUSE_SECONDS, WorkLoop, run, simplify_svg

SVG = "{http://www.w3.org/2000/svg}"
EXPORTED = """<svg class="rich-terminal" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg"><style>
@font-face { font-family: "Fira Code"; src: url("https://example.com/a.woff2") format("woff2"); }
.terminal-7-r1 { fill: #d7d7d7 }</style>
<defs><clipPath id="terminal-7-line-0"><rect x="0" y="1.5" width="9" height="9"/></clipPath></defs>
<g><text x="0" y="20" textLength="61" clip-path="url(#terminal-7-line-0)">&#160;&#160;a&lt;b</text>
<text class="terminal-7-r1" x="61" y="20" textLength="73.2">👩‍👩&#160;ok</text></g></svg>"""


def work_loop() -> WorkLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, WorkLoop)
    return loop


def test_a_short_pause_is_work_until_what_was_put_off_has_run() -> None:
    async def story() -> None:
        loop, ran = work_loop(), asyncio.Event()
        assert not loop.has_work
        loop.call_later(MAX_PAUSE_SECONDS / 100, ran.set)
        assert loop.has_work
        await ran.wait()
        assert not loop.has_work

    run(story())


def test_a_pause_that_was_given_up_is_none() -> None:
    async def story() -> None:
        loop = work_loop()
        loop.call_later(MAX_PAUSE_SECONDS / 2, print).cancel()
        assert not loop.has_work

    run(story())


def test_what_comes_again_and_again_is_not_waited_for() -> None:
    async def story() -> None:
        loop = work_loop()
        again = loop.call_later(MAX_PAUSE_SECONDS * 2, print)
        assert not loop.has_work
        again.cancel()

    run(story())


def test_a_call_on_a_thread_is_work_until_it_returns() -> None:
    async def story() -> None:
        loop, goes_on = work_loop(), threading.Event()
        running = asyncio.ensure_future(asyncio.to_thread(goes_on.wait))
        await asyncio.sleep(0)
        assert loop.has_work
        goes_on.set()
        await running
        assert not loop.has_work

    run(story())


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
