"""The workflows screen over a store without an engine: the list, the tree, what is told beside it."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from textual.widgets import Input

import kit
from app.test_sizes import resize
from flows.checks.sample_workflows import chain, node, sub, whole, workflow
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.tui import analysis_loader
from frontdesk.workflows.tui.dialogs import JumpListDialog
from frontdesk.workflows.tui.screen import WorkflowsScreen
from frontdesk.workflows.view.row import row_height
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_lines.display_text import NOTHING, trusted
from frontdesk_lines.widgets import line_page
from tui.hosts import quiet, text_of, until, wire
from tui.screen_text import shown_toasts

__all__ = ["wire"]

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
WIDE, MIDDLE, NARROW = (140, 40), (100, 30), (80, 24)


class At(kit.At):
    """A running app with the workflows screen on top."""

    @property
    def screen(self) -> WorkflowsScreen:
        screen = self.app.current_screen
        assert isinstance(screen, WorkflowsScreen)
        return screen

    @property
    def listed(self) -> list[str]:
        return list(self.screen.list.rows.keys)

    @property
    def row(self) -> str:
        """The id that the row under the tree's cursor shows or names."""
        analysis, key = self.screen.nodes.analysis, self.screen.nodes.rows.cursor_key
        assert analysis is not None
        assert key is not None
        at = analysis.row(key)
        return at.id or at.target

    def put(self, *raws: dict[str, Any], now: float = NOW) -> None:
        put(self.store, *raws, now=now)

    async def shows(self, workflow_id: str) -> None:
        """Wait for the tree of a workflow."""
        nodes = self.screen.nodes
        await until(lambda: nodes.analysis is not None and nodes.analysis.workflow_id == workflow_id)

    async def goes_to(self, workflow_id: str) -> None:
        """Move the list's cursor to a workflow, and wait for its tree."""
        self.screen.list.show(WorkflowId(workflow_id))
        await self.shows(workflow_id)


def named(identity: str, name: str, raw: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return (raw or whole()) | {"id": identity, "name": name, "lastModified": NOW - 60} | more


def put(store: Store, *raws: dict[str, Any], now: float = NOW) -> None:
    def write(db: Any) -> None:
        for raw in raws:
            workflow_store.put_whole(db, raw, now)

    store.write(write).result()


def list_more(store: Store, *raws: dict[str, Any], has_more: bool = False) -> None:
    """Workflows of which only the list is known."""
    store.write(
        lambda db: workflow_store.put_listing(
            db, raws, has_more=has_more, requested_at=NOW, now=NOW, broken_ids=()
        )
    ).result()


def opened(store: Store, *raws: dict[str, Any], size: tuple[int, int] = WIDE) -> AbstractAsyncContextManager[At]:
    put(store, *raws)
    return kit.running(store, fills=False, size=size, screen="4", wraps=At)


THREE = (
    named("w-b", "Beta", executionCount=5, isActive=False),
    named("w-a", "Alpha", executionCount=50),
    named("w-c", "Gamma", executionCount=500, triggerType="Manual Trigger", trigger={"id": "t"}),
)


async def test_the_tree_follows_the_cursor_and_enter_goes_into_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree never stands beside another name."""
    async with opened(store, *THREE) as at:
        await at.shows("w-a")
        assert at.listed == ["w-a", "w-b", "w-c"]
        await at.press("j")
        await at.shows("w-b")
        await at.press("enter")
        await until(lambda: at.screen.focused is at.screen.nodes.rows)
        await at.press("j", "j")
        assert at.row == "yes"
        await at.sees("Take yes")
        await at.press("escape")
        await until(lambda: at.screen.focused is at.screen.list.rows)

        monkeypatch.setattr(analysis_loader, "FOLLOW_SECONDS", 60.0)
        nodes = at.screen.nodes
        await at.press("k")
        assert nodes.workflow_id == "w-a"
        assert kit.plain(nodes.title) == "Alpha"
        assert (nodes.analysis, list(nodes.rows.keys)) == (None, [])
        await at.sees("Loading…")
        at.screen.follower.show("w-b", None, NOTHING)  # what was asked for before comes too late
        assert nodes.workflow_id == "w-a"
        await at.press("j", "enter")  # back before it was read
        await at.shows("w-b")
        await at.press("escape", "k")
        await at.press("enter")
        await at.shows("w-a")
        await at.press("escape")

        await until(lambda: "w-c" in at.screen.loader.problems)
        await at.press("S", "S", "S", "S", "S")
        await until(lambda: at.listed[0] == "w-c")
        await at.sees("by findings", "errors")


async def test_one_key_puts_what_loses_most_first_and_names_the_node(store: Store) -> None:
    """Counters that aren't loaded, or were reset and not counted since, are unknown, and come last."""

    def losing(identity: str, dropped: int, **stats: int) -> dict[str, Any]:
        nodes = {node: {"enteredCount": 100, "exitedCount": count} for node, count in stats.items()}
        counts = {"totalStarted": 1_000, "totalCompleted": 0, "totalDropped": dropped, "nodeStats": nodes}
        return named(identity, identity.title(), analytics=counts)

    zeros = {"totalStarted": 0, "totalCompleted": 0, "totalDropped": 0, "nodeStats": {}}
    reset = named("a-reset", "A-Reset", analytics=zeros, executionCount=400)
    async with opened(store, reset, losing("few", 3, ask=3), losing("most", 140, ask=20, thank=120)) as at:
        await until(lambda: len(at.screen.loader.problems) == 3 and at.screen.loader.is_idle)
        await at.press("S")
        assert at.listed == ["most", "few", "a-reset"]
        await at.sees("by loss", "140 dropped (14%)", "most at The thank: 120", "3 dropped (0.3%)", "? dropped")
        counts = losing("few", 900, ask=900)
        put(store, counts, now=NOW + 60)
        await until(lambda: at.listed[0] == "few")


async def test_what_is_not_there_says_why(store: Store) -> None:
    async with opened(store) as at:
        await at.sees("Connecting.", "Workflows · not loaded yet")
        failing = Health(Connection.FAILING, "it answers 500", fresh_at=NOW, heard_at=NOW)
        store.write(lambda db: clients.write_health(db, failing)).result()
        await at.sees("Nothing loaded yet", "platform error")
        assert "data as of" not in at.text, "what was never read has no age"
        store.write(lambda db: workflow_store.put_read_problem(db, "the platform refused \x1b[31m", NOW)).result()
        list_more(store, {"id": "a", "name": "Alpha"}, has_more=True)
        await at.sees("data as of", "Workflows · 1, more exist")
        await at.sees("The graph isn't loaded yet.", "the platform refused ␛[31m")
        for key, words in (("F", "The graph isn't loaded yet"), ("D", "isn't fully loaded yet")):
            await at.press(key)
            await until(
                lambda words=words: any(
                    words in each and "the platform refused" in each for each in shown_toasts(at.app)
                )
            )
        assert at.app.screen is at.screen
        list_more(store)
        await at.sees("The account has no workflows.")


@pytest.mark.slow
async def test_what_is_said_of_a_workflow_leads_to_its_rows(store: Store) -> None:
    nasty = "\x1b]52;c;aGk=\x07[@click=app.quit]x[/]\u202e"
    ask = node("a\x1b[2J", "whatsapp", None, sub(nasty, "a\x1b[2J"), message=nasty)
    full = {"id": "w", "name": "A", "trigger": {"id": "t"}, "parsedData": [{"id": "n", "title": "[/b]\x1b"}]}
    analytics = {
        "totalStarted": 100,
        "nodeStats": {"ask": {"enteredCount": 100, "exitedCount": 9}},
        "buttonStats": {"else": {"subNodeId": "else", "clickCount": 30}},
    }
    put(store, full)
    list_more(store, full, {"id": "minimal", "name": "B minimal"})
    put(
        store,
        named("loop", "Loop"),
        named("lossy", "Lossy", analytics=analytics),
        named("x", "No", analytics=None),
    )
    async with opened(store, named(nasty, nasty, workflow(ask), triggerType=nasty)) as at:
        assert not any(letter < " " or letter == "\u202e" for line in text_of(at.app) for letter in line)
        await at.goes_to("w")
        await at.sees("no-canvas", "trigger-leads-nowhere")
        await at.press("j")
        await at.sees("not checked: graph", "The graph isn't loaded yet.")
        at.put(full | {"trigger": {"id": "t", "connections": {"out": ["n"]}}})
        await at.press("k")
        await at.sees("no-canvas")
        await until(lambda: "trigger-leads-nowhere" not in at.text)

        await at.goes_to("loop")
        nodes, analysis = at.screen.nodes, at.screen.nodes.analysis
        assert analysis is not None
        loop = next(key for key in analysis.keys if key.startswith("loop"))
        await at.press("enter")
        nodes.rows.move_to(loop)
        await at.press("enter")
        assert nodes.rows.cursor_key == analysis.keys[analysis.outline.row_of["ask"]]
        await at.sees("b back")
        await at.press("b")
        assert nodes.rows.cursor_key == loop
        await at.press("escape")

        await at.goes_to("lossy")
        await at.press("E")
        await at.sees("Drop-offs · Lossy", "no match", "dropped")
        await at.press("enter")
        await until(lambda: at.app.screen is at.screen)
        assert at.row == "ask"
        await at.press("escape", "j")
        await at.shows("x")
        await at.press("E")
        await at.sees("Traffic: not on this plan.", "esc close")
        assert "go there" not in at.text
        await at.press("escape")

        await at.goes_to(nasty)
        await at.press("enter", "j", "j", "j")
        await quiet(at.app)
        assert not any(letter < " " or letter == "\u202e" for line in text_of(at.app) for letter in line)


async def test_what_is_read_in_full_follows_the_check_and_the_changes_of_its_workflow(store: Store) -> None:
    put(store, named("w1", "Welcome"))
    async with opened(store) as at:
        await at.shows("w1")
        analysis, at.screen.nodes.analysis = at.screen.nodes.analysis, None
        _, _, draw = at.screen.follower.detail()
        assert "not checked yet" in "".join(map(kit.plain, draw(80)))
        at.screen.nodes.analysis, at.screen.list.pending = analysis, {"w1": trusted("switching on")}
        told = "".join(map(kit.plain, draw(80)))
        assert "not checked yet" not in told
        assert "switching on, not confirmed yet" in told


@pytest.mark.slow
async def test_workflows_of_one_name_are_told_apart_wherever_one_is_named(store: Store) -> None:
    twins = (named("promo-2025", "Promo"), named("promo-2026", " promo "), named("w-a", "Alpha"))
    for size in (WIDE, MIDDLE, NARROW):
        async with opened(store, *twins, size=size) as at:
            await until(lambda: at.text.count("promo-2026") >= 2)  # beside its name, and in its last line
            assert at.text.count("w-a") == 1
            at.screen.list.show(WorkflowId("promo-2025"))
            await at.shows("promo-2025")
            await at.press("enter")
            await at.sees("Promo (promo-2025)")
            await at.press("escape", "G")


@pytest.mark.slow
async def test_it_is_filtered_and_sorted_and_found_so_again_after_a_restart(store: Store) -> None:
    async with opened(store, *THREE) as at:
        await at.press("S", "S")  # by loss, then by executions
        assert at.listed == ["w-c", "w-a", "w-b"]
        await at.press("slash", *"alpha")
        await until(lambda: at.listed == ["w-a"])
        await at.press("enter")
        await at.sees("1 of 3")
        await at.shows("w-a")
        await at.press("enter", "j", "j", "j")
        assert at.row == "thank"
        at.screen.save_view_state()
        at.screen.app_context.store.flush().result()
    async with opened(store) as at:
        await at.shows("w-a")
        assert at.listed == ["w-a"]
        await at.sees("by executions", "alpha")
        assert at.row == "thank"
        await at.press("escape")
        await until(lambda: at.listed == ["w-c", "w-a", "w-b"])
        assert at.screen.list.cursor == "w-a"
        await at.press("slash", *"none of it", "enter")
        await at.sees("No workflow matches", "esc clear")


@pytest.mark.slow
async def test_a_pointer_opens_the_workflow_it_names_and_back_is_where_it_led_away_from(store: Store) -> None:
    async with opened(store, named("w", "Alpha"), named("other", "Other", chain(3))) as at:
        await at.shows("w")
        await at.press("slash", *"alpha", "enter")
        await until(lambda: at.listed == ["w"])
        await at.press("enter", "G")
        nodes = at.screen.nodes
        assert nodes.analysis is not None
        nodes.rows.move_to(nodes.analysis.keys[nodes.analysis.outline.row_of["on"]])
        await at.press("enter")
        await at.shows("other")
        assert at.screen.list.cursor == "other"
        assert not at.screen.list.typed
        await at.press("b")
        await at.shows("w")
        assert at.row == "on"
        assert at.listed == ["w"]
        assert at.screen.focused is nodes.rows
        await at.sees("alpha")


@pytest.mark.slow
async def test_a_search_in_a_tree_ends_with_another_workflow(store: Store) -> None:
    async with opened(store, named("w", "Alpha", chain(20)), named("x", "Xi")) as at:
        await at.shows("w")
        await at.press("enter")
        await at.sees("E drop-offs")
        assert "n next" not in at.text
        await at.press("slash", *"the n1", "enter")
        await at.sees("1 of 11 found", "n next")
        await at.press("h", "j")
        await at.shows("x")
        await until(lambda: not at.screen.query_one("#tree Input", Input).display)
        assert "found" not in at.text
        await at.press("l")
        await at.sees("E drop-offs")
        assert "n next" not in at.text


@pytest.mark.slow
async def test_a_filter_that_finds_nothing_leaves_the_cursor_where_it_was(store: Store) -> None:
    async with opened(store, *THREE) as at:
        await at.press("j", "slash", *"zzz")
        await at.sees("No workflow matches")
        await at.press("escape")
        await until(lambda: at.listed == ["w-a", "w-b", "w-c"])
        assert at.screen.list.cursor == "w-b"


@pytest.mark.slow
async def test_words_are_searched_for_in_the_tree(store: Store) -> None:
    async with opened(store, named("w", "Long", chain(500))) as at:
        await at.shows("w")
        await at.press("enter", "slash", *"the n49")
        await until(lambda: at.row == "n49")
        await at.press("enter")
        await at.sees("1 of 11 found")
        await at.press("n")
        assert at.row == "n490"
        await at.press("N", "N")
        assert at.row == "n499"
        await at.press("escape")
        await until(lambda: "found" not in at.text)
        assert at.row == "n499"
        assert not at.screen.query_one("#tree Input", Input).display


@pytest.mark.slow
async def test_what_comes_while_one_reads_keeps_the_cursor_and_its_line(store: Store) -> None:
    async with opened(store, named("w", "Long", chain(200))) as at:
        await at.shows("w")
        nodes = at.screen.nodes
        await at.press("enter", "G", *"kkk")
        before, line = nodes.rows.cursor_key, nodes.rows.cursor_line
        longer = workflow(node("first", to="n0", messageType="custom", message="Hi"), *chain(200)["parsedData"])
        at.put(named("w", "Long", longer))
        await until(lambda: nodes.analysis is not None and "first" in nodes.analysis.outline.row_of)
        assert (nodes.rows.cursor_key, nodes.rows.cursor_line) == (before, line)


async def test_new_counters_paint_the_rows_that_they_are_on(store: Store, wire: list[str]) -> None:
    def counted(entered: int) -> dict[str, Any]:
        stats = {f"n{number}": {"enteredCount": 7} for number in range(30)} | {"n5": {"enteredCount": entered}}
        return named("w", "Counted", chain(30), analytics={"totalStarted": 7, "nodeStats": stats})

    async with opened(store, counted(5)) as at:
        await at.shows("w")
        await at.press("enter")
        await at.sees("starts the workflow")
        await quiet(at.app)
        wire.clear()
        at.put(counted(6), now=NOW + 30)
        await until(
            lambda: (
                at.screen.nodes.analysis is not None and at.screen.nodes.analysis.traffic.nodes["n5"].entered == 6
            )
        )
        await quiet(at.app)
        assert 0 < len("".join(wire).encode()) < 800


@pytest.mark.slow
async def test_a_move_of_the_cursor_costs_few_bytes(
    store: Store, wire: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before what follows the cursor once it rests."""
    monkeypatch.setattr(line_page, "FOLLOW_SECONDS", 60.0)
    monkeypatch.setattr(analysis_loader, "FOLLOW_SECONDS", 60.0)
    async with opened(store, *THREE, named("w", "A long one", chain(2_000))) as at:
        await at.shows("w")
        await until(lambda: at.screen.loader.is_idle)
        for pane in (at.screen.list, at.screen.nodes):
            at.screen.panes.focus_pane(pane)
            await at.press("j")  # in the list, the first one clears the tree
            await quiet(at.app)
            wire.clear()
            await at.press("j")
            await quiet(at.app)
            assert 100 < len("".join(wire).encode()) <= 500, pane.id


async def test_a_finding_leads_to_its_node(store: Store) -> None:
    lost = named("w", "Lost", workflow(node("ask", "whatsapp", None, sub("gone", "nowhere"))))
    async with opened(store, lost, size=NARROW) as at:
        await at.shows("w")
        analysis, dialog = at.screen.nodes.analysis, await at.opens(JumpListDialog, "F")
        assert analysis is not None
        await until(lambda: dialog.rows.row_height == row_height(analysis.findings, dialog.rows.line_width) >= 5)
        place = next(at for at, each in enumerate(analysis.findings) if each.node_id == "gone")
        await at.press(*"j" * place, "enter")
        await until(lambda: at.app.screen is at.screen)
        assert at.row == "gone"
        assert at.screen.has_class("-at-tree")


@pytest.mark.slow
async def test_each_width_has_its_panes(store: Store) -> None:
    def panes(at: At) -> list[str | None]:
        return [each.id for each in at.screen.panes.all if each.region]

    async with opened(store, *THREE, size=WIDE) as at:
        await until(lambda: panes(at) == ["workflows", "tree", "node"])
        await resize(at.app, *MIDDLE)
        await until(lambda: panes(at) == ["workflows", "tree", "node"])
        await at.press("tab")
        await until(lambda: panes(at) == ["tree", "node"])
        await resize(at.app, *NARROW)
        await until(lambda: panes(at) == ["tree"])
        await at.press("l")
        await until(lambda: panes(at) == ["node"])
        await at.press("tab")
        await until(lambda: panes(at) == ["workflows"])
        await resize(at.app, *WIDE)
        await at.press("tab", "z")
        await until(lambda: panes(at) == ["tree"])
        await at.press("escape")
        await until(lambda: panes(at) == ["workflows", "tree", "node"])
        assert at.screen.has_class("-at-tree")
        await at.press("p")
        await until(lambda: panes(at) == ["workflows", "tree"])
        await at.press("enter")  # on a row, it goes to the detail, wherever that is
        await until(lambda: panes(at) == ["workflows", "tree", "node"])
        await at.press("p")
        await until(lambda: panes(at) == ["workflows", "tree"])
        assert at.screen.has_class("-at-tree")
        assert at.screen.view_state()["detail"] is False
        await at.press("escape")
        await until(lambda: at.screen.has_class("-at-workflows"))


@pytest.mark.slow
async def test_the_period_of_the_traffic_is_chosen_with_a_key_and_kept(store: Store) -> None:
    def counted(started: int) -> dict[str, Any]:
        return named("w", "Counted", chain(3), analytics={"totalStarted": started, "nodeStats": {}})

    put(store, counted(100), now=NOW - 90_000)
    async with opened(store, counted(160)) as at:
        await at.sees("160 started", "counted since the last reset")
        await at.press("t")
        await at.sees("60 started", "in run order, since")
        assert not shown_toasts(at.app), "it would hide the heading"
        assert at.screen.view_state()["period"] == "since yesterday"
        at.screen.save_view_state()
        at.screen.app_context.store.flush().result()
    async with opened(store) as at:
        await at.sees("60 started", "in run order, since")


@pytest.mark.slow
async def test_the_raw_record_is_the_nodes_in_the_tree_and_the_workflows_in_the_list(store: Store) -> None:
    async with opened(store, *THREE) as at:
        await at.shows("w-a")
        await at.opens(RecordDialog, "i")
        await at.sees('"associatedToBusinessId"')
        await at.opens(RecordDialog, "escape", "enter", "j", "i")
        await at.sees('"messageType": "custom"')
        assert '"associatedToBusinessId"' not in at.text
        await at.press("escape")
        assert at.screen.record_actions.copied_id() == "ask"
