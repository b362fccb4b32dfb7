"""Settings, which are the `[settings]` table, and the tables of config.toml; `config.settings` parses them."""

from dataclasses import dataclass, field
from typing import Annotated, TypedDict

from frontdesk.config.alerts import AlertSetting
from frontdesk.config.config_tables import MacroTable, ProfileTable, ServiceClockTable
from frontdesk.config.extensions import ATTENTION, NO_EXTENSIONS, CommandSetting, Extensions, HookSetting
from frontdesk.config.key_meaning import Meaning


@dataclass(frozen=True, slots=True)
class SavedView:
    """A named filter over conversations; `inbox.saved_views` checks its words."""

    name: Annotated[str, Meaning("Its name. A view with the name of a built-in one replaces it.")]
    match: Annotated[str, Meaning("Filter words.", see="configuration.md#filter-words")]


TEXTUAL_THEMES = (
    "textual-dark",
    "textual-light",
    "nord",
    "gruvbox",
    "catppuccin-mocha",
    "catppuccin-latte",
    "catppuccin-frappe",
    "catppuccin-macchiato",
    "dracula",
    "tokyo-night",
    "monokai",
    "flexoki",
    "solarized-light",
    "solarized-dark",
    "rose-pine",
    "rose-pine-moon",
    "rose-pine-dawn",
    "atom-one-dark",
    "atom-one-light",
)
"""Textual's own themes by name, but for those of 16 colours, which `terminal` is."""
THEME_NAMES = ("dark", "light", "terminal", *TEXTUAL_THEMES)
ANNOUNCE = ("now", "prompt", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """The `[settings]` table; `tui` checks the keymap.

    Attributes:
        requests_per_second, requests_per_minute: 0 if they aren't set; use `request_pace.request_limits`.
        extensions: of the lists `[[commands]]` and `[[hooks]]` beside it.
        sla: `[[sla]]` as written beside that table; `service_clocks.policies` parses it.
    """

    requests_per_second: Annotated[
        float,
        Meaning(
            "The most requests frontdesk makes in a second.",
            above=0,
            maximum=6_000,
            default="5; 50 for a platform on this machine",
        ),
    ] = 0.0
    requests_per_minute: Annotated[
        int,
        Meaning(
            "The most requests in a minute. frontdesk starts at 120 and adjusts to what the platform accepts.",
            above=0,
            maximum=6_000,
            default="300; 3,000 for a platform on this machine",
            see="configuration.md#the-pace-of-requests",
        ),
    ] = 0
    store_megabytes: Annotated[
        int,
        Meaning(
            "Above this size, the oldest messages are removed from the store; they can be loaded again.",
            above=0,
            maximum=1_000_000,
        ),
    ] = 2000
    history_days: Annotated[
        int,
        Meaning(
            "How many days the history of tasks is kept.",
            see="agents.md#a-tasks-history",
            above=0,
            maximum=36_500,
        ),
    ] = 400
    theme: Annotated[
        str,
        Meaning(
            "`terminal` is your terminal's own 16 colors; the others after it are Textual's. `T` shows them and "
            "saves your choice here. A terminal with only 16 colors always starts with `terminal`.",
            choices=THEME_NAMES,
        ),
    ] = "dark"
    ascii: Annotated[
        bool, Meaning("`true`: signs, lines, quotes and emoji in plain ASCII.", see="configuration.md#terminal")
    ] = False
    bidi: Annotated[
        str,
        Meaning(
            "Who puts Hebrew and Arabic in reading order: frontdesk or the terminal.",
            choices=("frontdesk", "terminal", "off"),
            see="configuration.md#hebrew-and-arabic",
        ),
    ] = "frontdesk"
    emoji: Annotated[
        str, Meaning("`text` writes emoji by name, such as `:red heart:`.", choices=("signs", "text"))
    ] = "signs"
    title: Annotated[
        bool,
        Meaning("Show the number of unread conversations in the terminal's title: `(3) frontdesk · acme`."),
    ] = True
    bell: Annotated[bool, Meaning("Ring the terminal's bell for news.")] = False
    notify: Annotated[
        str,
        Meaning(
            "Desktop notifications: `osc9` (iTerm2, kitty, WezTerm) or `osc777` (foot, urxvt).",
            choices=("off", "osc9", "osc777"),
            see="configuration.md#notifications",
        ),
    ] = "off"
    attention: Annotated[
        str,
        Meaning(
            "Which news to notify about: `mine` for yours and unassigned ones, `all` for everybody's.",
            choices=ATTENTION,
        ),
    ] = "mine"
    clipboard: Annotated[
        str,
        Meaning(
            "`osc52` copies through the terminal; `show` shows the text so you can select it.",
            choices=("osc52", "show"),
            see="configuration.md#terminal",
        ),
    ] = "osc52"
    mouse: Annotated[
        bool,
        Meaning(
            "`false` leaves the mouse to the terminal: its own selection works, and frontdesk gets no clicks.",
            see="configuration.md#terminal",
        ),
    ] = True
    cursor: Annotated[
        str,
        Meaning(
            "`shown` makes the terminal's own cursor visible on the focused row, for screen readers that don't"
            " follow a hidden one.",
            choices=("hidden", "shown"),
            see="other-screens.md#screen-readers-and-braille",
        ),
    ] = "hidden"
    hints: Annotated[bool, Meaning("Show a few keys the first time you open a profile.")] = True
    announce: Annotated[
        str,
        Meaning(
            "When the linear mode reports news: `now`, `prompt` (before the next prompt) or `off`.",
            choices=ANNOUNCE,
            see="other-screens.md#linear-mode",
        ),
    ] = "prompt"
    read_only: Annotated[
        bool,
        Meaning("`true`: nothing is changed on the platform.", see="command-line.md#what-all-commands-share"),
    ] = False
    ca_file: Annotated[
        str | None,
        Meaning(
            "A PEM file with certificates to trust besides the system's, for a company's own certificate "
            "authority.",
            default="none",
        ),
    ] = None
    proxy: Annotated[
        str | None,
        Meaning(
            "An HTTP proxy for requests to `https` addresses: `http://host:port`. Plain `http` addresses are on "
            "this machine and never use it. SOCKS isn't supported.",
            default="none",
        ),
    ] = None
    keymap: Annotated[
        dict[str, str], Meaning("Your own keys, by the id of the action.", see="configuration.md#keys")
    ] = field(default_factory=dict)
    views: Annotated[tuple[SavedView, ...], Meaning("Your own views.", see="configuration.md#saved-views")] = ()
    alerts: Annotated[
        tuple[AlertSetting, ...],
        Meaning(
            "Your own alerts on campaigns.",
            default="`failed > 3%`, `stalled > 60s`, `finished`",
            see="configuration.md#alerts-on-campaigns",
        ),
    ] = ()
    extensions: Extensions = NO_EXTENSIONS
    sla: object = ()


class ConfigTable(TypedDict, total=False):
    """The whole file, for its parsers and its reference."""

    default_profile: Annotated[
        str,
        Meaning("The profile that opens without a name; not needed if there is only one.", default="the only one"),
    ]
    profiles: Annotated[
        dict[str, ProfileTable],
        Meaning("A table for each account, by the name you give it.", see="configuration.md#profiles"),
    ]
    settings: Annotated[Settings, Meaning("Everything that isn't part of a profile.")]
    commands: Annotated[
        list[CommandSetting], Meaning("Your own programs, each started by a key.", see="own-commands.md")
    ]
    hooks: Annotated[
        list[HookSetting], Meaning("Your own programs, run when something happens.", see="own-commands.md#hooks")
    ]
    macros: Annotated[list[MacroTable], Meaning("Several actions on one key.", see="configuration.md#macros")]
    sla: Annotated[
        list[ServiceClockTable],
        Meaning(
            "When customers must have an answer, and tasks must be completed; the first that matches applies.",
            see="configuration.md#sla",
        ),
    ]
