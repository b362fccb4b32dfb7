"""Delivery results of single recipients, read from their threads, and shares estimated from a sample; pure.

The interface has no list of failures. A message in a thread has no campaign and is recognized by its time.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

from frontdesk.storage.records import Json
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId, CustomerId, LineId
from frontdesk_api.contract.values import CAMPAIGN_ENDED

PORTION = 400
"""Recipients that are checked before reading stops: enough to know a share to within some percent."""

SURE = 1.959963984540054
"""Standard deviations either way that hold 95 of 100 samples."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share as a sample estimates it, and its 95 % interval; all from 0 to 1."""

    share: float
    low: float
    high: float


def sampling_order(campaign_id: CampaignId, customer_ids: Iterable[CustomerId]) -> list[CustomerId]:
    """Put recipients into a repeatable order that looks random, so that its beginning is a fair sample."""

    def lot(customer_id: CustomerId) -> bytes:
        text = f"{campaign_id}\0{customer_id}".encode(errors="surrogatepass")
        return hashlib.blake2b(text, digest_size=8).digest()

    return sorted(customer_ids, key=lot)


def estimate(hits: int, checked: int, whole: int) -> Estimate | None:
    """Estimate a share from a sample without repeats; None where nothing was checked.

    Wilson's interval stays between 0 and 1 and works without hits, unlike p ± z·√(p·q/n). The finite population
    correction makes the sample count as n·(N-1)/(N-n).
    """
    if checked <= 0:
        return None
    whole = max(whole, checked)
    share = hits / checked
    if checked == whole:
        return Estimate(share, share, share)
    size = checked * (whole - 1) / (whole - checked)
    spread = SURE * SURE / size
    middle = (share + spread / 2) / (1 + spread)
    reach = SURE / (1 + spread) * math.sqrt(share * (1 - share) / size + spread / (4 * size))
    # What was seen is certain: so many are hit at least, and so many are not.
    low = max(middle - reach, hits / whole)
    high = min(middle + reach, (whole - checked + hits) / whole)
    return Estimate(share, min(low, share), max(high, share))


NOT_FOUND = "not found"
"""The first page of the thread has no message of the campaign's time."""
NO_CONVERSATION = "no conversation"
UNREADABLE = "unreadable"
"""The platform refused this thread, or answered what can't be read."""

LATE_MILLIS = 60_000
"""So long after a campaign's end a message may still be its own."""

EXAMPLES = 3
MAX_REASON, MAX_WORD = 200, 40
MAX_GROUPS = 60
OTHERS = "others"


class ResultClass(StrEnum):
    """The meaning of a result, worst first; only `ARRIVED` is a success."""

    FAILED = "failed"
    LEFT_OUT = "left out"
    UNDER_WAY = "under way"
    UNCLEAR = "unclear"
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """What became of one recipient's message.

    Attributes:
        status: the message's as it came, or `NOT_FOUND`, `NO_CONVERSATION`, `UNREADABLE`.
        code: the error's; empty without one.
        reason: the error's title, or why nothing is known.
    """

    status: str
    code: str = ""
    reason: str = ""


_CLASSES = {
    **dict.fromkeys(("failed", "tooManyRequests"), ResultClass.FAILED),
    **dict.fromkeys(("optOut", "duplicateMessage"), ResultClass.LEFT_OUT),
    **dict.fromkeys(("pending", "inProcess", "scheduled", "standby"), ResultClass.UNDER_WAY),
    **dict.fromkeys(("sent", "delivered", "read", "played"), ResultClass.ARRIVED),
}


def class_of(status: str, code: str = "") -> ResultClass:
    """Return the class of a status; an unknown one is a failure if it has an error, else unclear."""
    return _CLASSES.get(status, ResultClass.FAILED if code else ResultClass.UNCLEAR)


@dataclass(frozen=True, slots=True)
class DeliveryResultGroup:
    """Recipients of one campaign that fared alike.

    Attributes:
        status: the message's status, or why there is none.
        code: the error's; empty without one.
        title: the error's; a stranger's text.
    """

    status: str
    code: str
    title: str
    count: int
    examples: tuple[CustomerId, ...] = ()

    @property
    def result_class(self) -> ResultClass:
        return class_of(self.status, self.code)


@dataclass(frozen=True, slots=True)
class DeliveryResultsRecord:
    """How many recipients of a campaign were checked, and with which results.

    Attributes:
        total: different recipients in the list; None before it was read.
        wanted: at how many the reading stops.
        groups: failures first.
        begun_at, begun_with: when the last reading began, and how many were known then.
        state: `asked` while it runs, `done`, `stopped`, or `failed`; empty before the first time.
        problem: why nothing is known, or why it ended.
    """

    total: int | None = None
    checked: int = 0
    wanted: int = 0
    groups: tuple[DeliveryResultGroup, ...] = ()
    begun_at: float | None = None
    begun_with: int = 0
    read_at: float | None = None
    state: str = ""
    problem: str = ""


class ResultsUnavailable(Exception):
    """The results of this campaign can't be found; the text says why."""


@dataclass(frozen=True, slots=True)
class SendingPeriod:
    """The line and the time (Unix milliseconds, maybe without an end) by which messages are a campaign's."""

    line_id: LineId
    started_ms: float
    ended_ms: float | None

    def result(self, messages: Sequence[Json], *, has_more: bool) -> DeliveryResult:
        """Find the result of the recipient whose thread begins with these messages.

        Of several campaign messages in this time the oldest counts: a workflow's later ones have other initiators.

        Args:
            messages: the newest page, in any order; may be empty.
            has_more: whether the thread has older pages.
        """
        if not messages:
            return DeliveryResult(NO_CONVERSATION)
        until = float("inf") if self.ended_ms is None else self.ended_ms + LATE_MILLIS
        timed = [(at, each) for each in messages if (at := json_access.number(each.get("createdAt"))) is not None]
        mine = [
            (at, each)
            for at, each in timed
            if self.started_ms <= at <= until
            and each.get("initiator") == "campaign"
            and each.get("messageDirection") != "incoming"
        ]
        if mine:
            return _result_from(min(mine, key=itemgetter(0))[1])
        is_further_back = has_more and min((at for at, _ in timed), default=self.started_ms) > self.started_ms
        return DeliveryResult(
            NOT_FOUND, reason="not among the newest messages; may be further back" if is_further_back else ""
        )


def sending_period_of(campaign: Json) -> SendingPeriod:
    """Read the period of a campaign; raises `ResultsUnavailable` without a list, a line or a beginning."""
    line_id = json_access.text(campaign.get("associatedToBusinessId"))
    if not campaign:
        raise ResultsUnavailable("the campaign isn't loaded yet")
    if campaign.get("source") == "tags":
        raise ResultsUnavailable(
            "the campaign's audience is defined by tags, and the platform doesn't say which conversations have a "
            "tag, so there are no threads to check. Its counters say how many messages failed; in a customer's "
            "thread, a failed message says why"
        )
    started = json_access.number(campaign.get("startedAt"))
    if started is None and campaign.get("status") == "failed":
        why = json_access.text(campaign.get("failureReason"))
        raise ResultsUnavailable("the campaign failed before any message was sent" + (f": {why}" if why else ""))
    if started is None:
        raise ResultsUnavailable("the campaign hasn't started, so nothing has been sent yet")
    if not line_id:
        raise ResultsUnavailable("the campaign has no line, so its threads can't be checked")
    ends = [json_access.number(campaign.get(name)) for name in ("completedAt", "failedAt")]
    ended = max((at for at in ends if at is not None), default=None)
    return SendingPeriod(LineId(line_id), started, ended if campaign.get("status") in CAMPAIGN_ENDED else None)


def may_change(outcome: DeliveryResult, read_at: float, ended_at: float | None) -> bool:
    """Whether reading again may show more: it was on its way, or read before the campaign ended."""
    if outcome.status in (NOT_FOUND, NO_CONVERSATION):
        return ended_at is None or read_at < ended_at
    return outcome.status == UNREADABLE or class_of(outcome.status, outcome.code) is ResultClass.UNDER_WAY


class Tally:
    """Results grouped by status and code, updated one by one; without a code, by reason."""

    def __init__(self, known: Iterable[tuple[CustomerId, DeliveryResult]] = ()):
        self._of: dict[CustomerId, DeliveryResult] = {}
        self._counts: Counter[DeliveryResult] = Counter()
        self._titles: dict[DeliveryResult, str] = {}
        self._examples: dict[DeliveryResult, list[CustomerId]] = {}
        for customer_id, outcome in known:
            self.add(customer_id, outcome)

    def __len__(self) -> int:
        return len(self._of)

    def add(self, customer_id: CustomerId, outcome: DeliveryResult) -> None:
        before = self._of.get(customer_id)
        if before is not None:
            self._counts[before] -= 1
            if customer_id in self._examples[before]:
                self._examples[before].remove(customer_id)
        kind = self._kind(outcome)
        self._of[customer_id] = kind
        self._counts[kind] += 1
        self._titles.setdefault(kind, outcome.reason)
        examples = self._examples.setdefault(kind, [])
        if len(examples) < EXAMPLES:
            examples.append(customer_id)

    def among(self, groups: Iterable[DeliveryResultGroup]) -> set[CustomerId]:
        kinds = {_key(each.status, each.code, each.title) for each in groups}
        return {customer_id for customer_id, kind in self._of.items() if kind in kinds}

    def groups(self) -> tuple[DeliveryResultGroup, ...]:
        found = [
            DeliveryResultGroup(kind.status, kind.code, self._titles[kind], count, tuple(self._examples[kind]))
            for kind, count in self._counts.items()
            if count > 0
        ]
        return tuple(sorted(found, key=lambda each: (_RANK[each.result_class], -each.count)))

    def _kind(self, outcome: DeliveryResult) -> DeliveryResult:
        kind = _key(outcome.status, outcome.code, outcome.reason)
        if kind in self._counts or len(self._counts) < MAX_GROUPS:
            return kind
        # Strangers write statuses, codes and titles; a new one each time must not make a list without end.
        return DeliveryResult(outcome.status if class_of(outcome.status) is not ResultClass.UNCLEAR else OTHERS)


def share_of(groups: Iterable[DeliveryResultGroup], result_class: ResultClass, whole: int) -> Estimate | None:
    """Return the estimated share of all recipients in a class; None where none were checked."""
    hits = checked = 0
    for each in groups:
        checked += each.count
        hits += each.count if each.result_class is result_class else 0
    return estimate(hits, checked, whole)


_RANK = {result_class: index for index, result_class in enumerate(ResultClass)}


def _key(status: str, code: str, reason: str) -> DeliveryResult:
    return DeliveryResult(status, code, "" if code else reason)


def _result_from(message: Json) -> DeliveryResult:
    error = json_access.mapping(message.get("error"))
    code = error.get("code")
    number = json_access.number(code)
    return DeliveryResult(
        json_access.text(message.get("status"))[:MAX_WORD],
        json_access.text(code)[:MAX_WORD] if number is None else f"{number:.0f}",
        (json_access.text(error.get("title")) or json_access.text(error.get("message")))[:MAX_REASON],
    )
