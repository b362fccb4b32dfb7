"""Structural difference between two graphs; pure."""
