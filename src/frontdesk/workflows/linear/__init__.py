"""The linear mode of workflows."""
