"""What a person does on the board, over the sandbox and a running engine."""

from frontdesk.contract.ids import TaskId
from frontdesk.present.glyphs import glyphs
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.panes.column import Column
from frontdesk.tui.room import Room
from frontdesk.tui.safe import plain
from frontdesk.tui.screens.board import BoardScreen
from sync.works import Start
from tui.test_stories import At, status_of, story


async def to_board(at: At) -> None:
    await at.press("2")
    await at.until(lambda: isinstance(at.app.desk_screen, BoardScreen) and at.board.focused)


def column(at: At, status: str) -> Column:
    return next(each for each in at.board._columns if each.status == status)


def card(at: At) -> TaskId:
    return at.board.task_targets()[0]


def changed(at: At) -> set[tuple[str, str]]:
    """Which task was put into which status, by changes that stand."""
    return {(each.target, each.fields["statusCase"]) for each in at.it.desk.reads.changes()}


def test_a_card_moved_twice_in_a_burst_is_one_card_two_columns_on_with_the_cursor_on_it(works: Start) -> None:
    async def tell(at: At) -> None:
        await to_board(at)
        moved, first, third = card(at), at.board._columns[0], at.board._columns[2]
        before = len(first.cards.keys)
        at.board.action_move_right()
        at.board.action_move_right()
        assert at.board._column is third
        assert card(at) == moved
        assert at.app.screen.focused is third.cards
        await at.until(lambda: status_of(at, moved) == third.status and not at.it.desk.reads.unsent())
        await at.until(lambda: not at.board._moves)
        assert card(at) == moved
        assert third.cards.cursor_key == moved
        assert len(first.cards.keys) == before - 1
        assert {target for target, _ in changed(at)} == {moved}
        await at.press("<")
        assert card(at) == moved
        assert at.board._column is at.board._columns[1]
        await at.until(lambda: status_of(at, moved) == at.board._columns[1].status)

    story(works, tell)


def test_a_card_stands_where_the_store_will_put_it(works: Start) -> None:
    """So that nothing moves a second time when the store says so itself."""

    async def tell(at: At) -> None:
        await to_board(at)
        for _ in range(6):
            start = at.board._column
            await at.press("j")
            moved = card(at)
            at.board.action_move_right()
            to = at.board._column
            at_once = list(to.cards.keys)
            await at.until(lambda moved=moved: moved not in at.board._moves)
            assert to.cards.keys == at_once
            assert at_once == at.it.desk.reads.task_ids(to.status)
            at.board.set_focus(start.cards)

    story(works, tell)


def test_marked_cards_move_together_and_stay_marked(works: Start) -> None:
    async def tell(at: At) -> None:
        await to_board(at)
        first, second, third = at.board._columns[:3]
        marked = set(first.cards.keys[:2])
        await at.press("space", "space", ">")
        assert at.board._column is first, "the focus stays where several are marked"
        await at.until(lambda: second.cards.marks == marked)
        assert not first.cards.marks
        await at.press(">")
        await at.until(lambda: third.cards.marks == marked)
        assert at.board.marked() == 2
        assert {target for target, _ in changed(at)} == marked

    story(works, tell)


def test_a_refused_move_puts_the_card_back(works: Start) -> None:
    async def tell(at: At) -> None:
        await to_board(at)
        moved = card(at)
        await at.press(">")
        await at.until(lambda: status_of(at, moved) == at.board._columns[1].status)
        await at.press("u")
        await at.until(lambda: moved in at.board._columns[0].cards.keys)
        assert moved not in at.board._columns[1].cards.keys

    story(works, tell)


def test_columns_out_of_sight_are_named(works: Start) -> None:
    async def tell(at: At) -> None:
        await to_board(at)
        names = [each.status_name.text for each in at.board._columns]
        words = [plain(each.subtitle) for each in at.board._columns]
        assert not words[0]
        assert words[1].startswith(names[2])
        assert words[1].endswith("›")
        at.board.action_pane_right()
        at.board.action_pane_right()
        await at.until(lambda: plain(at.board._columns[1].subtitle) == f"‹ {names[0]}")
        assert plain(at.board._columns[2].subtitle) == f"{names[3]} +1 ›"
        assert at.board._row.scroll_x == at.board._widths[0], "whole columns are in sight"

    story(works, tell, (80, 24))


def test_column_card_and_scroll_are_where_they_were_left(works: Start) -> None:
    async def tell(at: At) -> None:
        await to_board(at)
        await at.press("l", "j", "j", "l", "l", "l", *"jjjjjjjj")
        left = (at.board._column.status, card(at), at.board._column.cards.cursor_line)
        beside = column(at, at.board._columns[1].status).cards.cursor_key
        at.board.keep_place()
        room = Room(at.it.desk, glyphs(False), at.app.room.zone, at.it.desk.clock)
        app = FrontdeskApp(room, Keymap())
        async with app.run_test(size=(80, 24)) as pilot:
            again = At(at.it, app, pilot)
            await to_board(again)
            await at.until(lambda: again.board._row.scroll_x == 120)
            assert (again.board._column.status, card(again), again.board._column.cards.cursor_line) == left
            assert again.board._columns[1].cards.cursor_key == beside
            for width, shown in ((120, 4), (60, 2), (30, 1), (90, 3)):
                await pilot.resize_terminal(width, 24)
                to = sum(again.board._widths) - width
                await at.until(lambda to=to: again.board._row.scroll_x == to)
                assert len(plain(again.board._columns[-shown].subtitle)) > 2

    story(works, tell, (80, 24))
