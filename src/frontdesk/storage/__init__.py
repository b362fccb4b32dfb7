"""The profile's SQLite files, their schema and change feed.

`store.db` can be deleted: all but the history of counters is fetched again. `outbox.db` can't. Only the writer
thread of `Store` writes.
"""
