"""The platform's resources, operations, limits and times, under its own names.

`ids`, `states` and `times` need no pydantic, so that code before the first paint may import them.
"""
