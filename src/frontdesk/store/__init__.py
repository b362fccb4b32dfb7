"""The profile's SQLite files: what the platform said, what a person did, and what changed.

`store.db` can be thrown away and fetched again; `outbox.db` never. Screens read through
`Reader`; every write is a function run by the one writer thread of `Store`.
"""
