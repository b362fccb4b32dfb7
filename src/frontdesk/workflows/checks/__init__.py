"""The check of a workflow's document; pure. `run.check` applies the rules of docs/workflow-check.md."""
