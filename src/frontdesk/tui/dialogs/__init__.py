"""Dialogs: bound to ids when they open, given frozen values, answering by `dismiss`."""
