"""The engine: the process that polls and sends, its supervisor and its restart."""
