"""How a campaign's recipients fared, from the campaigns screen: the dialog, and the list that is written of some.

Called by the campaigns screen.
"""

import re
from concurrent.futures import Future
from pathlib import Path

from frontdesk.api.contract.states import CAMPAIGN_ENDED
from frontdesk.campaigns.metrics.delivery_results import CannotTell, setting_of
from frontdesk.campaigns.tui.delivery_results_dialog import OutcomesDialog, Way
from frontdesk.storage.records import CampaignRecord, OutcomeGroup
from frontdesk.text.display_text import NOTHING, Shown, own, show_line
from frontdesk.text.new_file import fault_of_path, named_path
from frontdesk.tui.base_screen import DeskScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Closed, Done
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import when_settled


def show_outcomes(screen: DeskScreen, record: CampaignRecord) -> None:
    """Show how a campaign's recipients fared, and ask for more of them."""
    desk, campaign_id = screen.room.desk, record.campaign_id
    way = Way(
        read=lambda: desk.reads.outcomes(campaign_id),
        begin=lambda wanted: desk.check_outcomes(campaign_id, wanted),
        stop=lambda: desk.stop_outcomes(campaign_id),
        view=screen.room.view,
        why_not=_why_not(record),
        runs_on=_runs_on(record),
    )
    name = show_line(record.name or campaign_id, 60)
    dialog = OutcomesDialog(Shown(f"How they fared · {name.text}", name.altered), way)

    def answered(answer: Done[tuple[OutcomeGroup, ...]] | Closed | None) -> None:
        if isinstance(answer, Done):
            _ask_for_the_file(screen, record, answer.value)

    screen.app.push_screen(dialog, answered)


def outcomes_changed(screen: DeskScreen) -> None:
    """Something of a campaign differs in the store: a dialog that shows it reads it again."""
    if isinstance(top := screen.app.screen, OutcomesDialog) and top.is_mounted:
        top.read_again()


def _why_not(record: CampaignRecord) -> Shown:
    try:
        setting_of(record.raw)
    except CannotTell as error:
        return show_line(f"It can't be told: {error}.", 400)
    return NOTHING


def _runs_on(record: CampaignRecord) -> Shown:
    if record.status in CAMPAIGN_ENDED:
        return NOTHING
    return own("It still runs: whose turn hasn't come yet is looked at again later.")


def _ask_for_the_file(screen: DeskScreen, record: CampaignRecord, groups: tuple[OutcomeGroup, ...]) -> None:
    count = sum(each.count for each in groups)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", record.campaign_id).strip(".-") or "campaign"
    dialog = PromptDialog(
        own(f"A list of {count:,} for a new campaign"),
        says=own("CSV, with their numbers, names and countries. The name of a file that isn't there yet."),
        placeholder="file name",
        fault=_fault,
        draft=f"~/{name}-again.csv",
    )

    def answered(answer: Done[str] | Closed | None) -> None:
        if isinstance(answer, Done):
            path = named_path(answer.value)
            saved = screen.room.desk.save_list(record.campaign_id, groups, path)
            when_settled(screen.app, saved, lambda done: _say_saved(screen, path, done))

    screen.app.push_screen(dialog, answered)


def _say_saved(screen: DeskScreen, path: Path, saved: "Future[int]") -> None:
    error = saved.exception()
    if error is None:
        notify(screen.app, show_line(f"{saved.result():,} are in {path}"), timeout_seconds=10)
    else:
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        words = show_line(f"{path} was not written: {why}")
        notify(screen.app, words, severity="error", timeout_seconds=30)


def _fault(typed: str) -> Shown | None:
    words = fault_of_path(typed)
    return own(words) if words else None
