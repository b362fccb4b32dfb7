"""Alert rules, their evaluation, and what an alert starts."""
