"""The inbox in a browser's tab: the page, its server and the pseudo-terminal behind it."""
