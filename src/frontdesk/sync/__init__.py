"""Keeps the store true: what to poll when, sending the outbox, one engine a profile.

The engine shares nothing with screens but the store, so it runs in a process of its own beside
them (`python -m frontdesk.sync`), or without any (`frontdesk sync`).
"""
