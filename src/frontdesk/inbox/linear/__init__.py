"""Commands of this feature in the linear mode."""
