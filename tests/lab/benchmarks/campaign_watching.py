"""Watching a campaign in a real terminal: how true the estimate of its end was, and what it cost in bytes.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.campaign_watching [RECIPIENTS]

The program shows ten campaigns in a pseudo-terminal of 140x40, one of which runs in the sandbox at its real
pace (80 a second: two minutes for 10,000). Targets: the end lies within the range that was said at
10, 30 and 60%; a tick that changes one campaign's counters costs under 1 kB, one that changes nothing 0, an
hour at 2 s under 2 MB.
"""

import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import apsw

from frontdesk.campaigns import throughput
from frontdesk.campaigns.counters import done_of_all
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.inbox.store import conversations
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId
from frontdesk_sandbox import fixtures
from lab.benchmarks.campaign_body import campaign
from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Terminal

RUN = CampaignId("bench-10000")
SMALL = ["bench-small-1", "bench-small-2", "bench-small-3"]
# All but the one that waits for its time: its countdown changes once a minute.
OTHERS = [CampaignId(each) for each in (*fixtures.CAMPAIGN_IDS, *SMALL) if each != "cmp-weekend"]
FRAME = re.compile(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", re.DOTALL)
SHARES = (0.1, 0.3, 0.6)
TICK_SECONDS = 2.0
QUIET_SECONDS = 20.0


def watched(db: apsw.Connection) -> tuple[CampaignRecord, throughput.Throughput]:
    """The running campaign as a screen sees it now."""
    record = next(each for each in campaigns.watched(db) if each.campaign_id == RUN)
    since = time.time() - throughput.LOOKBACK_SECONDS
    return record, throughput.measure_throughput(campaigns.history(db, record, since), time.time())


def main(recipients: int) -> None:
    """Run once and print two tables."""
    with tempfile.TemporaryDirectory() as scratch:
        service = Service(Path(scratch) / "sandbox")
        home = Home(Path(scratch) / "home")
        try:
            home.settle(requests_per_second=1000, requests_per_minute=6000, hints=False)
            service.ask("POST", f"/sandbox/campaigns/{fixtures.RUNNING_CAMPAIGN}/stop")
            for each in SMALL:
                service.ask("POST", "/campaigns", campaign(each, "Watched 5", 5))
            folder = home.store(service)
            with Store(folder) as store:
                ids = [*OTHERS, RUN]
                store.write(lambda db: campaigns.watch(db, ids, time.time())).result()
                with Terminal([FRONTDESK], home.environment(service), 140, 40) as terminal:
                    follow(terminal, service, store.reading, recipients)
        finally:
            end_all(home)
            service.kill()


def follow(terminal: Terminal, service: Service, reading: apsw.Connection, recipients: int) -> None:
    """Wait for quiet, start the campaign, and watch it to its end."""
    db = reading
    terminal.wait_for("● live")
    terminal.press("3")
    terminal.wait_for("Campaigns · 10 watched")
    # While threads are read for the first time the title counts who waits.
    terminal.wait_for(lambda: not conversations.never_read_threads(reading, 1), 300.0)
    terminal.wait_for_quiet(5.0, 120.0)
    idle = terminal.count_for(QUIET_SECONDS)
    service.kill()
    service.moves = True
    service.start()
    terminal.press("R")
    terminal.wait_for("● live")
    terminal.wait_for_quiet(5.0, 120.0)
    service.ask("POST", "/campaigns", campaign(RUN, f"Watched {recipients:,}", recipients))
    terminal.press("r")
    said: dict[float, tuple[float, throughput.Throughput]] = {}
    ticks: list[tuple[bool, bytes]] = []
    record = None
    while record is None or record.status not in ("completed", "failed", "stopped"):
        sent, before = len(terminal.raw), record
        terminal.count_for(TICK_SECONDS)
        record, pulse = watched(db)
        ticks.append(
            (before is not None and before.status == record.status == "inProgress", bytes(terminal.raw[sent:]))
        )
        if not ticks[-1][0] and record.status == "inProgress":
            terminal.press_and_settle("g")  # it stands at the top: from now on its detail is shown, too
        done, of = done_of_all(record.counters) or (0.0, 1.0)
        share = done / of
        for each in SHARES:
            if each not in said and share >= each:
                said[each] = (share, pulse)
                print("\n".join(line for line in terminal.text.splitlines()[:6]), file=sys.stderr)
    assert record.completed_at is not None
    print(f"{recipients:,} recipients in {record.completed_at - (record.started_at or 0):.1f} s, real pace")
    for share, pulse in said.values():
        left = record.completed_at - pulse.at
        eta = pulse.eta
        if eta is None:
            print(f"at {share * 100:4.1f} %: no estimate; really {left:.1f} s")
            continue
        verdict = "within" if eta.low_seconds <= left <= eta.high_seconds else "MISSED"
        words = f"{eta.low_seconds:.1f} to {eta.high_seconds:.1f} s ({eta.certainty})"
        print(f"at {share * 100:4.1f} %: {words}, really {left:.1f} s: {verdict}")
    running = [sent for runs, sent in ticks if runs]
    frames = sorted(len(each) for each in FRAME.findall(b"".join(running)))
    print(f"nothing changed: {idle} bytes in {QUIET_SECONDS:.0f} s (target 0)")
    middle, high = statistics.median(frames), frames[int(len(frames) * 0.95)]
    print(
        f"{len(frames)} ticks of one of ten campaigns, its detail shown:"
        f" median {middle:.0f}, p95 {high}, most {frames[-1]} bytes (target < 1,000)"
    )
    others = max(len(sent) for runs, sent in ticks if not runs)
    print(f"its start and its end, which move its row: {others} bytes at most")
    print(f"an hour: {len(b''.join(running)) / len(running) / TICK_SECONDS * 3600 / 1e6:.2f} MB (target < 2)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
