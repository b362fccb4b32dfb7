"""AI agents: their list and detail."""
