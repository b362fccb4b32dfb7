"""GET campaign while a campaign of 100,000 recipients runs at --speed 1000, beside the idle service.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.campaign_load [recipients]

Prints the p95 of both, their ratio, and how long the campaign took. Target: under three times.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from lab.benchmarks.campaign_body import campaign

HEADERS = {"Cookie": "token=sandbox", "x-api-key": "sandbox-key", "Content-Type": "application/json"}
SMALL = "cmp-weekend"
SAMPLES = 300


class Service:
    """A sandbox process, asked over one connection that is kept."""

    def __init__(self, data: str) -> None:
        argv = [sys.executable, "-m", "frontdesk_sandbox", "--port", "0", "--data", data, "--speed", "1000"]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request; answers its JSON."""
        self.connection.request(method, path, None if body is None else json.dumps(body), HEADERS)
        reply = self.connection.getresponse()
        data = reply.read()
        assert reply.status < 300, data[:300]
        return json.loads(data)

    def time_ms(self, path: str) -> float:
        """How long one GET takes."""
        began = time.perf_counter()
        self.connection.request("GET", path, headers=HEADERS)
        self.connection.getresponse().read()
        return (time.perf_counter() - began) * 1000


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


def sample(service: Service, path: str, count: int = SAMPLES) -> list[float]:
    """So many GETs, ten milliseconds apart."""
    found = []
    for _ in range(count):
        found.append(service.time_ms(path))
        time.sleep(0.01)
    return found


def main() -> None:
    recipients = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as data:
        service = Service(data)
        try:
            for each in ("cmp-early-access", SMALL):
                service.ask("POST", f"/sandbox/campaigns/{each}/stop")
            time.sleep(3)
            idle = sample(service, f"/campaigns/{SMALL}")
            began = time.perf_counter()
            service.ask("POST", "/campaigns", campaign("load", "Load", recipients))
            running: list[float] = []
            states: dict[str, int] = {}
            while True:
                running += sample(service, f"/campaigns/{SMALL}", 50)
                stored = service.ask("GET", "/campaigns/load")
                states[stored["status"]] = states.get(stored["status"], 0) + 1
                if stored["status"] in ("completed", "failed"):
                    break
            took = time.perf_counter() - began
            print(
                f"{recipients:,} recipients {stored['status']} in {took:.1f} s; GET of a small campaign: "
                f"p95 {p95(idle):.1f} ms idle, {p95(running):.1f} ms beside it "
                f"(x{p95(running) / p95(idle):.2f}), worst {max(running):.0f} ms, {len(running)} samples"
            )
            print({name: stored[name] for name in stored if name.endswith(("Count", "Recipients"))}, states)
            after = sample(service, "/campaigns/load", 40)
            print(f"GET of the large one once completed: p95 {p95(after):.1f} ms")
        finally:
            service.process.terminate()
            service.process.wait()


if __name__ == "__main__":
    main()
