"""Shared parts of the command line: options, output, errors, start-up.

Names, exit statuses and the environment are an interface: scripts depend on them.
"""
