"""Profiles, credentials and the config: `login`, the account form, `doctor`, names, `config`."""
