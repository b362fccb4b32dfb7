"""Workflows: their check, tree, traffic, dry run, and changes to them and to webhooks."""
