"""Full-text search over messages, tasks and customers, and its index.

New rows are marked `unindexed` in the same transaction, and housekeeping indexes them, so that a full sync isn't
slowed. Messages' row numbers follow time (`threads.row_number`), so the newest hits are found without a sort.
"""

import contextlib
import json
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any

import apsw

from frontdesk.storage.records import MessagePosition, SearchHit
from frontdesk.storage.sql import Row, first, rows
from frontdesk.text.fuzzy import fit, has_digit
from frontdesk.text.normalize import fts_expression, join_numbers, normalize, normalize_name, split_words
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, MessageId, TaskId

MAX_BATCH_CHARACTERS = 500_000
"""Maximum size of a batch: indexing it takes about a third of a second, in which nobody else can write."""

CANDIDATES = 2_000
"""Number of the newest matches that are loaded to be sorted or grouped."""


class IndexKind(StrEnum):
    """The indexed tables, by their names in `unindexed`."""

    MESSAGE = "message"
    TASK = "task"


def mark_unindexed(db: apsw.Connection, kind: IndexKind, numbers: Iterable[int]) -> None:
    """Mark rows that were deleted or whose words changed."""
    db.executemany("INSERT OR IGNORE INTO unindexed VALUES (?, ?)", ((str(kind), each) for each in numbers))


def write_names(db: apsw.Connection, names: Iterable[Row]) -> None:
    """Store customers' searchable names: each a conversation's row number, and texts."""
    db.executemany(
        "INSERT INTO customer_names VALUES (?1, ?2)"
        " ON CONFLICT (number) DO UPDATE SET folded = ?2 WHERE folded <> ?2",
        [(number, normalize_name(*parts)) for number, *parts in names],
    )


def add_functions(db: apsw.Connection) -> None:
    """Register the SQL function of fuzzy matching, used by the queries here."""
    db.create_scalar_function("fits", _fits, 2, deterministic=True)


def index_batch(db: apsw.Connection, limit: int, max_characters: int = MAX_BATCH_CHARACTERS) -> int:
    """Index up to `limit` rows, fewer if their texts are long; return their number.

    Args:
        max_characters: only one row's texts may exceed this number.
    """
    found = rows(db, "SELECT kind, number FROM unindexed ORDER BY kind, number LIMIT ?", (limit,))
    indexed = 0
    for kind in IndexKind:
        numbers = [row[1] for row in found if row[0] == kind]
        if not numbers or max_characters <= 0:
            continue
        table, columns, text_of, words = _INDEXED[kind]
        texts: list[tuple[Any, ...]] = []
        with contextlib.closing(
            db.execute(
                f"SELECT rowid, {columns} FROM {table} WHERE rowid IN (SELECT value FROM json_each(?))"
                " ORDER BY rowid",
                (json.dumps(numbers),),
            )
        ) as selected:
            for row in selected:
                texts.append(row)
                max_characters -= sum(len(text) for text in row[1:])
                if max_characters <= 0:
                    numbers = [each for each in numbers if each <= row[0]]
                    break
        indexed += len(numbers)
        gone = set(numbers) - {row[0] for row in texts}
        db.executemany(f"DELETE FROM {words} WHERE rowid = ?", ((each,) for each in gone))
        db.executemany(
            f"INSERT OR REPLACE INTO {words} (rowid, said) VALUES (?, ?)",
            ((number, normalize(text_of(*text))) for number, *text in texts),
        )
        db.executemany(
            "DELETE FROM unindexed WHERE kind = ? AND number = ?", ((str(kind), each) for each in numbers)
        )
    return indexed


def unindexed(db: apsw.Connection) -> int:
    row = first(db, "SELECT count(*) FROM unindexed")
    return int(row[0]) if row else 0


def find(db: apsw.Connection, words: str, limit: int) -> list[SearchHit]:
    """Find customers, tasks and messages with all of the words, newest first, up to `limit` of each."""
    return [
        hit for find_kind in (find_customers, find_tasks, find_messages) for hit in find_kind(db, words, limit)
    ]


def find_messages(db: apsw.Connection, words: str, limit: int) -> list[SearchHit]:
    expression = fts_expression(words)
    if expression is None:
        return []
    found = rows(
        db,
        "SELECT conversation_id, name, number, message_id, created_at, messages.raw FROM message_words"
        " JOIN messages ON messages.rowid = message_words.rowid"
        " JOIN conversations ON conversations.rowid = messages.conversation"
        " WHERE message_words MATCH ? ORDER BY message_words.rowid DESC LIMIT ?",
        (expression, limit),
    )
    return [
        SearchHit(
            kind=str(IndexKind.MESSAGE),
            conversation_id=ConversationId(conversation),
            name=name or number,
            text=_message_text(raw).strip(),
            at=created_at / 1000,
            key=MessagePosition(created_at, MessageId(message_id)),
        )
        for conversation, name, number, message_id, created_at, raw in found
    ]


def find_tasks(db: apsw.Connection, words: str, limit: int) -> list[SearchHit]:
    """Find tasks with all of the words in title, body or customer, the last touched first."""
    expression = fts_expression(words)
    if expression is None:
        return []
    found = rows(
        db,
        "SELECT conversation_id, customer_name, task_id, title, body, updated_at FROM tasks WHERE rowid IN"
        " (SELECT rowid FROM task_words WHERE task_words MATCH ? ORDER BY rowid DESC LIMIT ?)"
        " ORDER BY updated_at DESC, task_id LIMIT ?",
        (expression, CANDIDATES, limit),
    )
    return [
        SearchHit(
            kind=str(IndexKind.TASK),
            conversation_id=None if conversation is None else ConversationId(conversation),
            name=name,
            text=" · ".join(filter(None, (title, body))),
            at=updated_at,
            task_id=TaskId(task_id),
        )
        for conversation, name, task_id, title, body, updated_at in found
    ]


def find_customers(db: apsw.Connection, words: str, limit: int) -> list[SearchHit]:
    """Find customers whose name, number or id contains all of the words."""
    condition, values = _named(words)
    if not values:
        return []
    found = rows(
        db,
        "SELECT conversation_id, name, conversations.number, active_at FROM customer_names"
        " JOIN conversations ON conversations.rowid = customer_names.number"
        f" WHERE {condition} ORDER BY active_at DESC, conversation_id LIMIT ?",
        (*values, limit),
    )
    return [_customer_hit(*row) for row in found]


def jump(db: apsw.Connection, typed: str, limit: int) -> list[SearchHit]:
    """Find customers by name, best first (`fuzzy.Fit`); drop scattered matches if there are others."""
    condition, values = _named(typed)
    if not values:
        return []
    phrase = " ".join(values)
    each_begins = " AND ".join(["instr(' ' || folded, ?) > 0"] * len(values))
    found = _ranked(
        db,
        "SELECT number AS place, CASE WHEN instr(folded, ?) = 1 THEN 0 WHEN instr(folded, ?) > 0 THEN 1"
        f" WHEN {each_begins} THEN 2 ELSE 3 END AS rank"
        f" FROM customer_names WHERE {condition} ORDER BY rank LIMIT ?",
        (phrase, f" {phrase}", *(f" {each}" for each in values), *values, limit),
    )
    scattered, its = _scattered_query(values)
    return found or _ranked(
        db, f"SELECT number AS place, length(folded) AS rank FROM ({scattered}) LIMIT ?", (*its, limit)
    )


def names_query(typed: str) -> tuple[str, list[str | int]] | None:
    """Build a query, with its values, for the row numbers of `jump`'s customers, or `None` without words."""
    condition, values = _named(typed)
    if not values:
        return None
    whole = f"SELECT number FROM customer_names WHERE {condition}"
    scattered, its = _scattered_query(values)
    sql = f"{whole} UNION ALL SELECT number FROM ({scattered}) WHERE NOT EXISTS ({whole})"
    return sql, [*values, *its, *values]


def _scattered_query(wanted: Sequence[str]) -> tuple[str, list[str | int]]:
    """Build a query, with its values, for scattered matches, the shortest names first.

    SQLite selects `CANDIDATES` with the letters in this order; Python checks them.
    """
    has_letters = " AND ".join(["' ' || folded LIKE ?"] * len(wanted))
    sql = (
        "SELECT number, folded FROM (SELECT number, folded FROM customer_names"
        f" WHERE {has_letters} ORDER BY length(folded) LIMIT ?) WHERE fits(folded, ?)"
    )
    first = "% " if len(wanted) == 1 else "%"
    letters = ([piece] if has_digit(piece) else piece.replace(" ", "") for piece in wanted)
    patterns = [f"{first}{'%'.join(each)}%" for each in letters]
    return sql, [*patterns, CANDIDATES, "\n".join(wanted)]


def _customer_hit(conversation_id: str, name: str, number: str, active_at: float | None) -> SearchHit:
    return SearchHit("customer", ConversationId(conversation_id), name or number, number, active_at or None)


def _fits(*values: object) -> bool:
    folded, wanted = map(str, values)
    return fit(wanted.split("\n"), folded) is not None


def _ranked(db: apsw.Connection, ranked: str, values: Sequence[object]) -> list[SearchHit]:
    found = rows(
        db,
        f"SELECT conversation_id, name, number, active_at FROM ({ranked}) JOIN conversations ON rowid = place"
        " ORDER BY rank, active_at DESC, conversation_id",
        values,
    )
    return [_customer_hit(*row) for row in found]


def conversations_with(words: str) -> tuple[str, list[str | int]] | None:
    """Build a query, with its values, for row numbers of conversations with the words; `None` without words.

    The words may be in the customer's name or number, their tasks, and their newest messages.
    """
    condition, values = _named(words)
    expression = fts_expression(words)
    if not values or expression is None:
        return None
    sql = (
        f"SELECT customer_names.number FROM customer_names WHERE {condition}"
        " UNION SELECT conversation FROM messages WHERE rowid IN"
        " (SELECT rowid FROM message_words WHERE message_words MATCH ? ORDER BY rowid DESC LIMIT ?)"
        " UNION SELECT conversations.rowid FROM conversations JOIN tasks USING (conversation_id)"
        " WHERE tasks.rowid IN"
        " (SELECT rowid FROM task_words WHERE task_words MATCH ? ORDER BY rowid DESC LIMIT ?)"
    )
    return sql, [*values, expression, CANDIDATES, expression, CANDIDATES]


def _named(words: str) -> tuple[str, list[str]]:
    wanted = split_words(join_numbers(words))
    return " AND ".join(["instr(folded, ?) > 0"] * len(wanted)), wanted


def _message_text(raw: str) -> str:
    message = json.loads(raw)
    attachment = json_access.mapping(message.get("attachmentBase64"))
    return "\n".join((json_access.text(message.get("message")), json_access.text(attachment.get("fileName"))))


def _task_text(*texts: str) -> str:
    return "\n".join(texts)


_INDEXED: dict[IndexKind, tuple[str, str, Callable[..., str], str]] = {
    IndexKind.MESSAGE: ("messages", "raw", _message_text, "message_words"),
    IndexKind.TASK: ("tasks", "title, body, customer_name", _task_text, "task_words"),
}
"""The table, columns with words, SQL of the words, and index of each kind."""
