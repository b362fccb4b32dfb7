"""Screens, panes and dialogs of this feature."""
