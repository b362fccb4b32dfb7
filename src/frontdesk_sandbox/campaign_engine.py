"""CampaignEngine: start campaigns at their time and record every recipient's outcome.

All times come from the plan and the pace: the same seed and clock give the same counters.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frontdesk_flows.graph import read_graph
from frontdesk_sandbox.campaign_delivery import SandboxDelivery, complete_if_done, seen_unfinished_at
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.storage import Storage
from frontdesk_sandbox.workflow_runs import WorkflowRuns

RESOLUTION_MS = 200
RESOLUTION_MS_A_RECIPIENT = 1
_DONE = object()


class CampaignEngine:
    """The engine of one sandbox's campaigns.

    Finding an audience of a hundred thousand takes seconds, so it is done in small steps; until it is found,
    nothing moves past the moment at which it is due.
    """

    def __init__(self, storage: Storage, seed: int, runs: WorkflowRuns) -> None:
        self._storage = storage
        self._runs = runs
        self._delivery = SandboxDelivery(storage, seed, runs)
        self._starting: tuple[int, Iterator[None]] | None = None

    def advance(self, now: int, batch: int) -> bool:
        """Do up to `batch` of each kind of event due by `now`; answers whether there was any."""
        started = self._start_due(now, batch)
        if self._starting is not None:
            now = min(now, self._due_at(self._starting[0]))
        settled = self._delivery.update_recipients(now, batch)
        sent = self._delivery.dispatch_due(now, batch)
        return started or settled or sent

    def next_at(self) -> float:
        """Return the next event, in virtual milliseconds; infinity for never."""
        if self._starting is not None:
            return 0.0
        found = [
            self._storage.row(sql)
            for sql in (
                "SELECT due_at FROM recipients WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1",
                "SELECT min(max(free_at, started_at)) FROM campaigns JOIN lines USING (account, line) "
                "WHERE status='inProgress' AND pending > 0",
            )
        ]
        moments = [self.next_start_at(), *(row[0] for row in found if row is not None and row[0] is not None)]
        return float(min(moments))

    def next_start_at(self) -> float:
        """Return the next start of a campaign or of finding its audience, in virtual milliseconds."""
        row = self._storage.row("SELECT min(due_at) FROM campaigns WHERE status IN ('scheduled', 'pending')")
        return math.inf if row is None or row[0] is None else float(row[0])

    def discard(self) -> None:
        """Forget the audience that was being found: the transaction was rolled back."""
        self._starting = None

    def _start_due(self, now: int, batch: int) -> bool:
        if self._starting is not None:
            number, steps = self._starting
            self._starting = None
            # Between two steps it may have been stopped.
            if self._storage.exists("campaigns", number=number, status="pending"):
                self._continue_start(number, steps, batch)
            return True
        due = self._storage.row(
            "SELECT number, account, json, status, due_at, created FROM campaigns "
            "JOIN campaign_documents USING (number) WHERE status IN ('scheduled', 'pending') AND due_at <= ? "
            "ORDER BY due_at, number LIMIT 1",
            now,
        )
        if due is None:
            return False
        number, account, stored, status, due_at, created = due
        campaign = json.loads(stored)
        if status == "scheduled":
            at = max(due_at, created)
            self._storage.run(
                "UPDATE campaigns SET status='pending', due_at=?, modified=? WHERE number=?",
                *(at + resolution_ms(campaign), at, number),
            )
        else:
            reason = _reason_not_to_run(self._storage, self._runs, account, campaign)
            self._continue_start(
                number, start_campaign(self._storage, number, account, campaign, due_at, reason), batch
            )
        return True

    def _continue_start(self, number: int, steps: Iterator[None], batch: int) -> None:
        for _ in range(batch):
            if next(steps, _DONE) is _DONE:
                return
        self._starting = number, steps

    def _due_at(self, number: int) -> int:
        row = self._storage.row("SELECT due_at FROM campaigns WHERE number=?", number)
        return int(row[0]) if row and row[0] is not None else 0


def start_campaign(
    storage: Storage, number: int, account: str, campaign: dict[str, Any], at: int, reason: str | None = None
) -> Iterator[None]:
    """Find the audience and begin, or fail and say why (rules 65, 69); a step a recipient."""
    # A process that was killed in the middle of this left rows that nobody counts yet.
    storage.run("DELETE FROM recipients WHERE campaign=?", number)
    counts = dict.fromkeys(("pending", "duplicate", "opted_out"), 0)
    if reason is None:
        position = 0
        for position, who in enumerate(resolve_audience(storage, account, campaign), start=1):
            storage.run(
                "INSERT INTO recipients(campaign, position, customer, name, bucket) VALUES(?,?,?,?,?)",
                *(number, position - 1, who.customer, who.name, who.bucket),
            )
            counts[who.bucket] += 1
            yield
        if not position:
            reason = "The audience is empty."
    if reason is not None:
        failed_at = max(at, seen_unfinished_at(storage, number))
        storage.run(
            "UPDATE campaigns SET status='failed', due_at=NULL, ended_at=?, modified=?, failure_reason=? "
            "WHERE number=?",
            *(failed_at, failed_at, reason, number),
        )
        return
    storage.run(
        "UPDATE campaigns SET status='inProgress', due_at=NULL, started_at=?, modified=?, total=?, pending=?, "
        "duplicate=?, opted_out=?, text=? WHERE number=?",
        *(at, at, sum(counts.values()), *counts.values()),
        *(_text(storage, account, campaign), number),
    )
    complete_if_done(storage, number)


def resolution_ms(campaign: dict[str, Any]) -> int:
    return RESOLUTION_MS + RESOLUTION_MS_A_RECIPIENT * len(campaign.get("customerList") or ())


def _reason_not_to_run(storage: Storage, runs: WorkflowRuns, account: str, campaign: dict[str, Any]) -> str | None:
    folder, line = campaign["folderId"], campaign["associatedToBusinessId"]
    if not storage.exists("folders", account=account, folder=folder):
        return f"Folder {folder!r} doesn't exist."
    if not storage.exists("lines", account=account, line=line):
        return f"Line {line!r} doesn't exist."
    return runs.reason_not_to_run(account, campaign["workflowId"])


def _text(storage: Storage, account: str, campaign: dict[str, Any]) -> str:
    """Return the workflow's opening message, or the campaign's name if it has none."""
    row = storage.row("SELECT json FROM workflows WHERE account=? AND id=?", account, campaign["workflowId"])
    opening = read_graph(json.loads(row[0])).opening if row else None
    return (opening.message_text if opening else "") or str(campaign["name"])


def insert_campaign(
    storage: Storage, account: str, document: dict[str, Any], status: str, created: int, due_at: int | None
) -> int:
    """Store a new campaign in the caller's transaction; answers its number.

    The document has a row of its own: the counters change thousands of times, and a row is written whole.
    """
    storage.run(
        "INSERT INTO campaigns(account, id, line, workflow, status, created, modified, due_at) "
        "VALUES(?,?,?,?,?,?,?,?)",
        *(account, document["id"], document["associatedToBusinessId"], document["workflowId"]),
        *(status, created, created, due_at),
    )
    number = storage.last_row_number()
    storage.run("INSERT INTO campaign_documents VALUES(?,?)", number, encode(document))
    return number


@dataclass(frozen=True, slots=True)
class Addressee:
    """A recipient with the bucket it starts in: pending, duplicate or opted_out."""

    customer: str
    name: str | None
    bucket: str


def resolve_audience(storage: Storage, account: str, campaign: dict[str, Any]) -> Iterator[Addressee]:
    """Find the recipients, the first of equal numbers counting (docs/interface.md, Campaign counters, 3).

    One at a time, since normalising a number can take as long as a request.
    """
    line = campaign["associatedToBusinessId"]
    opted_out = {
        row[0]
        for row in storage.rows(
            "SELECT customer FROM conversations WHERE account=? AND line=? AND opted_out=1", account, line
        )
    }
    seen: set[str] = set()
    for customer, name in _list_recipients(storage, account, campaign):
        if customer in seen:
            bucket = "duplicate"
        elif customer in opted_out:
            bucket = "opted_out"
        else:
            bucket = "pending"
        seen.add(customer)
        yield Addressee(customer, name, bucket)


def normalised_number(number: str, region: str | None) -> str:
    """Normalise a number to its digits with the country's code and without +.

    A leading + or 00 keeps its country; else a number valid in the default region wins; else the
    digits already are international (rules 67, 68).
    """
    digits = "".join(str(int(char)) for char in number if char.isdecimal())
    if not digits:
        return number
    if digits.startswith("00") and not number.strip().startswith("+"):
        return digits[2:]
    if region is None or number.strip().startswith("+"):
        return digits
    import phonenumbers  # its tables are large, and most campaigns don't need them

    try:
        parsed = phonenumbers.parse(number, region.upper())
    except phonenumbers.NumberParseException:
        return digits
    is_valid = phonenumbers.is_valid_number(parsed)
    return f"{parsed.country_code}{parsed.national_number}" if is_valid else digits


def _region(country_code: str | None) -> str | None:
    """Return a recipient's own country, given as ISO code or as calling code."""
    if not country_code:
        return None
    import phonenumbers

    digits = country_code.strip().lstrip("+0")
    if digits.isascii() and digits.isdecimal() and len(digits) <= 3:
        region = phonenumbers.region_code_for_country_code(int(digits))
        return None if region in ("ZZ", "001") else str(region)
    code = country_code.strip().upper()
    return code if code in phonenumbers.SUPPORTED_REGIONS else None


def _list_recipients(storage: Storage, account: str, campaign: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    if campaign["source"] == "excel":
        country = campaign.get("audienceCountry")
        for recipient in campaign["customerList"]:
            region = _region(recipient.get("countryCode")) or country
            yield normalised_number(recipient["phoneNumberId"], region), recipient.get("customerName")
        return
    tags = [tag["id"] for tag in campaign["conversationTags"]]
    yield from storage.rows(
        "SELECT DISTINCT conversations.customer, conversations.name FROM conversation_tags "
        "JOIN conversations USING (account, line, customer) JOIN lines USING (account, line) "
        # One value however many tags: storage counts its question marks.
        "WHERE account=? AND tag IN (SELECT value FROM json_each(?)) AND platform=(SELECT platform FROM lines "
        "WHERE account=? AND line=?) ORDER BY conversations.customer",
        account,
        json.dumps(tags),
        account,
        campaign["associatedToBusinessId"],
    )
