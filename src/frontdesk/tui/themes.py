"""The three themes of our own (calm dark, calm light, the terminal's own 16 colours), and Textual's made readable.

Colours live here and nowhere else; widgets name theme variables. NO_COLOR uses the terminal's theme, from which
`textual_compat.line_filters` removes the colours.
"""

from typing import Any

from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from frontdesk_lines.textual_compat.line_filters import set_first_theme

# Most colours are among the 256 that terminals number, which `style_change` writes in half the bytes.
_COLOURS = {
    "primary": ("#87afff", "#005faf"),
    "secondary": ("#afafd7", "#5f5f87"),
    "accent": ("#d7afff", "#5f5faf"),
    "success": ("#87d787", "#005f00"),
    "warning": ("#d7af5f", "#875f00"),
    "error": ("#ff8787", "#af0000"),
    "foreground": ("#d7d7d7", "#262626"),
    "background": ("#1c1c1c", "#ffffff"),
    "surface": ("#1c1c1c", "#ffffff"),
    "panel": ("#262626", "#eeeeee"),
    "boost": ("#262626", "#eeeeee"),
}
"""The colours of the dark and of the light theme."""

_VARIABLES = {
    "text-muted": ("#a8a8a8", "#585858"),
    "text-disabled": ("#9e9e9e", "#626262"),
    "text-primary": ("#87afff", "#005faf"),
    "text-secondary": ("#afafd7", "#5f5f87"),
    "text-accent": ("#d7afff", "#5f00af"),
    "text-success": ("#87d787", "#005f00"),
    "text-warning": ("#d7af5f", "#7a5200"),
    "text-error": ("#ff8787", "#af0000"),
    "border": ("#87afff", "#005faf"),
    "border-blurred": ("#4e4e4e", "#bcbcbc"),
    "input-selection-background": ("#2f5580", "#b9d3f0"),
    "block-cursor-background": ("#2b3548", "#d7e5f7"),
    "block-cursor-foreground": ("#eeeeee", "#080808"),
    "block-cursor-text-style": ("bold", "bold"),
    "block-cursor-blurred-background": ("#303030", "#e4e4e4"),
    "scrollbar": ("#585858", "#b2b2b2"),
    "scrollbar-hover": ("#6c6c6c", "#9e9e9e"),
    "scrollbar-active": ("#87afff", "#005faf"),
    "scrollbar-background": ("#1c1c1c", "#ffffff"),
    "scrollbar-corner-color": ("#1c1c1c", "#ffffff"),
}


def _make_theme(name: str, column: int) -> Theme:
    colours: dict[str, Any] = {key: values[column] for key, values in _COLOURS.items()}
    variables = {key: values[column] for key, values in _VARIABLES.items()}
    return Theme(name=name, dark=column == 0, variables=variables, **colours)


DARK, LIGHT = _make_theme("dark", 0), _make_theme("light", 1)
TERMINAL = Theme(
    name="terminal",
    ansi=True,
    dark=True,
    primary="ansi_blue",
    secondary="ansi_cyan",
    accent="ansi_magenta",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "border": "ansi_blue",
        "border-blurred": "ansi_bright_black",
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-background": "ansi_blue",
        "block-cursor-foreground": "ansi_bright_white",
        "block-cursor-blurred-background": "ansi_default",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "scrollbar": "ansi_bright_black",
        "scrollbar-background": "ansi_default",
    },
)

THEMES = (DARK, LIGHT, TERMINAL)

READABLE = 4.5
"""The contrast that WCAG 2 asks of text (1.4.3, AA)."""
CLEAR = 6.0
"""The contrast of ordinary text in a derived theme, so that quiet text is quieter."""
SEEN = 1.25
"""The contrast of the cursor's row with the others."""
_STEPS = 20
_WHITE, _BLACK = Color(255, 255, 255), Color(0, 0, 0)


def find_theme(name: str) -> Theme:
    """Return the theme of a setting (`settings_table.THEME_NAMES`): one of our own, or Textual's made readable."""
    return next((each for each in THEMES if each.name == name), None) or derive_theme(BUILTIN_THEMES[name])


def derive_theme(theme: Theme) -> Theme:
    """Return one of Textual's themes with a value for every color that rows and panes use.

    Its own colors are moved towards white, or black on light paper, until they can be read on all backgrounds.
    """
    colours = {
        key: Color.parse(value) for key, value in theme.to_color_system().generate().items() if key in _NEEDED
    }
    paper, primary = colours["background"], colours["primary"]
    tints = [paper.blend(primary, share) for share in (0.2, 0.25, 0.3, 0.35)]
    papers = {
        "background": paper,
        "panel": colours["surface"],
        "block-cursor-background": next((each for each in tints if _contrast(each, paper) >= SEEN), tints[-1]),
        "block-cursor-blurred-background": paper.blend(colours["foreground"], 0.08),
    }
    far = _WHITE if theme.dark else _BLACK

    def ink(colour: Color, contrast: float = READABLE) -> Color:
        steps = (colour.blend(far, step / _STEPS) for step in range(_STEPS + 1))
        return next(
            (each for each in steps if all(_contrast(each, on) >= contrast for on in papers.values())), far
        )

    own = {name: ink(colours[name]) for name in _INKS}
    text = ink(colours["foreground"], CLEAR)
    variables = {
        "text-muted": ink(text.blend(paper, 0.3)),
        "text-disabled": ink(text.blend(paper, 0.4)),
        **{f"text-{name}": value for name, value in own.items()},
        "border": own["primary"],
        "border-blurred": paper.blend(text, 0.25),
        "input-selection-background": paper.blend(primary, 0.3),
        "block-cursor-foreground": text,
        "scrollbar": paper.blend(text, 0.3),
        "scrollbar-hover": paper.blend(text, 0.4),
        "scrollbar-active": own["primary"],
        "scrollbar-background": paper,
        "scrollbar-corner-color": paper,
        **papers,
    }
    inks: dict[str, Any] = {name: value.hex6 for name, value in own.items()}
    return Theme(
        name=theme.name,
        dark=theme.dark,
        foreground=text.hex6,
        background=paper.hex6,
        surface=paper.hex6,
        panel=papers["panel"].hex6,
        boost=papers["panel"].hex6,
        variables={key: value.hex6 for key, value in variables.items()} | {"block-cursor-text-style": "bold"},
        **inks,
    )


_INKS = ("primary", "secondary", "accent", "success", "warning", "error")
_NEEDED = {*_INKS, "foreground", "background", "surface"}


def _contrast(ink: Color, paper: Color) -> float:
    """Return the contrast of WCAG 2, 1 to 21."""
    light, dark = sorted((_luminance(ink), _luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


FEW_COLOURS = ("standard", "windows")
"""Rich's names of 16-colour systems, whose nearest colours to ours hide the cursor's row or are hard to read."""


def first_theme(setting: str, colour_system: str | None = None) -> str:
    """Return the theme to start with: a terminal with only 16 colours starts with its own."""
    return TERMINAL.name if colour_system in FEW_COLOURS else setting


def apply_first_theme(app: App[Any], setting: str) -> None:
    """Set the theme of an app by its setting, before anything is styled."""
    for each in THEMES:
        app.register_theme(each)
    name = TERMINAL.name if app.no_color else first_theme(setting, app.console.color_system)
    app.register_theme(find_theme(name))
    set_first_theme(app, name)


def apply_theme(app: App[Any], name: str) -> None:
    if name != app.theme:
        app.register_theme(find_theme(name))
        app.theme = name
