"""The child process that reads a list: a request as JSON in, progress out, the result to a file.

Started by `subprocess_reader`; ends by itself when its parent is gone.
"""

import json
import resource
import sys
from contextlib import suppress
from typing import Any

from frontdesk.campaigns.audience.layout import reason_of
from frontdesk.campaigns.audience.models import AudienceError, ColumnMapping, ListFile
from frontdesk.campaigns.audience.reader import read, read_layout
from frontdesk.campaigns.audience.subprocess_reader import NO_MEMORY, save_audience, save_layout


def main() -> int:
    """Run one request and return the exit status."""
    request = json.load(sys.stdin)
    _limit(request["memory"], request["seconds"])
    try:
        with open(request["result"], "w", encoding="ascii") as result:
            file = ListFile(**request["file"])
            if "columns" in request:
                columns = ColumnMapping(**request["columns"])
                save_audience(read(file, columns, progress=_report, most=request["most"]), result)
            else:
                save_layout(read_layout(file), result)
    except AudienceError as error:
        _write_message({"refused": str(error)})
    except MemoryError:
        return NO_MEMORY
    except BrokenPipeError:
        return 1
    except OSError as error:
        _write_message({"refused": f"what was read can't be kept: {reason_of(error)}"})
    return 0


def _limit(memory: int, seconds: float) -> None:
    wanted = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: int(seconds) + 5,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in wanted.items():
        _, most = resource.getrlimit(limit)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        with suppress(ValueError, OSError):  # not every system limits everything
            resource.setrlimit(limit, (value, most))


def _report(rows: int, share: float) -> None:
    _write_message({"rows": rows, "share": round(share, 4)})


def _write_message(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
