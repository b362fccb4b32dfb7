"""What the platform says: resources, operations, limits and times, with its own names.

Knows nobody; the client, the sandbox and the OpenAPI document are all made from it. `ids`
and `times` need no pydantic, so that what runs before the first paint may use them.
"""
