"""One screen a file; `desk_screen` is what they share. Each is imported when it is first opened."""
