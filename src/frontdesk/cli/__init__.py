"""The command line: `main` starts everything, then one thin module a command group.

Names, exit statuses and the environment are fixed by docs/commands.md.
"""
