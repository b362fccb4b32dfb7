"""The relay between a team's desks: a PostgreSQL database (docs/team.md). Only this package knows asyncpg."""
