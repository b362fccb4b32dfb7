"""Conversations and their threads: saved views, search, tags."""
