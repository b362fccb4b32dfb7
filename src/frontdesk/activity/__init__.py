"""What users changed and what became of it: outbox, conflicts, failures, undo."""
