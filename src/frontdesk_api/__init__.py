"""The platform's HTTP interface: its `contract`, the `client` that calls it, and the redaction of credentials."""
