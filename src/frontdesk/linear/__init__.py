"""The linear mode: lists and threads as plain lines and commands at a prompt, for ears and for pipes.

It stands beside `tui` on the same features: reads from the store, actions through commands, lines from the
views.
"""
