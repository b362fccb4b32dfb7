"""Queries and writes of this feature."""
