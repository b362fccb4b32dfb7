"""Fuzzing with a budget: targets, their corpora, and the runner."""
