"""The contract over HTTP: one async method an operation, credentials, deadlines, retries, errors.

`sync` and the data commands call `api.client.client.PlatformClient`; `api.client.errors` needs no httpx.
"""
