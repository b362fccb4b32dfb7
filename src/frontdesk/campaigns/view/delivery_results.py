"""Delivery results in words: how many were checked, the shares and their precision, and advice for each group."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from frontdesk.campaigns.delivery_results import (
    NO_CONVERSATION,
    NOT_FOUND,
    UNREADABLE,
    DeliveryResultGroup,
    DeliveryResultsRecord,
    Estimate,
    ResultClass,
    estimate,
    share_of,
)
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.view.charts import bar
from frontdesk.config.facts import GAP, Fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.bulk import describe_duration
from frontdesk.text.percentages import percent
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, paragraph, span


class ClassStyle(NamedTuple):
    """How a class of results is shown; `advice` is for groups without a better one."""

    words: str
    role: Role
    sign: Callable[[Glyphs], str]
    advice: str = ""


STYLES = {
    ResultClass.FAILED: ClassStyle(
        "failed", Role.BAD, attrgetter("failed"), "No advice for this error; the title comes from the platform."
    ),
    ResultClass.LEFT_OUT: ClassStyle("skipped", Role.WARN, attrgetter("off")),
    ResultClass.UNDER_WAY: ClassStyle(
        "on the way", Role.DIM, attrgetter("waiting"), "No final status yet. Check again later."
    ),
    ResultClass.UNCLEAR: ClassStyle(
        "unclear",
        Role.WARN,
        lambda _: "?",
        "The platform returned an unknown status, so the message doesn't count as delivered.",
    ),
    ResultClass.ARRIVED: ClassStyle(
        "sent",
        Role.GOOD,
        attrgetter("sent"),
        "The message was sent. If it isn't delivered or read yet, it can still fail.",
    ),
}
MIN_PACE_SECONDS = 5.0
"""No pace is known before."""

MATCHED_BY_TIME = "Matched by time: each thread's first campaign message after the start."
"""A thread doesn't say of which campaign a message is."""


def checked(record: DeliveryResultsRecord) -> str:
    return f"checked {record.checked:,} of {'?' if record.total is None else f'{record.total:,}'}"


def share(found: Estimate) -> str:
    """Return a share and its interval, rounded outwards: "8.2% (6.9 to 9.5)"; of all recipients just "8.2%"."""
    low = math.floor(found.low * 1_000 + 1e-9) / 10
    high = math.ceil(found.high * 1_000 - 1e-9) / 10
    return f"{found.share * 100:.1f}%" + (f" ({low:.1f} to {high:.1f})" if found.low < found.high else "")


def shares(groups: Sequence[DeliveryResultGroup], total: int) -> list[tuple[ResultClass, str]]:
    """Return the shares of failed recipients and of every other class that occurs."""
    found: list[tuple[ResultClass, str]] = []
    for result_class in ResultClass:
        has_any = any(each.result_class is result_class for each in groups)
        estimated = share_of(groups, result_class, total)
        if estimated is not None and (has_any or result_class is ResultClass.FAILED):
            found.append((result_class, f"{STYLES[result_class].words} {share(estimated)}"))
    return found


def headline(record: DeliveryResultsRecord, width: int) -> Line:
    if not record.checked:
        return fit([span("no recipients checked yet", Role.STRONG)], width)
    words = [span(checked(record), Role.STRONG)]
    for result_class, share_words in shares(record.groups, record.total or 0):
        estimated = share_words if result_class is ResultClass.FAILED else share_words.partition(" (")[0]
        words += [span(" · ", Role.DIM), span(estimated, STYLES[result_class].role)]
    return fit(words, width)


def reasons(record: DeliveryResultsRecord, campaign: CampaignRecord, view: RenderContext) -> Iterator[Fact]:
    """Tell why messages failed: the throttled ones as the platform counts them, others as estimated."""
    counters = campaign.counters
    failed = [each for each in record.groups if each.result_class is ResultClass.FAILED]
    if counters.too_many is not None:
        failed = [each for each in failed if each.status != "tooManyRequests"]
    if not (counters.failed or counters.too_many or failed):
        return
    yield GAP
    yield text(trusted(f"why messages failed{f' · {checked(record)}' if record.checked else ''}"), Role.DIM)
    if counters.too_many:
        shown = f"{percent(counters.too_many / counters.total, 1)} of all" if counters.total else ""
        yield _reason(trusted("throttled (platform's count)"), f"{counters.too_many:,.0f}", shown)
    for each in failed:
        estimated = estimate(each.count, record.checked, record.total or 0)
        shown = "" if estimated is None else share(estimated)
        yield _reason(show_line(f"{each.code} {title_of(each)}".strip(), 120), f"{each.count:,}", shown)
    if counters.failed and not record.checked:
        key = view.key("campaign.outcomes", "E")
        check = f"Not checked yet. Press {key} to check a sample."
        words = "Unknown: the audience is defined by tags." if campaign.source == "tags" else check
        yield text(trusted(words), Role.DIM, indent=2)


def _reason(title: SafeText, count: str, shown: str) -> Fact:
    said = SafeText(f"{title.text}: {', '.join(filter(None, (count, shown)))}", title.was_sanitized)
    right = (span(f"  {count}"), span(f"  {shown}", Role.DIM))
    return Fact("", said, draw=lambda width: [fit((span("  "), span(title)), width, right)])


def progress(record: DeliveryResultsRecord, width: int, view: RenderContext) -> Line:
    room = max(4, min(24, width // 3))
    full = round(room * record.checked / record.total) if record.total else 0
    return fit([*bar(full, room, Role.ACCENT, view.glyphs), span("  "), *_pace(record, view)], width)


def _pace(record: DeliveryResultsRecord, view: RenderContext) -> list[Span]:
    if record.state == "failed":
        return [span(show_line(f"stopped: {record.problem}", 200), Role.BAD)]
    if record.state == "stopped":
        return [span("stopped; the results so far are saved", Role.DIM)]
    if record.state != "asked":
        is_all = record.total is not None and record.checked >= record.total
        return [span("all recipients checked" if is_all else "checked as many as requested", Role.DIM)]
    left = min(record.wanted, record.total or record.wanted) - record.checked
    took = view.now - (record.begun_at or view.now)
    read = record.checked - record.begun_with
    if took < MIN_PACE_SECONDS or read <= 0:
        return [span("checking, as fast as the request limit allows", Role.PENDING)]
    rate = read / took
    words = f"{max(1, rate * 60):,.0f} a minute · {describe_duration(left / rate)} for {max(0, left):,} more"
    return [span(words, Role.PENDING)]


def group_row(group: DeliveryResultGroup, record: DeliveryResultsRecord, width: int, view: RenderContext) -> Line:
    style = STYLES[group.result_class]
    estimated = estimate(group.count, record.checked, record.total or 0)
    count = [
        span(f"{group.count:,}", Role.STRONG),
        span(f"{share(estimated) if estimated is not None else '':>23}", Role.DIM),
    ]
    code_role = Role.DIM if group.result_class is ResultClass.ARRIVED else style.role
    title = [
        span(f"{style.sign(view.glyphs)} ", style.role),
        span(show_line(f"{group.code:<7}", 20), code_role),
        span(show_line(title_of(group), 120)),
    ]
    return fit(title, width, count)


def group_lines(group: DeliveryResultGroup, width: int) -> list[Line]:
    lines = paragraph(trusted(advice_for(group)), width)
    known = show_line(group.title, 200)
    if known and group.code:
        lines += paragraph(trusted(f"The platform says: {known.text}"), width, Role.DIM)
    if group.examples:
        some = ", ".join(show_line(each, 40).text for each in group.examples)
        lines += [EMPTY, *paragraph(trusted(f"For example: {some}"), width, Role.DIM)]
    return lines


class Advice(NamedTuple):
    """What happened with an error code, and what a person can do (docs/interface.md, Values seen)."""

    title: str
    words: str


ADVICE: Mapping[str, Advice] = {
    "131026": Advice(
        "undeliverable",
        "The number can't receive messages on this channel: it has no account, its app is too old, or its terms "
        "weren't accepted. Check the number; sending the same again won't help.",
    ),
    "131049": Advice(
        "held back: marketing limit reached for this person",
        "The channel limits how much marketing a person gets from all senders. Wait at least a day; sending "
        "again sooner makes it worse.",
    ),
    "130429": Advice(
        "too fast for the line",
        "The line reached its throughput limit; the number is fine. Send again when the line is less busy.",
    ),
    "131056": Advice(
        "too many messages to this customer",
        "This line sent this customer too many messages in a short time. Wait a few minutes, then send again.",
    ),
}


_ADVICE_BY_STATUS: Mapping[str, str] = {
    "optOut": "They opted out. Leave them out of the next list.",
    "duplicateMessage": "This number is in the list more than once; the first row was used.",
    "tooManyRequests": "Too many requests at the same time; the number is fine. Send again later.",
    NOT_FOUND: "No message from the time of this campaign on the latest page of their thread. It may be further "
    "back, or may not have been sent, so it doesn't count as delivered.",
    NO_CONVERSATION: "No conversation with them on this line. They may have been skipped or not reached yet; "
    "this doesn't count as delivered.",
    UNREADABLE: "Couldn't load the thread, so the message doesn't count as delivered.",
}


def advice_for(group: DeliveryResultGroup) -> str:
    known = ADVICE.get(group.code)
    if known is not None and group.result_class is ResultClass.FAILED:
        return known.words
    return _ADVICE_BY_STATUS.get(group.status) or STYLES[group.result_class].advice


def title_of(group: DeliveryResultGroup) -> str:
    """Return a group's title; the platform's where no better one is known."""
    known = ADVICE.get(group.code)
    if known is not None:
        return known.title
    return group.title or _STATUS_WORDS.get(group.status, group.status) or "no status"


_STATUS_WORDS: Mapping[str, str] = {
    "failed": "failed (no code)",
    "tooManyRequests": "too many requests",
    "optOut": "opted out",
    "duplicateMessage": "duplicate",
    "inProcess": "sending",
    "standby": "on standby",
    NOT_FOUND: "no message from this campaign found",
    UNREADABLE: "couldn't load the thread",
}
