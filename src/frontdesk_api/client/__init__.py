"""HTTP client of the platform: one async method an operation, credentials, deadlines, retries, errors."""
