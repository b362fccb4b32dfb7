"""New messages and tasks as lines of the linear mode's news, each once."""

from collections.abc import Callable, Mapping, Sequence

from frontdesk.config.catalogue import Catalogue
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store import notifications
from frontdesk.linear.sentences import inline_text, join_sentence
from frontdesk.storage import change_feed
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import SafeText

TASK_KEY = "task "
"""The prefix of a task's key."""


class MessageNews:
    """News of messages and tasks that are mine, unassigned, or in the open conversation.

    Args:
        db: a reading connection.
        since: when listening began, Unix seconds; what is older is no news.
        reading: the open conversation; empty for none.
        is_for_all: include what is assigned to others.
    """

    def __init__(
        self,
        db: ReadConnection,
        catalogue: Catalogue,
        since: float,
        reading: Callable[[], str],
        *,
        is_for_all: bool,
    ) -> None:
        self._db, self._catalogue, self._reading, self._is_for_all = db, catalogue, reading, is_for_all
        self._began = since
        # By the platform's clock: what is stored already is no news.
        newest = notifications.newest_at(db)
        self._since = since if newest is None else min(newest, since)
        self._known_until: dict[str, float] = {}

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:  # noqa: ARG002
        conversations = {*ids.get(change_feed.THREAD, ()), *ids.get(change_feed.CONVERSATION, ())}
        tasks = ids.get(change_feed.TASK, ())
        lines, reading = [], self._reading()
        for each in notifications.since(self._db, conversations, tasks, self._since):
            is_here = each.conversation_id == reading and each.conversation_id != ""
            is_task = each.key.startswith(TASK_KEY)
            # What a store knows may be older than its tasks: a task is new when it was made since we began.
            if is_task and each.at <= self._began:
                continue
            mine = self._is_for_all or not each.assigned or self._catalogue.me in each.assigned
            if each.at <= self._known_until.get(each.key, 0.0) or not each.is_unread or not (mine or is_here):
                continue
            self._known_until[each.key] = each.at
            who, text = inline_text(each.who or "somebody without a name", 60).text, inline_text(each.says).text
            what = "New task for" if is_task else "New message from"
            here = ", in the open conversation" if is_here else ""
            lines.append(join_sentence([f"{what} {who}{here}{f': {text}' if text else ''}"]))
        return lines
