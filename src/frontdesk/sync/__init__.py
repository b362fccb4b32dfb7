"""Polling and sending: one engine a profile, in its own process (`python -m frontdesk.app.engine_main`)."""
