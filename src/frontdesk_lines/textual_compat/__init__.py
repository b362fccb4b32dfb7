"""Adapters over Textual's private names; no other module may touch one.

Each module names those it leans on, as they are in Textual 8.2.8, and what it guarantees.
`tests/lines/test_private_names.py` lists them all, so that another Textual fails by name.
"""
