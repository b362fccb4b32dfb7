"""Parts of sentences for screen readers, which want right-to-left text in its logical order."""

from collections.abc import Iterable, Sequence

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, show_line, trusted

PREVIEW = 100
MAX_NAMED = 3
"""The report of a bulk action names so many of its records."""

MORE_IN_RAW = trusted("The command raw says all that is known of it.")
ACTIVE = {True: "active", False: "inactive", None: "not said whether it is active"}


def inline_text(raw: object, limit: int = PREVIEW) -> SafeText:
    """Outside text within a sentence: its lines run on, and what is cut is said in words."""
    shown = show_line(raw, 20_000)
    text = " ".join(shown.text.replace("␤", " ").split())
    if len(text) > limit:
        text = f"{text[:limit].rstrip()}, and more"
    return SafeText(text, shown.was_sanitized)


def join_sentence(parts: Iterable[SafeText | str]) -> SafeText:
    """Parts as one sentence, empty ones left out."""
    texts = [part if isinstance(part, str) else part.text for part in parts]
    sentence = ", ".join(text for text in texts if text)
    return trusted(sentence if sentence.endswith((".", "!", "?", ":")) else f"{sentence}.")


def assigned_words(people: Sequence[AgentId], view: RenderContext) -> str:
    """Word the assignment of a record."""
    if not people:
        return "nobody assigned"
    names = [inline_text(view.person(each).text, 40).text for each in people]
    return f"assigned to {' and '.join(filter(None, (', '.join(names[:-1]), *names[-1:])))}"


def name_some(names: Sequence[str], count: int) -> str:
    """Join names; `count` is how many there are in all."""
    left = count - len(names)
    return ", ".join(names) + (f" and {left:,} more" if left else "")


def capitalize(text: str) -> str:
    """The text with a capital in front; the rest stays as it is."""
    return text[:1].upper() + text[1:]
