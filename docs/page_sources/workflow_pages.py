"""The page of the workflow check's rules."""

from frontdesk_flows.checks.rules import RULES
from page_sources.markdown import link, page, table, wrap


def rules_page() -> str:
    """Return the page with every rule of the check."""
    rows = [
        [f"`{each.id}`{' °' if each.needs else ''}", each.severity.value, each.title, each.what_to_do]
        for each in RULES
    ]
    return page(
        "Rules of the workflow check",
        "frontdesk_flows/checks/rules.py",
        wrap(
            f"{link('workflows.md#check-it-before-you-send-it', 'The check')} reports what won't run, won't open "
            "in the editor, or will probably surprise customers. A rule marked ° needs more than one workflow's "
            "file: the screen applies it once the account's workflows, lines and campaigns are loaded; "
            "`frontdesk workflows check` skips it, except that it compares the triggers of a file's workflows."
        ),
        table(("rule", "severity", "finds", "what to do"), rows),
    )
