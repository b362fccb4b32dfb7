"""Keeps the store true: what to poll when, one engine a profile.

The engine shares nothing with screens but the store, so it runs in a process of its own beside
them (`python -m frontdesk.app.engine_main`), or without any (`frontdesk sync`).
"""
