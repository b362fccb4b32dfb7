"""Outside text in exported files: no cell of a CSV file is a formula, and nothing in Markdown is markup."""

import re

from frontdesk.text.display_text import show_label

_MARKUP = re.compile(r"([\\`*_\[\]{}<>&|~!()#:@$^=])|(?<=www)(\.)", re.IGNORECASE)
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NAME_LIMIT = 200


def escape_markdown(text: object, limit: int = 120) -> str:
    """Outside text for Markdown, with all markup escaped; privacy hides nothing in a file."""
    return _MARKUP.sub(lambda found: f"\\{found[0]}", show_label(text, limit).text)


def escape_formula(text: str) -> str:
    """Outside text as a cell that no spreadsheet takes for a formula; privacy hides nothing in a file."""
    clean = show_label(text, _NAME_LIMIT).text
    return f"'{clean}" if clean.lstrip().startswith(_FORMULA) else clean
