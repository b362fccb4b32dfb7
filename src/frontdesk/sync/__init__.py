"""Polling and sending: one engine per profile, in its own process (`python -m frontdesk.engine.main`)."""
