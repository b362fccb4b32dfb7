"""Desks that share one poller through a relay: lease, publishing and following, claims, presence, `team`."""
