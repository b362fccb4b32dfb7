"""`frontdesk tasks`."""
