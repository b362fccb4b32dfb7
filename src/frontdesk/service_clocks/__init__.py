"""Service clocks: by when a customer is owed an answer, or a task its end, in business hours."""
