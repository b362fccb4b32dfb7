"""Fills a fresh data folder with the business, always the same for a seed and a time."""
