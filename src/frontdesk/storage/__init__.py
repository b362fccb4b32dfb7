"""The profile's SQLite files, their schema and change feed.

`store.db` can be deleted and fetched again; `outbox.db` never. Every write is a function that the one writer
thread of `Store` runs.
"""
