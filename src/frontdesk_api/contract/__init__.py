"""Resources, operations, limits and times of the platform, under its own names.

`ids`, `states` and `times` need no pydantic, so that code before the first paint may import them.
"""
