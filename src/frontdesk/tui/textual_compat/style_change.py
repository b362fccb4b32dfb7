"""Make the shortest escape sequence from one style to the next.

Leans on no private name. Rich resets and restates every attribute and both colours for each segment, about 40
bytes, and a list row has five; `screen_buffer` writes changed cells with this.

Guarantees the look that Rich's own sequence gives. Links and rare attributes are left to Rich (`is_special`).
"""

from functools import lru_cache

from rich.color import ColorSystem
from rich.style import Style

RESET = "\x1b[0m"
_ATTRIBUTES = (
    ("bold", "1", "22"),
    ("dim", "2", "22"),
    ("italic", "3", "23"),
    ("underline", "4", "24"),
    ("blink", "5", "25"),
    ("reverse", "7", "27"),
    ("strike", "9", "29"),
)
PLAIN = Style()
# Colours that every terminal has under a number: the same colour in half the bytes.
_LEVELS = (0, 95, 135, 175, 215, 255)
_INDEXED: dict[tuple[int, int, int], int] = {
    (red, green, blue): 16 + 36 * r + 6 * g + b
    for r, red in enumerate(_LEVELS)
    for g, green in enumerate(_LEVELS)
    for b, blue in enumerate(_LEVELS)
} | {(grey, grey, grey): 232 + step for step, grey in enumerate(range(8, 248, 10))}


def is_special(style: Style) -> bool:
    """Return whether a style has a link or a rare attribute, which Textual renders itself."""
    return bool(style.link or style.underline2 or style.overline or style.conceal or style.frame or style.encircle)


@lru_cache(maxsize=4096)
def style_change(before: Style, after: Style, system: ColorSystem) -> str:
    """Return the sequence that takes a terminal from one style to the other."""
    if before == after:
        return ""
    codes: list[str] = []
    ended = {off for name, _, off in _ATTRIBUTES if getattr(before, name) and not getattr(after, name)}
    codes += sorted(ended)
    # 22 ends both bold and dim, so the other one is set again.
    codes += [
        on for name, on, off in _ATTRIBUTES if getattr(after, name) and (not getattr(before, name) or off in ended)
    ]
    colours = _colour(after, system, foreground=True), _colour(after, system, foreground=False)
    earlier = _colour(before, system, foreground=True), _colour(before, system, foreground=False)
    codes += [new for new, old in zip(colours, earlier, strict=True) if new != old]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _colour(style: Style, system: ColorSystem, *, foreground: bool) -> str:
    colour = style.color if foreground else style.bgcolor
    if colour is None:
        return "39" if foreground else "49"
    code = _INDEXED.get(colour.triplet) if colour.triplet is not None else None
    if code is not None and system is ColorSystem.TRUECOLOR:
        return f"{38 if foreground else 48};5;{code}"
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground))
