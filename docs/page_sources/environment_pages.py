"""The pages of environment variables and of files."""

from frontdesk.config.ignored_variables import IGNORED_VARIABLES
from page_sources.kept_files import KEPT_FILES, Folder
from page_sources.markdown import link, page, table, wrap
from page_sources.variables import VARIABLES, VariableGroup


def variables_page() -> str:
    """Return the page with every variable that is read or ignored."""
    blocks = []
    for group in VariableGroup:
        rows = [
            [
                f"`{each.name}`",
                each.means + (f" See {link(each.see)}." if each.see else ""),
                each.reader or "frontdesk",
            ]
            for each in VARIABLES
            if each.group is group
        ]
        blocks += [f"## {group}", table(("variable", "means", "read by"), rows)]
    ignored = [
        [
            f"`{name}`",
            f"`{instead}`" if instead.startswith("frontdesk") else link("reference/settings.md#settings", instead),
        ]
        for name, instead in IGNORED_VARIABLES.items()
    ]
    return page(
        "Environment variables",
        "docs/page_sources/variables.py and config/settings.py",
        wrap(
            f"{link('configuration.md#environment-variables', 'Configuration')} says which value wins where "
            f"several "
            "are set."
        ),
        *blocks,
        "## Ignored on purpose",
        "No variable can send your credentials elsewhere, so frontdesk ignores these, and `frontdesk doctor` "
        "names them.",
        table(("variable", "instead"), ignored),
    )


def files_page() -> str:
    """Return the page with every file that frontdesk writes."""
    blocks = []
    for folder in Folder:
        rows = [
            [", ".join(f"`{name}`" for name in each.name.split(", ")), each.holds, f"`{each.mode}`", each.deletion]
            for each in KEPT_FILES
            if each.folder is folder
        ]
        blocks += [
            f"## {folder.name.capitalize()} folder",
            f"`{folder}` on Linux; `{folder.moved_by}` moves it.",
            table(("file", "holds", "mode", "may be deleted"), rows),
        ]
    return page(
        "Files and folders",
        "docs/page_sources/kept_files.py",
        wrap(
            "Everything that frontdesk writes, except what you export. `frontdesk doctor` prints where the "
            "folders are. Quit frontdesk before you delete a file. The folders that it creates are yours alone "
            "(mode 0700). "
            f"{link('administrators.md')} covers backup, restore and removal."
        ),
        *blocks,
    )
