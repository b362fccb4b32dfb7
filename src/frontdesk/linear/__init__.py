"""The linear mode: lists and threads as plain lines and commands at a prompt, for ears and for pipes."""
