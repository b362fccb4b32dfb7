"""Dry runs: a script played on the workflow runtime; pure."""
