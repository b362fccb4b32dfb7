"""Track the bulk action that is being sent, for a screen's status line."""

from frontdesk.outbox import bulk_progress_view
from frontdesk.outbox import progress as outbox_progress
from frontdesk.text.lines import EMPTY, Line
from frontdesk.tui.context import AppContext


class RunTracker:
    """The running bulk action as it was read last.

    Attributes:
        batch: its batch; empty where none runs.
        progress: how far it is.
    """

    def __init__(self, app_context: AppContext, stop_key: str) -> None:
        """A tracker that has read nothing yet.

        Args:
            stop_key: the key that stops it, to be named; empty where the screen has none.
        """
        self._app_context, self._stop_key = app_context, stop_key
        self.batch = ""
        self.progress: Line = EMPTY

    def update(self) -> str:
        """Read how far it is; returns the batch that ended since the last update, empty where none did."""
        store = self._app_context.store
        run = outbox_progress.oldest_running(store.reading, self._app_context.clock())
        ended, self.batch = self.batch, "" if run is None else run.batch
        self.progress = EMPTY
        if run is not None:
            limit = store.settings.requests_per_minute
            self.progress = bulk_progress_view.progress(run, limit, stops=self._stop_key)
        return ended if ended != self.batch else ""

    def forget(self) -> None:
        """Report no end of what ran until now."""
        self.batch = ""
