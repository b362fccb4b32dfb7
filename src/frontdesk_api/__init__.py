"""The platform's HTTP interface: its `contract` and the `client` that calls it."""
