"""Moves of cards that the store doesn't have yet."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from frontdesk.outbox.verbs import VerbContext
from frontdesk.tasks.tui.card_moves import CardMoves
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_lines.display_text import trusted
from sample_records import VIEW

CARD = TaskId("t1")


def column(status: str) -> Any:
    cards = SimpleNamespace(refresh_keys=lambda _: None)
    return SimpleNamespace(status=status, status_name=trusted(status), show_card=lambda _: None, cards=cards)


def test_a_card_moved_there_and_back_and_there_stays_until_the_last_move_is_stored() -> None:
    stored: list[Future[None]] = []
    columns = [column("todo"), column("doing")]
    selection: Any = SimpleNamespace(
        known=[SimpleNamespace(task_id=CARD, status="todo")], tasks=[CARD], size=1, is_elsewhere=False
    )

    def apply(*_: object) -> Future[None]:
        stored.append(Future())
        return stored[-1]

    actions: Any = SimpleNamespace(
        context=lambda: VerbContext(VIEW),
        bulk=SimpleNamespace(
            with_tasks=lambda _: selection, do=lambda change, on, then, is_named: then({}), apply=apply
        ),
    )
    board: Any = SimpleNamespace(
        app=SimpleNamespace(call_later=lambda then, done: then(done)),
        columns=SimpleNamespace(all=columns),
        cursor=SimpleNamespace(follow_to=lambda _: None),
        show_cards=lambda: None,
        read_again=lambda: None,
    )
    moves = CardMoves(board, actions)
    for step in (1, -1, 1):
        moves.move(selection, step)
    for end in stored[:2]:
        end.set_result(None)
        assert moves.pending == {CARD: StatusId("doing")}
    stored[2].set_result(None)
    assert moves.pending == {}
