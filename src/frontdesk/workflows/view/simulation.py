"""A dry run in words: its events as labelled lines, and its state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from frontdesk.text.relative_time import MINUTE, duration_words
from frontdesk_flows.document import NODE_TYPES, STEP_TYPES
from frontdesk_flows.graph import ON_BEGINNING, ON_MESSAGE, ON_TAG, Exit, RuntimeNode
from frontdesk_flows.simulation.script import Let, ScriptAction, ScriptStep
from frontdesk_flows.simulation.trace import DryRun, EventKind, Reason, SimulationEvent, SimulationState
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, show_line, trusted
from frontdesk_lines.glyphs import UNICODE, Glyphs
from frontdesk_lines.lines import Line, Role, Span, crop, fit, json_text, paragraph, span, width_of

MAX_WAYS = 20

_MANUAL = "Manual Trigger"
_LABEL = 10
_ROOMY = 40
_NAME_LIMIT = 60
_MESSAGE_LETTERS, _MESSAGE_LINES = 2_000, 40
_RAW_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class SimulationLine:
    """A line of a dry run before it is laid out.

    Attributes:
        depth: a level for each workflow that was pointed to, one more below a node.
        label: a word; a node's line has a sign instead.
        is_node: whether it is a node that was entered.
    """

    depth: int
    label: str
    words: tuple[Span, ...]
    is_node: bool = False


def transcript(run: DryRun, glyphs: Glyphs = UNICODE) -> list[SimulationLine]:
    return [line for each in run.events for line in _event_lines(run, each, glyphs)]


def transcript_lines(
    entry: Sequence[SimulationLine], width: int, *, current: SimulationLine | None = None
) -> list[Line]:
    """Return the transcript wrapped to a width; `current` is the current node."""
    return [line for each in entry for line in _wrap_line(each, max(1, width), is_current=each is current)]


def plain_transcript(entry: SimulationLine) -> SafeText:
    prefix = (
        f"{entry.label} " if entry.is_node else f"{entry.label:<{_LABEL}}" if entry.label or entry.depth else ""
    )
    words = "".join(each.text.text for each in entry.words)
    return SafeText("  " * entry.depth + prefix + words)


def status_lines(run: DryRun, glyphs: Glyphs = UNICODE) -> list[SimulationLine]:
    """Return the state of the run, the answers or ways that can be chosen, and remarks on it."""
    rows: list[tuple[Span, ...]] = [
        (span(show_line(sentence, 400), role),) for sentence, role in _state_sentences(run)
    ]
    if run.state in (SimulationState.ANSWER, SimulationState.CHOICE):
        rows += [_way_spans(number, each) for number, each in enumerate(run.ways[:MAX_WAYS], start=1)]
        if (more := len(run.ways) - MAX_WAYS) > 0:
            rows.append((span(f"  and {more:,} more", Role.DIM),))
    if run.not_known:
        names = ", ".join(f"{{{{{each}}}}}" for each in run.not_known)
        rows.append((span(f"{glyphs.warning} No value for ", Role.WARN), span(show_line(names))))
    return [SimulationLine(0, "", row) for row in rows]


def position_words(run: DryRun) -> SafeText:
    """Return the current node, or how the run ended, in a few words."""
    if run.state is SimulationState.TO_BEGIN or run.at is None:
        return trusted(str(run.state))
    return show_line(f"{run.state} at {_node_name(run.at)}", 120)


def step_words(run: DryRun, meaning: ScriptStep | Let | None) -> SafeText:
    if isinstance(meaning, Let):
        return show_line(f"{{{{{meaning.name}}}}} is {meaning.value or 'empty'} from the start", 120)
    if meaning is None:
        return trusted(_NOTHING_TYPED.get(run.state, "Run finished. Backspace removes the last step."))
    match meaning.action:
        case ScriptAction.BEGIN:
            return show_line(f'Start with "{run.keywords[0]}"' if run.keywords else "Start", 120)
        case ScriptAction.SILENCE | ScriptAction.WAIT:
            return trusted(f"Let {duration(meaning.seconds or run.seconds_left)} pass")
        case ScriptAction.PRESS:
            return show_line(f"The customer presses {_way_named(run, meaning.words)}", 120)
        case ScriptAction.CHOOSE:
            return show_line(f"Take the exit {_way_named(run, meaning.words)}", 120)
        case _:
            return show_line(f'The customer says "{meaning.words}"', 120)


_NOTHING_TYPED = {
    SimulationState.ANSWER: "Type a reply, an answer's number, or +2h to let time pass.",
    SimulationState.CHOICE: "Type the number of an exit.",
    SimulationState.CANNOT_RUN: "This workflow can't run.",
}


def duration(seconds: float) -> str:
    """Return a length of time, with seconds if it is short."""
    if seconds < MINUTE:
        return f"{seconds:g} s"
    rest = int(seconds % MINUTE)
    return f"{duration_words(seconds)} {rest} s" if rest else duration_words(seconds)


def trigger_words(run: DryRun) -> str:
    if run.event == ON_MESSAGE:
        if run.keywords:
            return f"a customer's message contains {_either(run.keywords)}"
        return "a customer writes anything"
    if run.event == ON_BEGINNING:
        return "a customer writes for the first time"
    if run.event == ON_TAG:
        return f"the tag {_either(run.keywords)} is added" if run.keywords else "a tag is added"
    if run.event == _MANUAL:
        return "a campaign or a person starts it"
    return f'the event "{run.event}" happens' if run.event else "an event happens, but its trigger names none"


def _event_lines(run: DryRun, each: SimulationEvent, glyphs: Glyphs) -> Iterator[SimulationLine]:
    inside = each.depth + 1
    match each.event:
        case EventKind.ENTERED:
            yield SimulationLine(each.depth, glyphs.current, _node_spans(each.node), is_node=True)
            if each.node is not None and each.node.type not in STEP_TYPES:
                yield SimulationLine(
                    inside, "", (span("unknown node type; continuing to the next node", Role.WARN),)
                )
        case EventKind.SENT:
            yield from _sent_lines(each, inside)
        case EventKind.DID:
            known = NODE_TYPES.get(each.kind)
            label = (known.run_label if known is not None else "") or "does"
            yield SimulationLine(inside, label, (span(_action_words(each)),))
        case EventKind.TOOK:
            yield SimulationLine(inside, "takes", _exit_taken(each))
        case EventKind.WAITS:
            length = duration(each.seconds)
            wait = f"up to {length} for an answer" if each.kind == "answer" else length
            yield SimulationLine(inside, "waits", (span(wait),))
        case _:
            label, words = _other_event(run, each, glyphs)
            is_customers = each.event in (EventKind.SAID, EventKind.PRESSED, EventKind.PASSED, EventKind.ASSUMED)
            depth = 0 if is_customers else each.depth
            yield SimulationLine(depth, label, words)


def _other_event(run: DryRun, each: SimulationEvent, glyphs: Glyphs) -> tuple[str, tuple[Span, ...]]:
    words = show_line(each.text, 1_000)
    match each.event:
        case EventKind.ASSUMED:
            return "assumed", (span(words, Role.WARN),)
        case EventKind.SAID:
            return "customer", (span("says ", Role.DIM), span(words, Role.CUSTOMER))
        case EventKind.PRESSED:
            return "customer", (span("presses ", Role.DIM), span(words or _unnamed(each.exit), Role.CUSTOMER))
        case EventKind.PASSED:
            since = f", {duration(each.elapsed)} since the start" if each.elapsed > each.seconds else ""
            return "time", (span(f"{duration(each.seconds)} later"), span(since, Role.DIM))
        case EventKind.UNHEARD:
            return "", (span("ignored: it is waiting for time to pass", Role.WARN),)
        case EventKind.NOT_BEGUN:
            return "", (span(f"it doesn't start: the message doesn't contain {_either(run.keywords)}", Role.WARN),)
        case EventKind.BEGAN:
            return "starts", (span(_start_words(run, each)),)
        case EventKind.AGAIN:
            return "again", (span("no match: the question is asked again"),)
        case EventKind.RUNS:
            return "runs", (span(show_line(each.workflow_id, _NAME_LIMIT), Role.STRONG),)
        case _:
            back = span(f"{glyphs.becomes.strip()} back from ", Role.DIM)
            return "returns", (back, span(show_line(each.workflow_id, _NAME_LIMIT)))


def _start_words(run: DryRun, each: SimulationEvent) -> SafeText:
    if run.event == ON_MESSAGE:
        return show_line(f'on the keyword "{each.text}"' if each.text else "on any message")
    if run.event == ON_TAG and each.text:
        return show_line(f'on the tag "{each.text}"')
    return show_line(f"on {run.event}" if run.event else "on an unnamed event")


def _sent_lines(each: SimulationEvent, depth: int) -> Iterator[SimulationLine]:
    if each.kind == "ai":
        agent = each.data.get("aiAgentId")
        yield SimulationLine(depth, "AI agent", (span(show_line(f"{agent or 'it'} replies in its own words")),))
    label = "sends"
    for line in body_lines(each.text or None, _MESSAGE_LETTERS, _MESSAGE_LINES):
        yield SimulationLine(depth, label, (span(line, Role.BOT),))
        label = ""
    if each.data.get("messageType") == "template":
        name = each.data.get("templateName")
        yield SimulationLine(
            depth, "", (span(show_line(f"as the template {name}" if name else "as a template"), Role.DIM),)
        )
    if each.choices:
        shown = " · ".join(each.choices[:MAX_WAYS]) + (" · …" if len(each.choices) > MAX_WAYS else "")
        yield SimulationLine(depth, "offers", (span(show_line(shown, 1_000)),))


def _action_words(each: SimulationEvent) -> SafeText:
    data = each.data
    if each.kind == "assignTags" and isinstance(tags := data.get("tagIds"), list):
        return show_line(", ".join(str(tag) for tag in tags[:MAX_WAYS]) or "none")
    if each.kind == "task":
        hours = data.get("dueInHours")
        due = f", due in {hours:g} h" if isinstance(hours, int | float) and not isinstance(hours, bool) else ""
        return show_line(f'"{each.text}"{due}' if each.text else f"(no title){due}", 300)
    if each.kind == "httpRequest":
        method, url = (data.get(name) for name in ("method", "url"))
        rest = {name: value for name, value in data.items() if name not in ("method", "url")}
        request = " ".join(part for part in (method, url) if isinstance(part, str)) or "no address set"
        return show_line(f"{request}{' ' + _format_value(rest) if rest else ''} (not sent)", 400)
    if {"field", "value"} <= set(data):
        return show_line(f"{data['field']} = {_format_value(data['value'])}", 300)
    return show_line(
        ", ".join(f"{name} {_format_value(value)}" for name, value in data.items()) or "no details", 300
    )


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value[:_RAW_LIMIT]
    return json_text(value, _RAW_LIMIT, None)[0]


_REASONS = {
    Reason.TITLE: ", matched by title",
    Reason.PAYLOAD: ", matched by payload",
    Reason.NOTHING_FITS: ": no match",
    Reason.SILENCE: ": no answer",
    Reason.CHOSEN: ", chosen: {} can't be evaluated",
    Reason.ASSUMED: ", assumed: {} can't be evaluated",
}


def _exit_taken(each: SimulationEvent) -> tuple[Span, ...]:
    title = each.exit.title if each.exit is not None else ""
    name = show_line(f'"{title}"', _NAME_LIMIT) if title else _unnamed(each.exit)
    kind = each.reason or Reason.CONDITION
    if kind is Reason.CONDITION:
        reason = f"; condition: {each.text}" if each.text else ", based on its condition"
    else:
        reason = _REASONS[kind].format(each.text or "the condition")
    role = Role.WARN if each.reason is Reason.ASSUMED else Role.DIM
    return Span(name), Span(show_line(reason, 300), role)


def _state_sentences(run: DryRun) -> Iterator[tuple[str, Role]]:
    at = _node_name(run.at) if run.at is not None else ""
    after = f" after {duration(run.elapsed)}" if run.elapsed else ""
    match run.state:
        case SimulationState.TO_BEGIN:
            yield f"It starts when {trigger_words(run)}.", Role.TEXT
        case SimulationState.ANSWER:
            offered = ":" if run.ways else "; any answer will do."
            yield f"Waiting for an answer at {at}, {duration(run.seconds_left)} left{offered}", Role.STRONG
        case SimulationState.TIME:
            yield f"Waiting at {at}, {duration(run.seconds_left)} left.", Role.STRONG
        case SimulationState.CHOICE:
            condition = run.condition or "the condition"
            yield f"Choose an exit at {at}; {condition} can't be evaluated:", Role.WARN
        case SimulationState.COMPLETED:
            yield f"Completed at {at}{after}.", Role.GOOD
        case SimulationState.DROPPED:
            yield f"Dropped at {at}{after}: {run.reason}.", Role.BAD
        case SimulationState.UNKNOWN:
            yield f"Stopped at {at}: {run.reason}.", Role.WARN
        case SimulationState.CANNOT_RUN:
            yield f"Can't run: {run.reason}.", Role.BAD


def _node_spans(node: RuntimeNode | None) -> tuple[Span, ...]:
    if node is None:
        return (span("a node that no longer exists", Role.WARN),)
    title = span(show_line(node.title, _NAME_LIMIT), Role.STRONG) if node.title else span("(no title)", Role.DIM)
    rest = " · ".join(each for each in (node.type, node.id) if each)
    return title, span(show_line(f" · {rest}", 120), Role.DIM)


def _node_name(node: RuntimeNode) -> str:
    return f'"{node.title[:_NAME_LIMIT]}"' if node.title else node.id[:_NAME_LIMIT]


def _way_spans(index: int, way: Exit) -> tuple[Span, ...]:
    return span(f"  {index} ", Role.ACCENT), span(show_line(way.title, 80) or _unnamed(way))


def _unnamed(way: Exit | None) -> SafeText:
    return NOTHING if way is None else show_line(f"{way.id} (no title)", _NAME_LIMIT)


def _way_named(run: DryRun, words: str) -> str:
    index = int(words) - 1 if words.isdecimal() else -1
    return f'"{run.ways[index].title}"' if 0 <= index < len(run.ways) and run.ways[index].title else words


def _quoted(words: Sequence[str]) -> list[str]:
    return [f'"{each[:_NAME_LIMIT]}"' for each in words[:8]]


def _either(words: Sequence[str]) -> str:
    shown = _quoted(words)
    if len(words) > 8:
        return f"{', '.join(shown)} or one of {len(words) - 8:,} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _wrap_line(entry: SimulationLine, width: int, *, is_current: bool) -> Iterator[Line]:
    """Wrap a line; further lines start below its words, not below its label."""
    prefix = _line_prefix(entry, width, is_current=is_current)
    words = entry.words
    if is_current:
        words = tuple(Span(each.text, Role.HIT if each.role is Role.STRONG else each.role) for each in words)
    for index, part in enumerate(_wrap_spans(words, max(1, width - width_of(prefix)))):
        before = prefix if not index else (span(" " * width_of(prefix)),)
        yield crop((*before, *part), width)


def _line_prefix(entry: SimulationLine, width: int, *, is_current: bool) -> tuple[Span, ...]:
    indent = span(" " * (2 * min(entry.depth, max(0, (width - 30) // 2))))
    if entry.is_node:
        return indent, span(f"{entry.label} ", Role.ACCENT if is_current else Role.DIM)
    label = f"{entry.label} " if entry.label else ""
    if width >= _ROOMY and (entry.label or entry.depth):
        label = f"{entry.label:<{_LABEL}}"
    return indent, span(label, Role.DIM)


def _wrap_spans(words: Sequence[Span], room: int) -> Iterator[Line]:
    """Spans on one line if they fit, else each from a line of its own."""
    if len(words) > 1 and width_of(words) <= room:
        yield fit(words, room)
        return
    for place, each in enumerate(words):
        # A remark begins with the sign that joins it to the words before it.
        text = each.text.text.lstrip(",;: ") if place else each.text.text
        if text:
            yield from paragraph(SafeText(text, each.text.was_sanitized), room, each.role)
