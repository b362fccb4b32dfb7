"""Says what of a workflow's document would not run, not open, or surprise its customers; pure.

`run.check` is its face, `rules.RULES` the table of all it knows, which
docs/workflow-check.md repeats. The command line, the screens and what is sent to the platform ask it.
"""
