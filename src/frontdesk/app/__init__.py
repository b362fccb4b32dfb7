"""Composes the features into programs: the TUI, the linear mode, the engine, the command line.

The only package that knows all features.
"""
