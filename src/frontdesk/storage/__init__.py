"""The profile's SQLite files, their schema and change feed.

`store.db` can be deleted and fetched again; `outbox.db` never. Only the writer thread of `Store` writes.
"""
