"""Real engines over one sandbox, joined by an embedded PostgreSQL."""
