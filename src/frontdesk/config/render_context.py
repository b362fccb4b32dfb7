"""The context of drawing rows: names, glyphs, zone and time, made again for each redraw."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from frontdesk.config.settings import BUILT_IN_STATUSES, Profile, StatusLabel, TagLabel
from frontdesk.text import relative_time
from frontdesk_api.contract.ids import AgentId, LineId, StatusId, TagId
from frontdesk_lines.display_text import SafeText, show_label, show_line, show_name, trusted
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Role, Span, sign
from frontdesk_lines.privacy import is_private

_CHANNELS = {
    "whatsapp": "WhatsApp",
    "messenger": "Messenger",
    "facebookmessenger": "Messenger",
    "instagram": "Instagram",
    "web": "Web",
    "webchat": "Web chat",
}


AGENT = "Agent"
"""The word before the number of an agent's alias."""


def channel_name(platform: str) -> str:
    """Return a channel's name, or the platform's own word for an unknown `platform`."""
    return _CHANNELS.get(platform.lower(), platform)


class Person(NamedTuple):
    """An agent that tasks can be assigned to; `name` is the id if the config has no name."""

    agent_id: AgentId
    name: str
    is_me: bool


class Catalogue:
    """The names of one profile."""

    def __init__(self, profile: Profile):
        self._profile = profile
        self._status_names = {each.id: each.name for each in profile.statuses}
        self._tags = {each.id: each for each in profile.tags}

    @property
    def me(self) -> AgentId | None:
        """The reader's agent id, or `None` to switch "mine" off."""
        return self._profile.agent_id

    @property
    def lines(self) -> Mapping[LineId, str]:
        return self._profile.lines

    def line(self, line_id: LineId | str | None) -> str:
        """Return a line's label, else its id; empty for a value that isn't an id, as loose fields may hold."""
        if not isinstance(line_id, str):
            return ""
        return self._profile.lines.get(LineId(line_id), line_id)

    def person(self, agent_id: AgentId) -> str:
        """Return an agent's name, else the id."""
        return self._profile.agents.get(agent_id, agent_id)

    def people(self, seen: Iterable[str]) -> list[Person]:
        """Return every person who may be assigned: me first, then by name."""
        ids = {AgentId(each) for each in seen} | set(self._profile.agents)
        if self.me is not None:
            ids.add(self.me)
        people = [Person(each, self.person(each), each == self.me) for each in ids]
        return sorted(people, key=lambda each: (not each.is_me, each.name.casefold()))

    def status(self, status_id: StatusId | str) -> str:
        """Return the name of a status, else its id."""
        return self._status_names.get(StatusId(status_id), status_id)

    def statuses(self, seen: Iterable[StatusId]) -> list[StatusLabel]:
        """Return the board's columns: in configured order, then those only seen in tasks, by id."""
        unnamed = sorted(set(seen) - set(self._status_names) - {StatusId("")})
        return [*self._profile.statuses, *(StatusLabel(each, each) for each in unnamed)]

    def custom_place(self, status_id: StatusId) -> int:
        """Return the index of a custom status in the config; for others, a fixed number made from the id."""
        custom = [each for each in self._status_names if each not in _BUILT_IN]
        return custom.index(status_id) if status_id in custom else crc32(status_id.encode(errors="replace"))

    def tag(self, tag_id: TagId) -> TagLabel:
        """Return a tag's title and colour; an unknown tag has its id for a title."""
        return self._tags.get(tag_id) or TagLabel(tag_id, tag_id)

    def tags(self, given: Iterable[TagId] = (), used: Sequence[TagId] = ()) -> list[TagLabel]:
        """Return every known tag: recently `used` first, then the config's, then others `given` to the target."""
        ids = dict.fromkeys([*used, *self._tags, *given])
        return [self.tag(each) for each in ids]


_INKS = ("#d75f5f", "#d7875f", "#af8700", "#5faf5f", "#00afaf", "#5f87d7", "#875fd7", "#d75faf")
"""Colours that are distinct on a dark and on a light background."""

_BUILT_IN = tuple(each.id for each in BUILT_IN_STATUSES)

_STATUS_ROLES = (Role.AGENT, Role.ACCENT, Role.GOOD)
"""The roles of the statuses open, in progress and completed."""

_CUSTOM_STATUS_ROLES = (Role.WARN, Role.LINE, Role.ACCENT)
"""Fewer than the signs of custom statuses, and no divisor of their number: only the 13th looks like the first."""


def tag_ink(tag: TagLabel) -> str:
    """Return a tag's colour: the config's, else one that its id always has."""
    return tag.color.strip() or _INKS[crc32(tag.id.encode(errors="replace")) % len(_INKS)]


MAX_ID_LETTERS = 7
"""The maximum number of letters of an agent's id that are shown in place of initials."""


class RenderContext(NamedTuple):
    """The context of one redraw.

    Attributes:
        keys: keys of the person's keymap, by action id, for texts that name a key.
        engine_process: the process id of the engine that this process has started; 0 if none runs.
        is_engine_replaced: whether that engine hung and a new one hasn't had its time to report.
    """

    names: Catalogue
    glyphs: Glyphs
    now: float
    zone: tzinfo
    keys: Mapping[str, str] = MappingProxyType({})
    engine_process: int = 0
    is_engine_replaced: bool = False

    def key(self, name: str, usual: str) -> str:
        """Return the key of this action, for people."""
        return self.keys.get(name, usual)

    def day_and_time(self, at: float) -> str:
        return f"{self.day(at)} {relative_time.clock(at, self.zone)}"

    def when(self, at: float, *, is_short: bool = False) -> str:
        """Return a near moment; see `relative_time.when`, as for the others."""
        return relative_time.when(at, self.now, self.zone, is_short=is_short)

    def stamp(self, at: float | None) -> str:
        return relative_time.stamp(at, self.now, self.zone)

    def day(self, at: float) -> str:
        return relative_time.day(at, self.now, self.zone)

    def full_moment(self, at: float) -> str:
        return relative_time.full_moment(at, self.now, self.zone)

    def past_moment(self, at: float) -> str:
        return relative_time.past_moment(at, self.now, self.zone)

    def due(self, at: float | None, *, is_short: bool = False) -> Span | None:
        return relative_time.due(at, self.now, self.zone, is_short=is_short)

    def spoken_moment(self, at: float | None) -> str:
        return relative_time.spoken_moment(at, self.now, self.zone)

    def status_sign(self, status_id: StatusId | str) -> Span:
        """Draw the sign of a status, with a shape and a colour of its own, as the board's columns have it."""
        if status_id in _BUILT_IN:
            place = _BUILT_IN.index(StatusId(status_id))
            return sign(self.glyphs.statuses[place], _STATUS_ROLES[place])
        signs, place = self.glyphs.statuses[len(_BUILT_IN) :], self.names.custom_place(StatusId(status_id))
        return sign(signs[place % len(signs)], _CUSTOM_STATUS_ROLES[place % len(_CUSTOM_STATUS_ROLES)])

    def tag_sign(self, tag_id: TagId) -> Span:
        return sign(self.glyphs.tag)._replace(ink=tag_ink(self.names.tag(tag_id)))

    def initials(self, agent_id: AgentId) -> SafeText:
        """Return an agent's initials; "me" for the reader, and a short form of the id if there is no name."""
        if agent_id == self.names.me:
            return trusted("me")
        if is_private():
            return trusted(re.sub(r"(\w)\w* ", r"\1", self.name(agent_id).text))
        if (name := self.names.person(agent_id)) == agent_id:
            return show_line(re.sub(r"^(agent|user)[\W_]+|@.*", "", agent_id) or agent_id, MAX_ID_LETTERS)
        words = [each for each in re.split(r"[\W_]+", name) if each]
        letters = [each[0] for each in (words[:1] + words[-1:] if len(words) > 1 else words)]
        return show_line("".join(letters).upper() or agent_id, 4)

    def person(self, agent_id: AgentId) -> SafeText:
        """Return an agent's name; "you" for the reader."""
        return trusted("you") if agent_id == self.names.me else self.name(agent_id)

    def name(self, agent_id: AgentId) -> SafeText:
        return show_name(self.names.person(agent_id), 30, kind=AGENT, key=agent_id)

    def colleague(self, agent_id: str, desk: str) -> SafeText:
        """Return the name of the person at a machine, or the machine's name if the person's is unknown."""
        known = agent_id and self.names.person(AgentId(agent_id)) != agent_id
        return self.name(AgentId(agent_id)) if known else show_line(desk, 24)

    def status(self, status_id: StatusId | str, limit: int = 40) -> SafeText:
        """Return the name of a status; an unknown one is an outside text."""
        name = self.names.status(status_id)
        return (show_line if name == status_id and name not in _BUILT_IN else show_label)(name, limit)

    def tag(self, tag_id: TagId, limit: int = 40) -> SafeText:
        """Return a tag's title; an unknown tag's id is an outside text."""
        title = self.names.tag(tag_id).title
        return (show_line if title == tag_id else show_label)(title, limit)

    def line(self, line_id: object, limit: int = 60) -> SafeText:
        """Return a line's label; its id is an outside text, since it contains a number."""
        name = self.names.line(line_id if isinstance(line_id, str) else None)
        return (show_line if name == line_id else show_label)(name, limit)

    def channel(self, platform: str) -> SafeText:
        """Return a channel's name; an unknown one is an outside text."""
        return (show_label if platform.lower() in _CHANNELS else show_line)(channel_name(platform), 40)
