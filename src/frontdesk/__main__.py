"""`python -m frontdesk` is the `frontdesk` command."""

from frontdesk.app.cli_main import main

main()
