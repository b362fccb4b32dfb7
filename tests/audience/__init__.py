"""Lists of recipients: what is read out of files, and what is refused in which words."""
