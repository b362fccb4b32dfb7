"""How a campaign's recipients fared, from the campaigns screen: the dialog, and the list that is written of some.

Called by the campaigns screen.
"""

import re
from concurrent.futures import Future
from pathlib import Path

from frontdesk.api.contract.states import CAMPAIGN_ENDED
from frontdesk.campaigns.metrics.delivery_results import CannotTell, setting_of
from frontdesk.campaigns.models import CampaignRecord, DeliveryResultGroup
from frontdesk.campaigns.tui.delivery_results_dialog import DeliveryResultsDialog, Way
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.new_file import fault_of_path, named_path
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import on_done


def show_delivery_results(screen: BaseScreen, record: CampaignRecord) -> None:
    """Show how a campaign's recipients fared, and ask for more of them."""
    services, campaign_id = screen.app_context.services, record.campaign_id
    way = Way(
        read=lambda: services.queries.outcomes(campaign_id),
        begin=lambda wanted: services.check_outcomes(campaign_id, wanted),
        stop=lambda: services.stop_outcomes(campaign_id),
        view=screen.app_context.view,
        why_not=_why_not(record),
        runs_on=_runs_on(record),
    )
    name = show_line(record.name or campaign_id, 60)
    dialog = DeliveryResultsDialog(SafeText(f"How they fared · {name.text}", name.was_sanitized), way)

    def answered(answer: Answered[tuple[DeliveryResultGroup, ...]] | Closed | None) -> None:
        if isinstance(answer, Answered):
            _ask_for_the_file(screen, record, answer.value)

    screen.app.push_screen(dialog, answered)


def delivery_results_changed(screen: BaseScreen) -> None:
    """Something of a campaign differs in the store: a dialog that shows it reads it again."""
    if isinstance(top := screen.app.screen, DeliveryResultsDialog) and top.is_mounted:
        top.read_again()


def _why_not(record: CampaignRecord) -> SafeText:
    try:
        setting_of(record.raw)
    except CannotTell as error:
        return show_line(f"It can't be told: {error}.", 400)
    return NOTHING


def _runs_on(record: CampaignRecord) -> SafeText:
    if record.status in CAMPAIGN_ENDED:
        return NOTHING
    return trusted("It still runs: whose turn hasn't come yet is looked at again later.")


def _ask_for_the_file(screen: BaseScreen, record: CampaignRecord, groups: tuple[DeliveryResultGroup, ...]) -> None:
    count = sum(each.count for each in groups)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", record.campaign_id).strip(".-") or "campaign"
    dialog = PromptDialog(
        trusted(f"A list of {count:,} for a new campaign"),
        says=trusted("CSV, with their numbers, names and countries. The name of a file that isn't there yet."),
        placeholder="file name",
        fault=_fault,
        draft=f"~/{name}-again.csv",
    )

    def answered(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            path = named_path(answer.value)
            saved = screen.app_context.services.save_list(record.campaign_id, groups, path)
            on_done(screen.app, saved, lambda done: _say_saved(screen, path, done))

    screen.app.push_screen(dialog, answered)


def _say_saved(screen: BaseScreen, path: Path, saved: "Future[int]") -> None:
    error = saved.exception()
    if error is None:
        notify(screen.app, show_line(f"{saved.result():,} are in {path}"), timeout_seconds=10)
    else:
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        words = show_line(f"{path} was not written: {why}")
        notify(screen.app, words, severity="error", timeout_seconds=30)


def _fault(typed: str) -> SafeText | None:
    words = fault_of_path(typed)
    return trusted(words) if words else None
