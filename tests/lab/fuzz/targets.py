"""What is fuzzed: each target takes bytes and raises where the code under test breaks a promise.

A target accepts the errors that its code documents. Anything else that leaves it is a crash.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from json import JSONDecodeError
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from frontdesk.campaigns.alert_rules import rules
from frontdesk.config.settings import AlertSetting, ConfigError, Profile, StatusLabel, TagLabel
from frontdesk.inbox import filter_words
from frontdesk.linear import line_parser
from frontdesk.storage.coverage import Coverage
from frontdesk.tasks import task_filter
from frontdesk.text import due_parser
from frontdesk_api import json_parser
from frontdesk_api.client.client import MAX_PAGE_FACTOR
from frontdesk_api.client.errors import ApiError
from frontdesk_api.client.replies import check_refusal, read_success, refusal_of
from frontdesk_api.client.transport import HttpAnswer
from frontdesk_api.contract.decode import Item, Page, decode_one, decode_page
from frontdesk_api.contract.endpoints import OPERATIONS, Endpoint, Listing, One
from frontdesk_api.contract.ids import AgentId, LineId, StatusId, TagId
from frontdesk_api.hosts import Hosts
from frontdesk_lines import cell_width as cells
from frontdesk_lines import display_text as display
from frontdesk_lines.lines import EMPTY, Role, Span, fit, fit_reading, paragraph, width_of
from frontdesk_lists.models import AudienceError, ListFile
from frontdesk_lists.reader import read, read_layout
from lab.fuzz.inputs import Input
from lab.hostile.terminal_bytes import unsafe_letters

NOW = datetime(2026, 11, 23, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))
WIDTHS = (1, 2, 3, 7, 20, 46, 80, 200)
PROFILE = Profile(
    "fuzz",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agent_id=AgentId("me"),
    agents={AgentId("me"): "Me", AgentId("noa"): "Noa Levi"},
    lines={LineId("L1"): "Service", LineId("L2"): "Sales"},
    tags=(TagLabel(TagId("vip"), "VIP", "gold"),),
    statuses=(StatusLabel(StatusId("waiting"), "Waits for parts"),),
)
NAMES = task_filter.FilterNames({"L1": "Service", "L2": 'The "Sales"'}, {"me": "me", "noa": "Noa Levi"})


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that is fuzzed.

    Attributes:
        run: takes an input; raises on a broken promise.
        instrument: the packages whose branches guide the fuzzer.
        max_bytes: the longest input that is tried.
        words: strings that the fuzzer puts into its inputs.
        max_seconds: of a processor; what takes longer is a hang.
    """

    run: Callable[[bytes], None]
    instrument: tuple[str, ...]
    max_bytes: int = 2_048
    words: tuple[str, ...] = ()
    max_seconds: float = 0.1


def assert_safe(text: str) -> None:
    """Nothing in it is for the terminal or invisible; joiners aside."""
    assert not unsafe_letters(text), unsafe_letters(text)


def run_show_line(data: bytes) -> None:
    """Lines and bodies are safe, bounded and the same when they are cleaned again."""
    taken = Input(data)
    limit = taken.choose((display.LINE_LIMIT, 1, 20, display.MAX_LOG_LINE))
    text = taken.long_text(display.BODY_LIMIT + 100)
    line = display.show_line(text, limit).text
    assert_safe(line)
    assert len(line) <= 4 * limit + 1, "a tab is four blanks, and a cut has its mark"
    again = display.show_line(line, 4 * limit + 1).text
    assert again == line, "cleaning twice changes nothing"
    body = display.body_lines(text)
    assert len(body) <= display.BODY_LINES + 1
    for each in body:
        assert_safe(each.text)


def run_cell_widths(data: bytes) -> None:
    """Nothing is wider than it may be, and no letter is lost by measuring."""
    taken = Input(data)
    width = taken.choose(WIDTHS)
    shown = display.show_line(taken.long_text(2_000), 2_000)
    text = shown.text
    assert "".join(cells.graphemes(text)) == text
    assert 0 <= cells.cell_width(text) <= cells.max_cells(text)
    cut = display.cut(text, width)
    assert cells.max_cells(cut) <= width, "no terminal paints beyond the edge"
    assert cells.cell_width(display.pad(text, width)) == width
    assert len(display.lay_out(text)) == len(text), "ordering for reading mirrors brackets and loses nothing"
    for part in display.wrap(shown, width):
        letters = cells.graphemes(part.text)
        assert cells.max_cells(part.text) <= width or len(letters) == 1
    span = Span(shown, Role.STRONG)
    ends = (Span(display.trusted("12m"), Role.DIM),)
    assert width_of(fit((span,), width)) == width
    assert width_of(fit((span,), width, ends)) == width
    assert width_of(fit_reading(span, width, ends)) == width
    for line in paragraph(shown, width):
        assert line is not EMPTY
        assert width_of(line) == width


def run_json_reader(data: bytes) -> None:
    """The strict readers accept only what Python's own does, and nothing that can't be stored or sent."""
    try:
        value = json_parser.parse_answer(data)
    except JSONDecodeError as error:
        assert 0 <= error.pos <= len(error.doc)
        assert json_parser.describe_error(error)
        value = error
    else:
        json.dumps(value, ensure_ascii=False).encode()
        assert json.loads(data) == value or b"\\u" in data
    for parse in (json_parser.parse_file, json_parser.parse_file_values):
        try:
            found = parse(data)
        except JSONDecodeError as error:
            assert json_parser.describe_error(error)
            continue
        if parse is json_parser.parse_file and not data.startswith(b"\xef\xbb\xbf"):
            assert not isinstance(value, JSONDecodeError), "a file is read more strictly than an answer"
            assert found == value or b"\\u" in data


def _decode(endpoint: Endpoint[Any], data: object) -> object:
    if isinstance(endpoint.reply, One):
        return decode_one(endpoint.reply, data)
    if isinstance(endpoint.reply, Listing):
        return decode_page(endpoint.reply, data, max_items=MAX_PAGE_FACTOR * endpoint.page_size)
    return None


def run_replies(data: bytes) -> None:
    """Each answer of each operation becomes a model, or an error that says whose it is."""
    taken = Input(data)
    endpoint = taken.choose(OPERATIONS)
    status = taken.choose((200, 201, 202, 204, 206, 301, 400, 401, 403, 404, 409, 429, 500, 503, 511))
    kind = taken.choose(("application/json", "text/html", ""))
    retry_after = taken.choose((None, "5", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "nan"))
    answer = HttpAnswer(status, taken.bytes(), retry_after, kind)
    try:
        if not 200 <= status < 300:
            check_refusal(endpoint, answer, "host")
            raise refusal_of(endpoint, answer, "host")
        found = read_success(endpoint, answer, "host", partial(_decode, endpoint))
    except ApiError as error:
        assert str(error).isprintable() or answer.body, "our own words are plain"
        display.show_line(str(error))
        return
    items = found.items if isinstance(found, Page) else (found,) if isinstance(found, Item) else ()
    for item in items:
        item.value.model_dump_json(exclude_unset=True)
        json.dumps(item.raw).encode()
    if isinstance(found, Page):
        assert found.cursor is None or found.cursor
        assert all(each.reason for each in found.broken)


@cache
def _list_path() -> Path:
    """One file for all lists of this process, in memory where there is such a place."""
    memory = Path("/dev/shm")
    handle, name = tempfile.mkstemp(prefix="fuzzed-list", dir=memory if os.access(memory, os.W_OK) else None)
    os.close(handle)
    return Path(name)


def run_audience_files(data: bytes) -> None:
    """A list is refused in words, or each of its rows is a recipient or has a reason."""
    taken = Input(data)
    country = taken.choose((None, "DE", "IL", "US", "nowhere"))
    skips_doubtful = taken.choose((False, True))
    repeats = taken.choose((1, 1, 1, 3, 50))
    path = _list_path()
    path.write_bytes(taken.bytes() * repeats)
    file = ListFile(str(path), country=country, skips_doubtful=skips_doubtful)
    try:
        layout = read_layout(file)
        if layout.columns is None:
            return
        audience = read(file.read_as(layout), layout.columns)
    except AudienceError as error:
        assert str(error)
        return
    left_out = audience.refused.count + audience.duplicates.count
    assert audience.rows == len(audience.recipients) + left_out
    numbers = [each.number for each in audience.recipients]
    assert len(set(numbers)) == len(numbers)
    assert all(each.isascii() and each.isdecimal() and 5 <= len(each) <= 17 for each in numbers), numbers
    assert sum(each.count for each in audience.countries) == len(numbers)
    for each in (*audience.refused.kept, *audience.duplicates.kept, *audience.doubtful.kept):
        display.show_line(each.value)
        assert each.reason


def run_views(data: bytes) -> None:
    """Views and filters read the same from what they write, and refuse in words."""
    typed = Input(data).text()
    query = filter_words.parse(typed)
    again = filter_words.parse(str(query))
    assert again.terms == query.terms, str(query)
    assert all(query.faults)
    filter_words.wanted(query, PROFILE, NOW.timestamp())
    filter_words.unknown_names(query, PROFILE, {LineId("L1"): "whatsapp"})
    filter_words.precision(Coverage(), query)
    wanted = task_filter.parse(typed, NAMES)
    written = task_filter.format_filter(wanted, NAMES)
    assert task_filter.parse(written, NAMES).terms == wanted.terms, written
    before, *_ = task_filter.last_term(typed)
    assert typed.startswith(before)


def run_typed_lines(data: bytes) -> None:
    """Lines of the linear mode and rules of alerts are understood or refused in words."""
    typed = Input(data).text()
    name, words = line_parser.split(typed)
    try:
        line_parser.find_name(name, ("open", "older", "list", "o"))
        numbers, _ = line_parser.split_numbers(words, all_of_them=True)
        assert numbers is None or numbers
    except line_parser.NotUnderstood as error:
        assert str(error)
    try:
        rules([AlertSetting(typed)])
    except ConfigError as error:
        assert str(error)


def run_due_words(data: bytes) -> None:
    """Words name a time that the platform accepts, or are refused."""
    typed = Input(data).text()
    for parse in (due_parser.parse_due, due_parser.parse_past_day):
        try:
            found = parse(typed, NOW)
        except due_parser.DueNotUnderstood as error:
            assert str(error)
            continue
        if isinstance(found, due_parser.Due):
            assert 0 <= found.seconds <= due_parser.MAX_UNIX_SECONDS
            assert (found.at is None) == (found.seconds == 0)
        else:
            assert found is None or found <= NOW.date()


_DUE_WORDS = ("tomorrow", "next ", "fri", "mon", "+3d", "17:00", " at 9pm", "2026-12-24", "in 2 weeks", " ago")
_VIEW_WORDS = ("is:", "unread", "mine", "waiting>", "1h", "line:", "agent:", "tag:", "status:", "~", "!", '"')
_LIST_WORDS = ("phone", "name", "country", "+49", "+972", "0049", "sep=;", '"', "\t", ";", "|", "\r\n", "1.5E+11")
_FIELDS = ("dbObject", "task", "taskId", "messageId", "customer", "lastEvaluatedKey", "hasMoreItemsToFetch", "id")
_FIELDS += ("workflows", "agents", "parsedData", "subNodes", "createdAt", "dueDate", "error", "1e999", "\\ud800")
_LETTERS = ("\u200d", "\ufe0f", "\u202e", "\x1b[", "\x9b", "👨", "🇩🇪", "\u0301", "שלום", "\U000e0041", "\u115f")
_JSON_WORDS = ('{"a":', "[[[[", "NaN", "-0", "\\ud83d", "1e5")

TARGETS: dict[str, Target] = {
    "show_line": Target(run_show_line, ("frontdesk.text",), words=_LETTERS),
    "cell_widths": Target(run_cell_widths, ("frontdesk.text",), words=_LETTERS),
    "json_reader": Target(run_json_reader, ("frontdesk.text",), words=_JSON_WORDS),
    "replies": Target(run_replies, ("frontdesk_api", "frontdesk.text"), 4_096, _FIELDS),
    "audience_files": Target(run_audience_files, ("frontdesk_lists",), 4_096, _LIST_WORDS),
    "views": Target(
        run_views, ("frontdesk.inbox.filter_words", "frontdesk.tasks", "frontdesk.text"), 512, _VIEW_WORDS
    ),
    "typed_lines": Target(
        run_typed_lines, ("frontdesk.linear", "frontdesk.campaigns.alert_rules"), 512, ("open 1-3", "failed > 5%")
    ),
    "due_words": Target(run_due_words, ("frontdesk.text",), 64, _DUE_WORDS),
}


def names(chosen: Iterable[str] = ()) -> list[str]:
    """The targets that were named, or all; raises `SystemExit` for an unknown one."""
    wanted = list(chosen) or list(TARGETS)
    if unknown := set(wanted) - set(TARGETS):
        raise SystemExit(f"unknown target {', '.join(sorted(unknown))}; choose from {', '.join(TARGETS)}")
    return wanted
