"""Makes the generated pages of docs/reference/ from the code.

.venv/bin/python docs/make.py           makes them all
.venv/bin/python docs/make.py --check   names the stale ones, exit status 1 if there are any
"""

import argparse
import sys

from page_sources import DOCS, stale_files, surplus_files


def main() -> int:
    """Write or check the pages; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if a page is stale")
    only_checks = parser.parse_args().check
    stale = list(stale_files())
    for path, text in stale:
        print(f"{'stale' if only_checks else 'made'}: {path.relative_to(DOCS.parent)}")
        if not only_checks:
            path.write_text(text, encoding="utf-8")
    surplus = surplus_files()
    for path in surplus:
        print(f"nothing makes {path.relative_to(DOCS.parent)}; delete it")
    return 1 if surplus or (stale and only_checks) else 0


if __name__ == "__main__":
    sys.exit(main())
