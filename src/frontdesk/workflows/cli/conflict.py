"""The comparison of a conflicting update for `frontdesk outbox retry`."""

from frontdesk.app.services import Services
from frontdesk.cli.output import print_line
from frontdesk.storage.records import Change
from frontdesk.workflows.cli.read import print_differences
from frontdesk.workflows.diff.diff import differences
from frontdesk.workflows.request_body import changes_of
from frontdesk.workflows.store.pending_payloads import parsed


def print_conflict(services: Services, change: Change) -> None:
    """Print the changes that they have made since, and those that sending yours would make."""
    texts = services.queries.workflow_change(change.change_id)
    theirs = None if texts is None else parsed(texts.theirs)
    if texts is None or theirs is None:
        return
    base = parsed(texts.base)
    if base is not None:
        print_line("What somebody else has changed since yours was made:")
        print_differences(differences(base, theirs), as_json=False)
    print_line("What sending yours over that would change:")
    print_differences(changes_of(theirs, parsed(texts.body) or {}), as_json=False)
