"""Changes that users make: queue, overlay, batches, undo and delivery to the platform."""
