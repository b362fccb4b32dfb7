"""Stories in a real pseudo-terminal: the program as it is installed, over a sandbox process."""
