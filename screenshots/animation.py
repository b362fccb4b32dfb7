"""Frames as one animated SVG: a part that several frames share is in it once, and CSS shows it at its times.

It has no script and names nothing outside itself, so that a code host can show it as an image.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """What is shown for some seconds: parts of SVG, drawn in this order."""

    parts: Sequence[str]
    seconds: float


def animate(
    frames: Sequence[Frame], *, view_box: tuple[float, float, float, float], css: str, title: str, poster: int
) -> str:
    """Draw frames as an SVG that begins again at its end.

    Args:
        view_box: left, top, width and height, in the units of the parts.
        css: for the parts.
        title: what it shows, for those who can't see it.
        poster: the number of the frame for viewers that don't animate, and for people who want no motion.
    """
    groups = _group_parts(frames)
    begins = [sum(frame.seconds for frame in frames[:number]) for number in range(len(frames) + 1)]
    rules = [
        css,
        f".t{{visibility:hidden;animation:{begins[-1]:g}s step-end infinite}}",
        "@media (prefers-reduced-motion:reduce){.t{animation:none}}",
    ]
    drawn = []
    for index, (numbers, parts) in enumerate(groups.items()):
        if len(numbers) == len(frames):
            drawn.append(f"<g>{''.join(parts)}</g>")
            continue
        name = f"g{index}"
        rules.append(f"@keyframes {name}{{{_keyframes(numbers, begins)}}}")
        rules.append(f"#{name}{{animation-name:{name}{';visibility:visible' if poster in numbers else ''}}}")
        drawn.append(f'<g id="{name}" class="t">{"".join(parts)}</g>')
    box = " ".join(f"{each:g}" for each in view_box)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="{box}">',
        f"<title>{title}</title>",
        "<style>" + "\n".join(rules) + "</style>",
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _group_parts(frames: Sequence[Frame]) -> dict[tuple[int, ...], list[str]]:
    """Return the parts by the numbers of the frames that show them."""
    shown_in: dict[str, list[int]] = {}
    for number, frame in enumerate(frames):
        for part in frame.parts:
            shown_in.setdefault(part, []).append(number)
    groups: dict[tuple[int, ...], list[str]] = {}
    for part, numbers in shown_in.items():
        groups.setdefault(tuple(numbers), []).append(part)
    return groups


def _keyframes(numbers: Sequence[int], begins: Sequence[float]) -> str:
    """Return the moments at which a group appears and disappears."""
    rules, was_shown = [], None
    for number, begin in enumerate(begins[:-1]):
        is_shown = number in numbers
        if is_shown != was_shown:
            percent = f"{100 * begin / begins[-1]:.3f}".rstrip("0").rstrip(".")
            rules.append(f"{percent}%{{visibility:{'visible' if is_shown else 'hidden'}}}")
        was_shown = is_shown
    return "".join(rules)
