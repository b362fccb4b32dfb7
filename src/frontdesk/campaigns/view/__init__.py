"""Records to lines of text; pure."""
