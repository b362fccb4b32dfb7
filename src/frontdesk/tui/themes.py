"""The three themes: calm dark, calm light, and one of the terminal's own 16 colours.

Colours live here and nowhere else; widgets name theme variables. NO_COLOR uses the terminal's theme, from which
`textual_compat.line_filters` removes the colours.
"""

from typing import Any

from textual.app import App
from textual.theme import Theme

from frontdesk.text.display_text import trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.textual_compat.line_filters import set_first_theme

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


DARK, LIGHT = _make_theme("frontdesk-dark", 0), _make_theme("frontdesk-light", 1)
TERMINAL = Theme(
    name="frontdesk-terminal",
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
_NAMES = tuple(theme.name for theme in THEMES)


def theme_name(setting: str) -> str:
    """Return the theme of a setting: "dark", "light" or "terminal"; dark for anything else."""
    name = f"frontdesk-{setting}"
    return name if name in _NAMES else DARK.name


THEME = "theme"
"""Where the theme that a person switched to is saved."""


FEW_COLOURS = ("standard", "windows")
"""Rich's names of 16-colour systems, whose nearest colours to ours hide the cursor's row or are hard to read."""


def chosen_theme(setting: str, saved: object, colour_system: str | None = None) -> str:
    """Return the first theme: the one switched to last, until the config names another.

    A terminal with only 16 colours starts with its own theme.
    """
    if isinstance(saved, dict) and saved.get("over") == setting and saved.get("name") in _NAMES:
        return str(saved["name"])
    return TERMINAL.name if colour_system in FEW_COLOURS else theme_name(setting)


def next_theme(name: str) -> str:
    """Return the name of the next theme, the first one after the last."""
    return _NAMES[(_NAMES.index(name) + 1) % len(_NAMES)] if name in _NAMES else _NAMES[0]


def apply_theme(app: App[Any], app_context: AppContext) -> None:
    """Set the theme of an app before anything is styled."""
    set_theme(app, app_context.store.settings.theme, app_context.outbox.saved_view_state(THEME))


def set_theme(app: App[Any], setting: str, saved: object = None) -> None:
    """Set the theme of an app by its setting and the one switched to last, before anything is styled."""
    for each in THEMES:
        app.register_theme(each)
    name = chosen_theme(setting, saved, app.console.color_system)
    set_first_theme(app, TERMINAL.name if app.no_color else name)


def apply_next_theme(app: App[Any], app_context: AppContext) -> None:
    """Switch to the next theme, which is saved until the config names another one."""
    if app.no_color:
        why = "NO_COLOR is set" if "NO_COLOR" in app_context.environ else "This terminal is monochrome"
        notify(app, trusted(f"{why}, so there are no colors to change."))
        return
    app.theme = next_theme(app.theme)
    app_context.outbox.save_view_state(THEME, {"name": app.theme, "over": app_context.store.settings.theme})
    notify(app, trusted(f"Theme: {app.theme.removeprefix('frontdesk-')}"), timeout_seconds=2)
