"""Polling: what is due and when, within a budget; retries, freshness, housekeeping. `engine` runs it."""
