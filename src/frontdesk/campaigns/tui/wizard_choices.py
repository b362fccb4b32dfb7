"""What a campaign's draft can have, to choose from: audiences, workflows, lines and folders; for DraftForm."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns import last_uses
from frontdesk.campaigns.draft import LIST_SUFFIXES
from frontdesk.campaigns.last_uses import read_last_uses
from frontdesk.campaigns.preflight import line_of
from frontdesk.campaigns.view import wizard as steps
from frontdesk.campaigns.view.known_ids import KnownId, known_folders, known_id_line, known_lines
from frontdesk.config.render_context import channel_name
from frontdesk.storage import record_lookup
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.display_text import SafeText, counted, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.picker import NEW, NamedChoice, PickerDialog, TagDialog
from frontdesk.tui.keymap import keys_line


class AudienceDialog(PickerDialog):
    """Answers with the id of a kind of audience, or with the typed path of a list."""

    def __init__(self, choices: Sequence[NamedChoice]) -> None:
        super().__init__(trusted("Audience"), choices, placeholder="Who gets it, or the path of a list")

    def matches(self, typed: str) -> list[str]:
        """Return `NEW` for a path, and the matching ids for anything else."""
        is_path = "/" in typed or typed.casefold().endswith(LIST_SUFFIXES)
        return [NEW] if is_path else super().matches(typed)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key == NEW:
            return (fit((span("  this file: "), Span(show_line(self.typed, 300), Role.STRONG)), width),)
        return super().draw(key, width)

    def _narrow(self) -> None:
        self._rows.refresh_keys([NEW])  # it contains the typed text
        super()._narrow()


class AudienceTagsDialog(TagDialog):
    """The tags whose conversations a campaign is for; answers with their ids."""

    keys = keys_line(("tab", "mark"), ("enter", "use"), ("esc", "cancel"))
    heading: ClassVar[str] = "Tagged:"
    warning: ClassVar[str] = steps.REACH
    undo_hint: ClassVar[str] = ""


def workflow_choices(
    app_context: AppContext, listed: Iterable[DocumentRecord], short_ids: Mapping[str, str]
) -> list[NamedChoice]:
    """Return the workflows, active ones first.

    Args:
        short_ids: of those whose name another has too.
    """
    view = app_context.view()

    def note(record: DocumentRecord) -> SafeText:
        short_id = short_ids.get(record.document_id, "")
        return steps.workflow_state(record, view.line(line_of(record.raw)), short_id)

    return [
        NamedChoice(
            each.document_id, show_line(each.name or each.document_id, 80), note(each), is_found_by_id=True
        )
        for each in sorted(listed, key=lambda each: each.raw.get("isActive") is not True)
    ]


def line_dialog(app_context: AppContext, workflow: DocumentRecord | None, now: str) -> "KnownIdDialog":
    """Return the dialog of the lines of the configuration, of known conversations and of the chosen workflow."""
    store, workflow_line = app_context.store, "" if workflow is None else line_of(workflow.raw)
    uses = read_last_uses(store.reading, last_uses.LINE)
    seen = [*store.catalogue.lines, *record_lookup.lines_seen(store.reading), *uses.by_id]
    ids = dict.fromkeys([*seen, *([workflow_line] if workflow_line else [])])
    channels = {each: channel_name(record_lookup.platform_of_line(store.reading, LineId(each))) for each in ids}
    names = {each: store.catalogue.line(each) for each in ids}
    rows = known_lines(names, channels, uses, workflow_line, app_context.view())
    unread = f" {counted(uses.unread, 'watched campaign')} not loaded yet." if uses.unread else ""
    note = f"Running and last use count only campaigns watched or created here.{unread}"
    return KnownIdDialog(trusted("Line"), rows, app_context, "Line name or id", trusted(note), now)


def folder_dialog(app_context: AppContext, now: str) -> "KnownIdDialog":
    """Return the dialog of the folders of the campaigns that are watched or were created here."""
    rows = known_folders(read_last_uses(app_context.store.reading, last_uses.FOLDER), app_context.view())
    note = "The platform doesn't list folders: these are the ids in campaigns watched or created here."
    return KnownIdDialog(
        trusted("Folder"), rows, app_context, "Folder id, or a campaign in it", trusted(note), now
    )


class KnownIdDialog(PickerDialog):
    """Answers with the id of a line or folder, which may be typed."""

    DEFAULT_CSS = "KnownIdDialog > .dialog--box { width: 92; }"

    def __init__(
        self,
        title: SafeText,
        rows: Sequence[KnownId],
        app_context: AppContext,
        placeholder: str,
        note: SafeText,
        now: str,
    ) -> None:
        choices = [NamedChoice(each.id, trusted(""), show_line(each.search_words, 1_000)) for each in rows]
        is_listed = any(each.id == now for each in rows)
        current = show_line(f"{note.text} Current: {now}", 300) if now and not is_listed else note
        super().__init__(title, choices, note=current, placeholder=placeholder, at=now, can_type=True)
        self._known = {each.id: each for each in rows}
        self._app_context = app_context

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key in self._known:
            return (known_id_line(self._known[key], width, self._app_context.view()),)
        return super().draw(key, width)
