"""KeymapCommands: the command palette's entries, made from the same table as keys and help."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import on
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList

from frontdesk.present.lines import Role, span
from frontdesk.tui.keymap import DEFAULT, Key, Keymap
from frontdesk.tui.safe import content


class Palette(CommandPalette):
    """Textual's palette, answered once: of two enters in one burst the second finds it closed."""

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _once(self, event: Message) -> None:
        """Runs before Textual's own handlers, and keeps from them what comes after the answer."""
        if not self.is_current:
            event.prevent_default()


class KeymapCommands(Provider):
    """Every key of the table as a command; `for_keymap` makes one for a keymap with overrides."""

    keymap: ClassVar[Keymap] = DEFAULT

    @classmethod
    def for_keymap(cls, keymap: Keymap) -> type["KeymapCommands"]:
        """The same provider on another keymap."""
        return type("KeymapCommands", (cls,), {"keymap": keymap})

    async def discover(self) -> Hits:
        """All commands, before anything is typed."""
        for key in self._live():
            yield DiscoveryHit(_prompt(key), partial(self._run, key), text=key.help, help=_place(key))

    async def search(self, query: str) -> Hits:
        """The commands whose words match."""
        matcher = self.matcher(query)
        for key in self._live():
            # The short name weighs more: "status" means the command of that name first.
            if (score := max(matcher.match(key.label) * 1.5, matcher.match(key.help))) > 0:
                yield Hit(score, _prompt(key), partial(self._run, key), text=key.help, help=_place(key))

    def _live(self) -> Iterable[Key]:
        """The keys whose actions are declared where the focus was."""
        active = {active.binding.id for active in self.screen.active_bindings.values()}
        return [key for key in self.keymap if key.id in active and key.id != "app.palette"]

    async def _run(self, key: Key) -> None:
        for active in self.screen.active_bindings.values():
            if active.binding.id == key.id:
                await self.app.run_action(active.binding.action, default_namespace=active.node)
                return


def _prompt(key: Key) -> Content:
    return content((span(key.help), span(f"  {key.shown_key}", Role.ACCENT)))


def _place(key: Key) -> str:
    return f"{key.group} · {key.id}"
