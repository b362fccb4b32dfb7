"""The query language of views and filters: `is:unread waiting>1h line:service !spam ~dnl "exact words"`.

All terms have to hold; `!` or `-` inverts one.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from string import ascii_lowercase
from typing import NamedTuple

from frontdesk.config.render_context import channel_name
from frontdesk.config.settings import ConfigError, Profile, SavedView
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.storage.coverage import Coverage, Precision
from frontdesk.text.fuzzy import (
    MAX_TERMS,
    flag_refusal,
    key_refusal,
    may_be_id,
    name_refusal,
    nearest,
    text_refusal,
)
from frontdesk.text.normalize import normalize, split_words
from frontdesk.text.relative_time import WINDOW
from frontdesk_api.contract.ids import LineId

DAY = 86_400
_UNITS = {"m": 60, "h": 3_600, "d": DAY, "w": 7 * DAY}


class QueryField(StrEnum):
    """A field of a term."""

    TEXT = "text"
    FUZZY = "fuzzy"
    IS = "is"
    LINE = "line"
    AGENT = "agent"
    TAG = "tag"
    STATUS = "status"
    WAITING = "waiting"
    ACTIVE = "active"
    DUE = "due"
    WINDOW = "window"
    SLA = "sla"


NAMED = (QueryField.LINE, QueryField.AGENT, QueryField.TAG, QueryField.STATUS)
AGES = (QueryField.WAITING, QueryField.ACTIVE, QueryField.DUE, QueryField.WINDOW, QueryField.SLA)
FLAGS = ("mine", "mentioned", "unassigned", "unread", "waiting", "overdue", "task", "pending", "snoozed")
"""The values of `is:`."""

_ABOUT_ME = ("mine", "mentioned")
_FLAGS_OF_THREADS = ("unread", "waiting")

NEVER = QueryTerm(ConditionField.WORDS)
"""A term that no conversation fulfils."""


class ViewTerm(NamedTuple):
    """A condition; `value` is the text behind the colon, or the words; an age has its sign, as `>1h`."""

    what: QueryField
    value: str
    inverse: bool = False

    @property
    def is_of_threads(self) -> bool:
        """Return whether it stands on what was read of threads."""
        if self.what is QueryField.IS:
            return self.value in _FLAGS_OF_THREADS
        return self.what in (QueryField.TEXT, QueryField.WAITING, QueryField.WINDOW, QueryField.SLA)

    def __str__(self) -> str:
        written = {QueryField.TEXT: "", QueryField.FUZZY: "~", **dict.fromkeys(AGES, str(self.what))}.get(
            self.what, f"{self.what}:"
        )
        quoted = self.value if self.what in AGES or _is_plain(self) else f'"{self.value}"'
        return f"{'!' if self.inverse else ''}{written}{quoted}"


class Query(NamedTuple):
    """A parsed query; `faults` are sentences about the parts that are left out."""

    terms: tuple[ViewTerm, ...] = ()
    faults: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    @property
    def words(self) -> str:
        """Return the words that have to be in a text, for `highlights`."""
        texts = (QueryField.TEXT, QueryField.FUZZY)
        return " ".join(_joined(each.value) for each in self.terms if each.what in texts and not each.inverse)

    @property
    def is_about_words(self) -> bool:
        """Return whether it searches texts, so that indexing changes its result."""
        return any(term.what in (QueryField.TEXT, QueryField.FUZZY) for term in self.terms)


def is_of_threads(*queries: Query) -> bool:
    """Return whether any of these stands on what was read of threads."""
    return any(term.is_of_threads for query in queries for term in query.terms)


def precision(coverage: Coverage, *queries: Query) -> Precision:
    """Return how far to trust the count of what matches all of these."""
    inverse = any(term.is_of_threads and term.inverse for query in queries for term in query.terms)
    return coverage.precision(
        of_threads=is_of_threads(*queries), is_inverse=inverse, of_clocks=has_clocks(*queries)
    )


def has_clocks(*queries: Query) -> bool:
    return any(term.what is QueryField.SLA for query in queries for term in query.terms)


class View(NamedTuple):
    """A named query.

    Attributes:
        off: the reason why it can't be used, or empty.
        shared_name: of one that the team shares, the name alone; `name` has who shares it, too.
    """

    name: str
    query: Query
    off: str = ""
    shared_name: str = ""
    author: str = ""


ALL = View("all", Query())
BUILT_IN = (
    SavedView("mine", "is:mine"),
    SavedView("unassigned", "is:unassigned"),
    SavedView("overdue", "is:overdue"),
    SavedView("waiting > 1h", "waiting>1h"),
)
"""The views of the program; one of the config by the same name replaces one of these."""

SLA_VIEW = SavedView("sla < 15m", "sla<15m")
"""The view of the program for a config with service clocks."""

_TERM = re.compile(
    r"""(?P<inverse>[!-]?)(?:
    (?P<age>(?i:waiting|active|due|window|sla))\s*(?P<sign>[<>])\s*(?P<number>\d{1,5})\s*(?P<unit>[mhdwMHDW])(?=\s|$)
    |(?P<comparison>(?:(?i:waiting|active|due|window|sla)\s*|[A-Za-z]+)[<>]=?(?:\s*[^\s<>!"-][^\s"]*|[^\s"]*))
    |(?P<key>[A-Za-z]+):(?:"(?P<quoted_value>[^"]*)(?:"|$)|(?P<value>(?!//)[^\s"]*))
    |(?P<fuzzy>~)?(?:"(?P<quoted>[^"]*)(?:"|$)|(?P<word>[^\s"]+))
    )""",
    re.VERBOSE,
)


def parse(written: str) -> Query:
    """Parse a query; what can't be used is among the faults."""
    terms: list[ViewTerm] = []
    faults: list[str] = []
    signs: list[str] = []
    at = 0
    while at < len(written):
        if (found := _TERM.match(written, at)) is None:
            at += 1  # a blank
            continue
        at = found.end()
        made = _term(found)
        if isinstance(made, ViewTerm):
            terms.append(made)
        elif made:
            faults.append(made)
        else:
            signs.append(found[0])
    if signs and not any(each.what is QueryField.TEXT for each in terms):
        faults.append(text_refusal(signs[0]))
    different = tuple(dict.fromkeys(terms))
    if len(different) > MAX_TERMS:
        faults.append(f"only the first {MAX_TERMS} terms are used")
    return Query(different[:MAX_TERMS], tuple(dict.fromkeys(faults)))


def views(saved: Sequence[SavedView], profile: Profile, *, has_sla: bool = False) -> tuple[View, ...]:
    """Return the view of all, the built-in views and those of the config, in this order.

    Raises:
        ConfigError: one can't be used; the message names its key.
    """
    made: dict[str, View] = {}
    built_in = (*BUILT_IN, SLA_VIEW) if has_sla else BUILT_IN
    named = {each.name: each for each in built_in} | {each.name: each for each in saved}
    for at, each in enumerate(saved):
        _require_usable(each, f"settings.views[{at}].")
    for each in named.values():
        query = parse(each.match)
        why = off(query, profile, has_sla=has_sla)
        made[each.name] = View(each.name, query, f"{each.name}: {why}" if why else "")
    return (ALL, *made.values())


def name_fault(name: str) -> str:
    is_reserved = name.casefold() == ALL.name
    return f"{ALL.name!r} is reserved for the view of all conversations" if is_reserved else ""


def match_fault(match: str) -> str:
    query = parse(match)
    if query.faults:
        return query.faults[0]
    if not query.terms:
        return "nothing to search for"
    for term in query.terms:
        if term.what is QueryField.TEXT and term.value.lower() in FLAGS and f'"{term.value}"' not in match:
            return f'{term.value!r} searches for that word; write is:{term.value}, or "{term.value}"'
    return ""


def letters(made: Sequence[View]) -> dict[str, View]:
    """Give each view a letter: the first of its name that is free, else any."""
    given: dict[str, View] = {}
    for view in made:
        name = [each for each in view.name.casefold() if each in ascii_lowercase]
        free = (each for each in (*name, *ascii_lowercase) if each not in given)
        if (letter := next(free, None)) is not None:
            given[letter] = view
    return given


def off(query: Query, profile: Profile, *, has_sla: bool) -> str:
    """Return why a query can't be used with this profile and config, or an empty string."""
    if has_clocks(query) and not has_sla:
        return "needs an SLA: [[sla]] in the config"
    return "needs agent_id in the profile" if _is_about_me(query) and not profile.agent_id else ""


_STEADY_FLAGS = ("unassigned", "task")


def policy_fault(written: str, profile: Profile) -> str:
    """Return why a filter can't choose the conversations of a service policy, or an empty string.

    A match may depend on nothing that changes by itself with time, and on no person who looks at it.
    """
    query = parse(written)
    if query.faults:
        return query.faults[0]
    for each in query.terms:
        is_steady = each.what in NAMED or (each.what is QueryField.IS and each.value in _STEADY_FLAGS)
        if not is_steady or _is_about_me(Query((each,))):
            keys = ", ".join(f"{key}:" for key in NAMED)
            return f"{each} can't choose an SLA; use {keys}, is:unassigned or is:task"
    return next(iter(unknown_names(query, profile, {})), "")


def unknown_names(query: Query, profile: Profile, channels: Mapping[LineId, str]) -> tuple[str, ...]:
    """Return a sentence for each line, agent, tag or status of a query that nothing known is called.

    Args:
        channels: the channel of each line of known conversations; a part of a line's id may be typed.
    """
    known = _known_names(profile)
    known[QueryField.LINE] = {**{str(each): str(each) for each in channels}, **known[QueryField.LINE]}
    faults: list[str] = []
    for term in query.terms:
        named = known.get(term.what)
        if not named or (term.what is QueryField.AGENT and term.value.casefold() == "me"):
            continue
        is_part_of_id = term.what is QueryField.LINE and any(term.value in each for each in named)
        if not (_ids_named(term.value, named) or is_part_of_id or may_be_id(term.value)):
            names = list(named.values())
            if term.what is QueryField.LINE:
                names = [_with_channel(name, channels.get(LineId(each), "")) for each, name in named.items()]
            faults.append(name_refusal(str(term.what), term.value, names))
    return tuple(faults)


def _with_channel(name: str, platform: str) -> str:
    channel = channel_name(platform) if platform else ""
    return f"{name} ({channel})" if channel.casefold() not in name.casefold() else name


def wanted(query: Query, profile: Profile, now: float) -> tuple[QueryTerm, ...]:
    """Return the store's conditions for a query, at a time in Unix seconds and for the person of a profile."""
    texts = [_joined(term.value) for term in query.terms if term.what is QueryField.TEXT and not term.inverse]
    # Words have to stand together: in one message, one task or one name.
    found = [QueryTerm(ConditionField.WORDS, words=" ".join(texts))] if texts else []
    for term in query.terms:
        if term.what is not QueryField.TEXT or term.inverse:
            found.append(_wanted(term, profile, now))
    return tuple(found)


def _term(found: re.Match[str]) -> ViewTerm | str:
    """Return a term, or why it is refused; empty for a sign between words, which no search looks at."""
    inverse = bool(found["inverse"])
    if found["age"]:
        value = f"{found['sign']}{int(found['number'])}{found['unit'].lower()}"
        return ViewTerm(QueryField(found["age"].lower()), value, inverse)
    if found["comparison"]:
        return _comparison_refusal(found["comparison"])
    if found["key"]:
        value = " ".join((found["quoted_value"] or found["value"] or "").split())
        return _keyed(found["key"].lower(), value, inverse)
    value = " ".join((found["quoted"] or found["word"] or "").split())
    if not split_words(value):
        is_between = not found["fuzzy"] and found["quoted"] is None and found[0] not in ("!", "~")
        return "" if is_between else text_refusal(found[0])
    return ViewTerm(QueryField.FUZZY if found["fuzzy"] else QueryField.TEXT, value, inverse)


def _keyed(key: str, value: str, inverse: bool) -> ViewTerm | str:
    if key in AGES:
        return _age_refusal(f"{key}:{value}", key)
    if key not in (QueryField.IS, *NAMED):
        return key_refusal(key, (QueryField.IS, *NAMED))
    if key == QueryField.IS and value.lower() not in FLAGS:
        return flag_refusal(value, FLAGS)
    if not value:
        return f"{key}: needs a name or an id"
    return ViewTerm(QueryField(key), value.lower() if key == QueryField.IS else value, inverse)


def _comparison_refusal(written: str) -> str:
    name = re.split(r"[\s<>]", written, maxsplit=1)[0].lower()
    near = [name] if name in AGES else nearest(name, AGES)
    if near:
        return _age_refusal(written, near[0])
    return f"{written}: only {', '.join(AGES)} compare; quote text with < or >"


def _age_refusal(written: str, key: str) -> str:
    return f"{' '.join(written.split())}: write {key}<30m, {key}>1h or {key}>2d"


def _is_plain(term: ViewTerm) -> bool:
    value = term.value
    if not value or any(sign.isspace() for sign in value):
        return False
    if term.what is not QueryField.TEXT:
        return term.what is QueryField.FUZZY or not value.startswith("//")
    # Behind a word such as `due` a sign would compare; a flag's word looks like a mistake for `is:`.
    if value[0] in "<>" or value.lower() in FLAGS:
        return False
    return parse(value) == Query((ViewTerm(QueryField.TEXT, value),))


def _require_usable(each: SavedView, where: str) -> None:
    for key, fault in (("match", match_fault(each.match)), ("name", name_fault(each.name))):
        if fault:
            raise ConfigError(f"{where}{key}: {fault}")


def _is_about_me(query: Query) -> bool:
    return any(
        (term.what is QueryField.IS and term.value in _ABOUT_ME)
        or (term.what is QueryField.AGENT and term.value.casefold() == "me")
        for term in query.terms
    )


def _wanted(term: ViewTerm, profile: Profile, now: float) -> QueryTerm:
    if term.what is QueryField.IS:
        made = _flag(term.value, profile, now)
    elif term.what in AGES:
        made = _age(term, now)
    elif term.what in NAMED:
        made = _named(term, profile)
    else:
        field = ConditionField.FUZZY if term.what is QueryField.FUZZY else ConditionField.WORDS
        made = QueryTerm(field, words=_joined(term.value))
    return made._replace(inverse=True) if term.inverse else made


def _flag(value: str, profile: Profile, now: float) -> QueryTerm:
    if value in _ABOUT_ME:
        field = ConditionField.PERSON if value == "mine" else ConditionField.CALLED
        return QueryTerm(field, ids=(profile.agent_id,)) if profile.agent_id else NEVER
    if value == "overdue":
        return QueryTerm(ConditionField.DUE, until=now)
    if value == "snoozed":
        return QueryTerm(ConditionField.SNOOZED, after=now)
    return QueryTerm(ConditionField.NOBODY if value == "unassigned" else ConditionField(value))


def _age(term: ViewTerm, now: float) -> QueryTerm:
    seconds = int(term.value[1:-1]) * _UNITS[term.value[-1]]
    is_less = term.value[0] == "<"
    if term.what in (QueryField.DUE, QueryField.SLA):
        field = ConditionField(term.what)
        return QueryTerm(field, until=now + seconds) if is_less else QueryTerm(field, after=now + seconds)
    if term.what is QueryField.WINDOW:
        opened, left = now - WINDOW, now - WINDOW + seconds
        after, until = (opened, left) if is_less else (left, None)
        return QueryTerm(ConditionField.HEARD, after=after, until=until)
    field = ConditionField.WAITING if term.what is QueryField.WAITING else ConditionField.ACTIVE
    return QueryTerm(field, after=now - seconds) if is_less else QueryTerm(field, until=now - seconds)


_NAMED_CONDITIONS = {
    QueryField.LINE: ConditionField.LINE,
    QueryField.AGENT: ConditionField.PERSON,
    QueryField.TAG: ConditionField.TAG,
    QueryField.STATUS: ConditionField.STATUS,
}


def _known_names(profile: Profile) -> dict[QueryField, dict[str, str]]:
    return {
        QueryField.LINE: {str(each): name for each, name in profile.lines.items()},
        QueryField.AGENT: {str(each): name for each, name in profile.agents.items()},
        QueryField.TAG: {each.id: each.title for each in profile.tags},
        QueryField.STATUS: {each.id: each.name for each in profile.statuses},
    }


def _named(term: ViewTerm, profile: Profile) -> QueryTerm:
    """Match ids exactly, else all names of the config that contain the value."""
    if term.what is QueryField.AGENT and term.value.casefold() == "me":
        return _flag("mine", profile, 0)
    ids = _ids_named(term.value, _known_names(profile)[term.what])
    return QueryTerm(_NAMED_CONDITIONS[term.what], term.value, ids)


def _ids_named(value: str, names: Mapping[str, str]) -> tuple[str, ...]:
    if value in names:
        return (value,)
    words = normalize(value)
    return tuple(each for each, name in names.items() if words and words in normalize(name))


def _joined(value: str) -> str:
    return "-".join(value.split())
