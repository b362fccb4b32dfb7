"""Settings, profiles, credentials and their folders."""
