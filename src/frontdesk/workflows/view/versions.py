"""Kept versions of a workflow as rows and words."""

from collections.abc import Callable, Sequence

from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.versions import MAX_VERSIONS

OLDEST = "the oldest kept"

NO_VERSIONS = "No versions saved yet. frontdesk saves one each time it fully loads a changed workflow."


def coverage_words(records: Sequence[VersionRecord], when: Callable[[float], str]) -> str:
    """Say since when versions are kept, and what was never seen.

    Args:
        records: newest first.
        when: words a moment, Unix seconds.
    """
    if not records:
        return NO_VERSIONS
    oldest = records[-1]
    words = f"Kept since {when(oldest.loaded_at)}."
    if oldest.number > 1:
        gone = oldest.number - 1
        words += f" {gone:,} older {'was' if gone == 1 else 'were'} deleted (at most {MAX_VERSIONS} are kept)."
    return words + " Unknown: versions from before that, and any that came and went between two loads."
