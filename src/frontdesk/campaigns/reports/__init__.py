"""Exports and shift reports."""
