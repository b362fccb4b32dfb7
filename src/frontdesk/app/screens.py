"""The seven screens, each imported when it is first opened so that the start is fast."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from frontdesk.storage.records import Change, ChangeKind, ConversationRecord, TaskRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from frontdesk.config.config_tables import ReplySetting
    from frontdesk.inbox.changes import NoteDraft
    from frontdesk.outbox.batches import ActionResult
    from frontdesk.storage.database import ProfileStore
    from frontdesk.tui.base_screen import BaseScreen
    from frontdesk.tui.context import AppContext

SCREENS = {
    "inbox": ("frontdesk.inbox.tui.screen", "InboxScreen"),
    "board": ("frontdesk.tasks.tui.screen", "BoardScreen"),
    "campaigns": ("frontdesk.campaigns.tui.screen", "CampaignsScreen"),
    "workflows": ("frontdesk.workflows.tui.screen", "WorkflowsScreen"),
    "agents": ("frontdesk.ai_agents.tui", "AiAgentsScreen"),
    "activity": ("frontdesk.activity.tui.screen", "ActivityScreen"),
    "numbers": ("frontdesk.metrics.tui", "NumbersScreen"),
}

FIRST = "inbox"


def make_screen(mode: str, app_context: "AppContext") -> "BaseScreen":
    """Make the screen of this mode."""
    module, name = SCREENS[mode]
    make = getattr(import_module(module), name)
    if mode == "activity":
        from frontdesk.registry.changes import CHANGE_VIEWS

        make = partial(
            make,
            views=CHANGE_VIEWS,
            conflict_dialogs={ChangeKind.WORKFLOW_UPDATE: _decide_update, ChangeKind.TASK: _merge_texts},
            record_macro=_record_macro,
        )
    elif mode == "campaigns":
        from frontdesk.registry.campaign_workflows import CampaignWorkflows

        make = partial(make, workflows=CampaignWorkflows())
    elif mode == "numbers":
        from frontdesk.registry.running_campaigns import read_campaigns
        from frontdesk.registry.service_policies import load_promises

        promises, fault = load_promises(app_context.store)
        make = partial(make, promises=promises, fault=fault, read_campaigns=read_campaigns)
    elif mode == "agents":
        make = partial(make, delete_webhook=_delete_webhook)
    elif mode == "inbox":
        make = partial(make, create_campaign=_create_campaign, hand_over=_hand_over)
    screen: BaseScreen = make(app_context)
    return screen


def _merge_texts(screen: "BaseScreen", change: Change) -> None:
    from frontdesk.tasks.tui.actions import merge_texts

    merge_texts(screen, change)


def _record_macro(screen: "BaseScreen", changes: "Sequence[Change]") -> None:
    from frontdesk.automation.macro_actions import record_macro

    record_macro(screen, changes)


def _create_campaign(screen: "BaseScreen", record: ConversationRecord, reply: "ReplySetting | None") -> None:
    from frontdesk.campaigns.tui.wizard import open_for_customer
    from frontdesk.registry.campaign_workflows import CampaignWorkflows

    open_for_customer(screen, CampaignWorkflows(), record, reply)


def _hand_over(
    store: "ProfileStore", draft: "NoteDraft", task: TaskRecord | None, due_seconds: int | None
) -> "Future[ActionResult]":
    from frontdesk.registry.hand_over import hand_over

    return hand_over(store, draft, task, due_seconds)


def _decide_update(screen: "BaseScreen", change: Change) -> None:
    from frontdesk.workflows.tui.actions import decide_update

    decide_update(screen, change)


def _delete_webhook(screen: "BaseScreen") -> None:
    from frontdesk.workflows.tui.file_actions import delete_webhook

    delete_webhook(screen)
