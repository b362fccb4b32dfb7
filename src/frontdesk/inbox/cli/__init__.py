"""Commands of the command line on conversations, messages, tags and views."""
