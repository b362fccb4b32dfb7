"""Parts of sentences and times in full words for screen readers, right-to-left text in its logical order."""

import math
from collections.abc import Iterable, Sequence

from frontdesk.config.facts import At, Fact, FactForm, words
from frontdesk.config.render_context import RenderContext
from frontdesk.text.relative_time import spoken_length
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Span, read_out

PREVIEW = 100
MAX_NAMED = 3
"""The report of a bulk action names so many of its records."""

MAX_SPOKEN = 2_500
"""Letters of a fact, which may be a text that somebody has to compare with another one."""

MAX_OF_RECORD = 10_000
"""Letters of what is said of one record, however many parts it has."""

THERE_IS_MORE = "There is more"
MORE_IN_RAW = trusted("For everything the platform sent, type raw.")
ACTIVE = {True: "active", False: "inactive", None: "status unknown"}


def inline_text(raw: object, limit: int = PREVIEW) -> SafeText:
    """Return outside text for use within a sentence: on one line, and with words where it was cut.

    Args:
        raw: a `SafeText` is hidden already where it has to be.
    """
    shown = raw if isinstance(raw, SafeText) else show_line(raw, 20_000)
    text = " ".join(shown.text.replace("␤", " ").split())
    if len(text) > limit:
        text = f"{text[:limit].rstrip()}, and more"
    return SafeText(text, shown.was_sanitized)


def join_sentence(parts: Iterable[SafeText | str]) -> SafeText:
    """Parts as one sentence, empty ones left out."""
    texts = [part if isinstance(part, str) else part.text for part in parts]
    sentence = ", ".join(text for text in texts if text)
    return trusted(sentence if sentence.endswith((".", "!", "?", ":")) else f"{sentence}.")


def speak(facts: Iterable[Fact], view: RenderContext, most: float = math.inf) -> list[SafeText]:
    """Word facts as sentences, those below a heading as one, without long texts and lists.

    Args:
        most: after so many letters, nothing but that there is more is said.
    """
    sentences: list[list[str]] = []
    is_below, letters = False, 0
    for fact in facts:
        if letters > most:
            sentences.append([THERE_IS_MORE])
            break
        if fact.form is FactForm.GAP:
            is_below = False
        if fact.is_long or not (fact.has_value or fact.form is FactForm.HEADING):
            continue
        value = fact.said or _value(fact.value, view)
        label = "" if fact.form is FactForm.TEXT else fact.name
        said = ": ".join(inline_text(trusted(each), MAX_SPOKEN).text for each in (label, value) if each)
        letters += len(said)
        if is_below and fact.form is not FactForm.HEADING:
            sentences[-1].append(said)
        else:
            is_name = fact.form is FactForm.TEXT and fact.label  # a name or an id stays as it is written
            sentences.append([said if is_name else capitalize(said)])
        is_below = is_below or fact.form is FactForm.HEADING
    return [join_sentence([first, "; ".join(rest)]) for first, *rest in sentences]


def _value(value: object, view: RenderContext) -> str:
    if isinstance(value, At):
        return view.spoken_moment(value)
    shown = words(value, view).text
    # Only a line that is drawn has columns and bars; in a text from outside, blanks and dashes are its own.
    return read_out(shown) if isinstance(value, tuple) and isinstance(value[0], Span) else shown


def assigned_words(people: Sequence[AgentId], view: RenderContext) -> str:
    """Word the assignment of a record."""
    if not people:
        return "unassigned"
    names = [inline_text(view.person(each), 40).text for each in people]
    return f"assigned to {' and '.join(filter(None, (', '.join(names[:-1]), *names[-1:])))}"


def name_some(names: Sequence[str], count: int) -> str:
    """Join names; `count` is how many there are in all."""
    left = count - len(names)
    return ", ".join(names) + (f" and {left:,} more" if left else "")


def capitalize(text: str) -> str:
    """Return the text with a capital in front; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def due(at: float, view: RenderContext) -> str:
    """Return a due date, and how overdue it is."""
    when = view.spoken_moment(at)
    return f"overdue by {spoken_length(view.now - at)}, was due {when}" if at < view.now else f"due {when}"
