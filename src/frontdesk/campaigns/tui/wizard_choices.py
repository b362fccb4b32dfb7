"""The workflows, lines and folders that a campaign's draft can have, as rows of a picker; for DraftForm."""

from collections.abc import Iterable, Mapping

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.preflight import line_of
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.view import wizard as steps
from frontdesk.storage import json_access, record_lookup
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.picker import NamedChoice


def workflow_choices(
    app_context: AppContext, listed: Iterable[DocumentRecord], short_ids: Mapping[str, str]
) -> list[NamedChoice]:
    """Return the workflows, active ones first.

    Args:
        short_ids: of those whose name another has too.
    """
    catalogue = app_context.store.catalogue

    def note(record: DocumentRecord) -> SafeText:
        short_id = short_ids.get(record.document_id, "")
        return steps.workflow_state(record, catalogue.line(line_of(record.raw)), short_id)

    return [
        NamedChoice(
            each.document_id, show_line(each.name or each.document_id, 80), note(each), is_found_by_id=True
        )
        for each in sorted(listed, key=lambda each: each.raw.get("isActive") is not True)
    ]


def line_choices(app_context: AppContext, workflow: DocumentRecord | None) -> list[NamedChoice]:
    """Return the lines of the configuration, of known conversations and of the chosen workflow."""
    store = app_context.store
    known = dict.fromkeys([*store.catalogue.lines, *record_lookup.lines_seen(store.reading)])
    if workflow is not None and (line := line_of(workflow.raw)):
        known[LineId(line)] = None
    return _named({each: show_line(store.catalogue.line(each), 60) for each in known})


def folder_choices(app_context: AppContext) -> list[NamedChoice]:
    """Return the folders of the watched campaigns; the platform doesn't list folders."""
    campaigns = campaign_store.watched(app_context.store.reading)
    folders = (json_access.text(each.raw.get("folderId")) for each in campaigns)
    return _named({each: show_line(each, 60) for each in folders if each})


def _named(names: Mapping[str, SafeText]) -> list[NamedChoice]:
    return [
        NamedChoice(each, name, NOTHING if name.text == each else show_line(each, 40))
        for each, name in names.items()
    ]
