"""A desk's numbers: answers, messages, tasks and backlog, with how much of it was read."""
