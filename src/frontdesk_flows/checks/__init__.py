"""The check of a workflow's document; pure. `run.check` applies the rules of docs/reference/workflow-rules.md."""
