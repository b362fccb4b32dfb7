"""Hostile text in every field of every resource, in every place that shows one."""
