"""What successive reads of the counters mean; pure."""
