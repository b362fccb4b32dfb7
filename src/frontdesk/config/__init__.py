"""Settings, profiles, credentials and the folders they live in."""
