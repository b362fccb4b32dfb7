"""AI agents: their list, detail and token growth."""
