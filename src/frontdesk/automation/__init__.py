"""What runs for a person: macros, commands of one's own, and hooks."""
