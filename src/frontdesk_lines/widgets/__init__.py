"""Widgets that know keys and lines, and nothing of tasks, store or network."""
