"""Give an app its theme before anything is styled.

Leans on `App._refresh_truecolor_filter` (8.2.8), the one private step of `App._watch_theme`. To set `App.theme`
has every rule parsed and applied again, on the next turns of the loop; at the start nothing is styled yet.

Guarantees the classes, variables and filters that `App._watch_theme` would leave.
"""

from typing import Any

from textual.app import App


def set_first_theme(app: App[Any], name: str) -> None:
    """Set a registered theme while the app is made."""
    app.set_reactive(App.theme, name)
    theme = app.current_theme
    app.set_class(theme.dark, "-dark-mode")
    app.set_class(not theme.dark, "-light-mode")
    for each_class in tuple(app.classes):
        if each_class.startswith("-theme-"):
            app.remove_class(each_class)
    app.add_class(f"-theme-{theme.name}")
    app.stylesheet.set_variables(app.get_css_variables())
    app._refresh_truecolor_filter(app.ansi_theme)
