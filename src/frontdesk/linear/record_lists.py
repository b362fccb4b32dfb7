"""Lists of a kind's records in the linear mode, and one of them in full."""

from collections.abc import Callable
from typing import Any

from frontdesk.config.facts import RecordKind, RecordT
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.line_parser import find_choice
from frontdesk.linear.printed_list import ListKind, PrintedList
from frontdesk.linear.sentences import MAX_OF_RECORD, MORE_IN_RAW, speak
from frontdesk.linear.session import RecordType, Session, make_record_type
from frontdesk_lines.display_text import SafeText


def print_records(
    session: Session,
    words: str,
    kind: RecordKind[RecordT],
    sentence: Callable[[RecordT, RenderContext], SafeText],
    details: str = "",
) -> None:
    """List the records by the order that the words name; the word for one of them is also the list's kind."""
    listing = kind.read(session.db)
    records = listing.records
    if words:
        order = find_choice(words.removeprefix("by ").strip(), [*kind.orders])
        records = kind.in_order(records, order)
    found = {kind.key(each): each for each in records}
    printed = PrintedList(ListKind(kind.name), tuple(found), lambda key: sentence(found[key], session.view()))
    empty = f"No {kind.name}s{'' if listing.read_at is not None else ' loaded yet'}."
    session.print_list(printed, kind.plural, details, [empty])


def order_help(kind: RecordKind[Any]) -> str:
    """Return the sentence of a list's help about its orders."""
    *orders, last = kind.orders
    return f"ORDER is {', '.join(orders)} or {last}."


def type_of(kind: RecordKind[RecordT]) -> RecordType:
    """Return how the linear mode finds and tells one of the records."""

    def find(session: Session, key: str) -> RecordT | None:
        records = kind.read(session.db).records
        return next((each for each in records if kind.key(each) == key), None)

    def tell(session: Session, record: RecordT) -> list[SafeText]:
        view = session.view()
        return [*speak(kind.facts(session.db, record, view), view, MAX_OF_RECORD), MORE_IN_RAW]

    return make_record_type(find, tell, f"This {kind.name} is no longer listed.")
