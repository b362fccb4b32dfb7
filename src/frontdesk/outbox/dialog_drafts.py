"""Unsaved texts of dialogs, kept in `outbox.db` so that a kill doesn't lose them.

The screens keep a text soon after it is typed, and forget it once its change is in the outbox.
"""

import hashlib
from concurrent.futures import Future
from functools import partial

import apsw

from frontdesk.outbox import queue
from frontdesk.storage.database import ProfileStore
from frontdesk_api.redaction import redact

DIALOG_DRAFT = "dialog draft"
"""The stored text of a dialog, by the dialog and its subject."""

MAX_DRAFTS = 100
"""Maximum number of drafts; the oldest beyond these are deleted."""

MAX_CHARACTERS = 100_000
"""Maximum length of a stored draft; the screen alone keeps a longer text."""

FORGET_SECONDS = 30 * 86_400.0
"""Age in seconds from which a draft is deleted when the next one is kept."""

_MAX_NAME = 200


def keep_draft(db: apsw.Connection, name: str, text: str | None, now: float) -> None:
    """Store a draft, or delete it for None, and delete those that are too old or too many."""
    if text is None:
        queue.forget(db, DIALOG_DRAFT, name)
        return
    queue.keep(db, DIALOG_DRAFT, name, text, now)
    queue.forget_older(db, DIALOG_DRAFT, now - FORGET_SECONDS)
    for each in [*queue.all_kept(db, DIALOG_DRAFT)][:-MAX_DRAFTS]:
        queue.forget(db, DIALOG_DRAFT, each)


class DialogDraft:
    """The draft of one dialog about one subject.

    Args:
        default: the initial text of the dialog; an equal draft isn't kept.
    """

    def __init__(self, drafts: "DialogDrafts", name: str, default: str) -> None:
        self._drafts, self._name, self._default = drafts, name, default

    @property
    def text(self) -> str:
        """The typed text, or the default."""
        kept = self._drafts.read(self._name)
        return self._default if kept is None else kept

    @property
    def is_kept(self) -> bool:
        """Return whether a text other than the default was typed."""
        return self._drafts.read(self._name) is not None

    def keep(self, text: str) -> None:
        """Keep a text without waiting; forget one that equals the default."""
        self._drafts.keep(self._name, None if text == self._default else text)

    def restore(self, text: str) -> None:
        """Keep a text again whose change couldn't be written, unless another was typed since."""
        if not self.is_kept:
            self.keep(text)

    def forget(self) -> None:
        self._drafts.keep(self._name, None)


class DialogDrafts:
    """The drafts of one profile."""

    def __init__(self, store: ProfileStore) -> None:
        self._store = store
        self._not_written: dict[str, tuple[str | None, Future[None] | None]] = {}
        """The drafts that the store doesn't have yet, each with its write, if any, which waits or was refused."""

    def of(self, kind: str, *about: str, default: str = "") -> DialogDraft:
        """Return the saved draft of this kind of dialog for these ids."""
        name = "\0".join((kind, *about))
        if len(name) > _MAX_NAME:  # a dialog may be about thousands of records
            name = f"{kind}\0{hashlib.sha256(name.encode(errors='replace')).hexdigest()}"
        return DialogDraft(self, name, default)

    def read(self, name: str) -> str | None:
        # First, since the store must have what is dropped here when the query below runs.
        self._not_written = {each: kept for each, kept in self._not_written.items() if not _is_written(kept[1])}
        if name in self._not_written:
            return self._not_written[name][0]
        kept = queue.kept(self._store.reading, DIALOG_DRAFT, name)
        return kept if isinstance(kept, str) else None

    def keep(self, name: str, text: str | None) -> None:
        """Keep a text in the background; one that is too long or contains a credential never reaches the disk."""
        if text == self.read(name):
            return
        if text is not None and (len(text) > MAX_CHARACTERS or redact(text) != text):
            self._not_written[name] = (text, None)
            return
        written = self._store.write(partial(keep_draft, name=name, text=text, now=self._store.clock()))
        self._not_written[name] = (text, written)
        self._store.report_refusal(written)


def _is_written(write: "Future[None] | None") -> bool:
    return write is not None and write.done() and write.exception() is None
