"""Tasks and the board: status, assignees, due dates, filters."""
