"""The glyphs of rows, and plain ASCII for terminals and fonts without them."""

from typing import NamedTuple


class Glyphs(NamedTuple):
    """A set of signs, by default those of Unicode; `text.cell_width` measures each."""

    mark: str = "▣"
    """The sign of a marked row; no other sign of a row looks like it."""
    new: str = "•"
    """The sign of a row with news, in the place of a mark."""
    unread: str = "●"
    waiting: str = "◷"
    pending: str = "⇅"
    sent: str = "✓"
    delivered: str = "✓✓"
    read: str = "✓✓✓"
    failed: str = "✗"
    answer: str = "↳"
    attachment: str = "▤"
    note: str = "✎"
    translated: str = "≈"
    bar: str = "▏"
    machine_bar: str = "┊"
    note_bar: str = "▒"
    rule: str = "─"
    full: str = "━"
    empty: str = "─"
    spark: str = "▁▂▃▄▅▆▇█"
    hole: str = "┈"
    on: str = "●"
    off: str = "○"
    warning: str = "▲"
    separator: str = " · "
    becomes: str = " → "
    left: str = "‹"
    right: str = "›"
    up: str = "↑"
    current: str = "▸"
    fork: str = "├"
    last_fork: str = "└"
    rail: str = "│"
    back_to: str = "↺"
    goes_to: str = "↪"
    end: str = "■"
    tag: str = "■"
    statuses: str = "●◐○◆◇▼▽"
    """The signs of a task's status: open, in progress, completed, then custom ones."""


UNICODE = Glyphs()
ASCII = Glyphs(
    mark="+",
    new="*",
    unread="*",
    waiting="w",
    pending="~",
    sent="v",
    delivered="vv",
    read="vvv",
    failed="x",
    answer=">",
    attachment="@",
    note="#",
    translated="=",
    bar="|",
    machine_bar=":",
    note_bar="#",
    rule="-",
    full="#",
    empty=".",
    spark="_.-=+*%#",
    hole="?",
    on="*",
    off="o",
    warning="!",
    separator=" - ",
    becomes=" > ",
    left="<",
    right=">",
    up="^",
    current=">",
    fork="+",
    last_fork="`",
    rail="|",
    back_to="<-",
    goes_to="->",
    end="#",
    tag="#",
    statuses="o=.%&$/",
)


def glyphs(ascii_only: bool) -> Glyphs:
    return ASCII if ascii_only else UNICODE
