"""The HTTP client: one async method an operation, credentials, deadlines, retries, errors."""
