"""Names are added, changed, deleted and moved in a dialog, saved at once, and taken back."""

from collections.abc import Sequence

import pytest
from textual.widgets import Input

from frontdesk.accounts.name_dialogs import CatalogueDialog, kind_picker
from frontdesk.accounts.name_editor import propose_names
from frontdesk.config.catalogue_rows import CATALOGUES, VIEWS, CatalogueKind, NotSaved, Row
from frontdesk.inbox.saved_views import view_fault
from frontdesk.text.questions import Question
from frontdesk.tui.dialogs.form import ShortForm
from frontdesk_lines.display_text import trusted
from tui.dialogs.test_dialogs import opened
from tui.hosts import until

pytestmark = pytest.mark.anyio

LINES, _, STATUSES, TAGS = CATALOGUES


class Saved:
    """What was saved last; refuses with `why`."""

    def __init__(self, why: str = "") -> None:
        self.rows: list[Row] | None = None
        self.why = why

    def __call__(self, rows: Sequence[Row]) -> None:
        if self.why:
            raise NotSaved(self.why)
        self.rows = [*rows]


def dialog_of(
    saved: Saved, kind: CatalogueKind = LINES, rows: Sequence[Row] = ({"id": "1", "label": "Shop"},)
) -> CatalogueDialog:
    return CatalogueDialog(kind, trusted("acme"), rows, {"1": "", "2": ""}, saved)


def said(dialog: CatalogueDialog) -> str:
    return "".join(part.text.text for part in dialog._said.line)


async def test_an_id_that_was_seen_gets_a_name() -> None:
    dialog, saved = dialog_of(Saved()), Saved()
    dialog._save = saved
    async with opened(dialog) as (app, pilot, _):
        assert len(dialog.rows.keys) == 2
        await pilot.press("j", "enter")
        await until(lambda: isinstance(app.screen, ShortForm))
        await pilot.press(*"Night", "enter")
        await until(lambda: app.screen is dialog)
        assert saved.rows == [{"id": "1", "label": "Shop"}, {"id": "2", "label": "Night"}]
        assert said(dialog) == "Saved Night."
        await pilot.press("u")
        await until(lambda: saved.rows == [{"id": "1", "label": "Shop"}])
        await pilot.press("u")
        assert said(dialog) == "Nothing to undo here."


async def test_the_name_that_messages_carry_is_proposed() -> None:
    saved = Saved()
    dialog = CatalogueDialog(CATALOGUES[1], trusted("acme"), (), {"agent-dan": "Dan Cohen"}, saved)
    async with opened(dialog) as (app, pilot, _):
        assert "Dan Cohen?" in "".join(part.text.text for painted in dialog._rows.frame() for part in painted.line)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ShortForm))
        await pilot.press("enter")
        await until(lambda: saved.rows == [{"id": "agent-dan", "name": "Dan Cohen"}])


@pytest.mark.parametrize(
    ("agent_id", "proposed"),
    [("agent-dan", "Dan Cohen"), ("noa.levi@acme.example", "noa@acme.example"), ("agent-alex", ""), ("7f31", "")],
)
def test_a_name_is_proposed_only_for_an_id_that_it_alone_fits(agent_id: str, proposed: str) -> None:
    names = ["Dan Cohen", "Alex Stone", "Alex Wood", "noa@acme.example"]
    assert propose_names([agent_id], names) == {agent_id: proposed}


async def test_a_row_is_added_only_with_an_id_of_its_own() -> None:
    saved = Saved()
    dialog = dialog_of(saved)
    async with opened(dialog) as (app, pilot, _):
        await pilot.press("a")
        await until(lambda: isinstance(app.screen, ShortForm))
        row = app.screen
        assert isinstance(row, ShortForm)
        await pilot.press("1")
        await until(lambda: "another line has this id" in "".join(part.text.text for part in row._note.line))
        await pilot.press("enter")
        assert app.screen is row
        await pilot.press("0", "enter")
        await until(lambda: "Name: required" in "".join(part.text.text for part in row._note.line))
        await pilot.press(*"Ten", "enter")
        await until(lambda: saved.rows is not None)
        assert saved.rows == [{"id": "1", "label": "Shop"}, {"id": "10", "label": "Ten"}]


async def test_a_row_is_deleted_and_taken_back() -> None:
    saved = Saved()
    dialog = dialog_of(saved)
    async with opened(dialog) as (_, pilot, __):
        await pilot.press("x")
        await until(lambda: saved.rows == [])
        await pilot.press("u")
        await until(lambda: saved.rows == [{"id": "1", "label": "Shop"}])


async def test_statuses_move_and_the_platform_s_stay() -> None:
    saved = Saved()
    rows = [{"id": "open", "name": "Open"}, {"id": "late", "name": "Late"}]
    dialog = dialog_of(saved, STATUSES, rows)
    async with opened(dialog) as (_, pilot, __):
        await pilot.press("x")
        assert "always has this status" in said(dialog)
        await pilot.press("J")
        await until(lambda: saved.rows == rows[::-1])
        assert dialog.rows.cursor_key == "open"
        await pilot.press("J", "K")
        await until(lambda: saved.rows == rows)


async def test_what_cannot_be_saved_stays_as_it_was() -> None:
    dialog = dialog_of(Saved("config.toml can't be written: no space"))
    async with opened(dialog, (60, 15)) as (_, pilot, __):
        await pilot.press("x")
        await until(lambda: "no space" in said(dialog))
        assert [*dialog.rows.keys] == ["1", "\x002"]


async def test_a_tag_has_its_color_and_account() -> None:
    saved = Saved()
    dialog = dialog_of(saved, TAGS, [{"id": "t", "title": "VIP", "color": "#f00", "associated_to": "b-1"}])
    async with opened(dialog) as (app, pilot, _):
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ShortForm))
        assert [field.value for field in app.screen.query(Input)] == ["t", "VIP", "#f00", "b-1"]
        await pilot.press("end", "!", "tab", "ctrl+u", "enter")
        await until(lambda: saved.rows == [{"id": "t", "title": "VIP!", "associated_to": "b-1"}])


async def test_the_catalogues_are_listed_with_their_rows() -> None:
    dialog = kind_picker({kind.key: 3 for kind in (*CATALOGUES, VIEWS)})
    async with opened(dialog) as (_, __, ___):
        assert [*dialog.rows.keys] == ["lines", "agents", "statuses", "tags", "views"]


async def test_a_view_is_renamed_and_can_not_have_a_filter_that_no_start_could_use() -> None:
    saved = Saved()
    rows = [{"name": "late", "match": "waiting>2h"}]
    dialog = CatalogueDialog(VIEWS, trusted("config.toml"), rows, {}, saved, view_fault)
    async with opened(dialog) as (app, pilot, _):
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ShortForm))
        row = app.screen
        assert isinstance(row, ShortForm)
        await pilot.press("x", "tab", "x", "enter")
        await until(lambda: "Filter: " in "".join(part.text.text for part in row._note.line))
        assert app.screen is row
        await pilot.press("backspace", "enter")
        await until(lambda: saved.rows is not None)
        assert saved.rows == [{"name": "latex", "match": "waiting>2h"}]
        assert said(dialog) == "Saved latex."


async def test_a_fault_that_holds_outside_text_is_shown_without_its_control_characters() -> None:
    dialog = ShortForm(
        trusted("Names"), (Question("name", "Name", fault=lambda _: "taken by \x1b]0;x\x07\u202e"),), {}, "name"
    )
    async with opened(dialog) as (_, pilot, _):
        await pilot.press("a")
        shown = "".join(part.text.text for part in dialog._note.line)
        assert shown.startswith("✗ Name: taken by ")
        assert not {"\x1b", "\x07", "\u202e"} & {*shown}
