"""`python -m frontdesk` is the `frontdesk` command."""

from frontdesk.cli.main import main

main()
