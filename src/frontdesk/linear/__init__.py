"""The linear mode: lists and threads as plain lines and commands at a prompt, for ears and for pipes.

It stands beside `tui` on the same rooms: reads from the store, deeds through `services`, words from `present`.
"""
